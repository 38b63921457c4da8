/** The public names, one by one. What is not named here may change without notice. */
export { addSeeds, type CrawlEnd, type CrawlHandle, startCrawl } from './assemble/crawl.ts'
export type { CrawlSnapshot } from './assemble/crawl-view.ts'
export { openCollection } from './assemble/open.ts'
export { EXIT, Problem, type ProblemCode } from './base/errors.ts'
export type { Settings } from './config/keys.ts'
export { loadSettings } from './config/load.ts'
export type { Event } from './visit/events.ts'
export { parseUrl, type WebUrl } from './web/url/web-url.ts'
