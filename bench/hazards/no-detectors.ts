/** `node --import`: a build that judges no page and refuses no URL for a finding. */
import { replaceModule } from '../volumes/replace-module.ts'

replaceModule('/src/crawl/report-hazards.ts', './hazards/detect.ts', new URL('./detect-nothing.ts', import.meta.url))
