/** Why a crawl, or a server of one, came to its end. */
import { EXIT } from '../base/errors.ts'

export type CrawlWhy = 'complete' | 'interrupted' | 'pages' | 'time' | 'size'

export const EXIT_OF: Readonly<Record<CrawlWhy, number>> = {
  complete: EXIT.done,
  interrupted: EXIT.interrupted,
  pages: EXIT.pageLimit,
  time: EXIT.timeLimit,
  size: EXIT.sizeLimit,
}
