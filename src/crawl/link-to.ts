/** A URL as a link of the report. */
import type { Link } from '../contracts/report.ts'
import type { WebUrl } from '../web/url/web-url.ts'

export function linkTo(url: WebUrl, depth: number, via: string, path: string): Link {
  return { url: url.href, key: url.key, site: url.site, depth, via, path }
}
