/** Why a crawl, or a server of one, came to its end. */
import { EXIT } from '../../base/errors.ts'
import type { SeedsInTheEnd } from './open-seeds.ts'

export type CrawlWhy = 'complete' | 'interrupted' | 'pages' | 'time' | 'size'

const EXIT_OF: Readonly<Record<CrawlWhy, number>> = {
  complete: EXIT.done,
  interrupted: EXIT.interrupted,
  pages: EXIT.pageLimit,
  time: EXIT.timeLimit,
  size: EXIT.sizeLimit,
}

/** A crawl of which no seed brought anything is complete, and has failed. */
export function exitOf(why: CrawlWhy, seeds: SeedsInTheEnd): number {
  return why === 'complete' && seeds.areAllEmpty ? EXIT.failed : EXIT_OF[why]
}
