/** In the place of `src/crawl/hazards/detect.ts`. */
import type * as Detect from '../../src/crawl/hazards/detect.ts'

export const judgePage: typeof Detect.judgePage = (memory) => ({ memory, findings: [], follow: true, lists: false })

export const admitUrl: typeof Detect.admitUrl = () => undefined

export const exceedsHeldLimit: typeof Detect.exceedsHeldLimit = () => false

export const hasFullPattern: typeof Detect.hasFullPattern = () => false

export const isOfSuspect: typeof Detect.isOfSuspect = () => false
