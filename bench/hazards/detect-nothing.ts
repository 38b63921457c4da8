/** In the place of `src/hazards/detect.ts`. */
import type { admitUrl as Admit, isCrowded as Crowded, judgePage as Judge } from '../../src/hazards/detect.ts'

export const judgePage: typeof Judge = (memory) => ({ memory, verdicts: [], follow: true, lists: false })

export const admitUrl: typeof Admit = (memory) => ({ memory })

export const isCrowded: typeof Crowded = () => false
