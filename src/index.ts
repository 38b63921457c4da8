/** The public names. Everything else may change without notice. */
export { addSeeds, type CrawlEnd, type CrawlHandle, startCrawl } from './app/composition/crawl.ts'
export type { CrawlSnapshot } from './app/composition/crawl-view.ts'
export type { Settings } from './app/config/keys.ts'
export { loadSettings } from './app/config/load.ts'
export { openCollection } from './app/reader/open.ts'
export { EXIT, Problem, type ProblemCode } from './base/errors.ts'
export type { Event } from './contracts/events.ts'
export { parseUrl, type WebUrl } from './web/url/web-url.ts'
