/**
 * Some servers first find out whether a client keeps cookies: the page redirects to itself, or to a check that is told
 * the page's path and redirects back. The page sets a cookie with its first answer, or the check does. The page is
 * requested again in the same turn; otherwise it would count as moved, and its site would end there. What was asked on
 * the way is no page.
 */
import type { Exchange, Want } from '../contracts/exchange.ts'
import type { Robots } from '../web/robots/robots.ts'
import type { WebUrl } from '../web/url/web-url.ts'
import { redirectTarget } from './answers.ts'
import { recordOwnRequest } from './record-result.ts'
import { request, type SiteConnection } from './request.ts'
import { schemeOf } from './robots.ts'
import type { SiteTools, VisitState } from './tools.ts'

const MAX_HOPS = 3
/** After this many tries in a visit, missing cookies are not the reason. */
const MAX_CHECKS_PER_VISIT = 3
const WANT: Want = { download: true, limitBytes: 64 * 1024 }

/** `changes`: what the jar had counted before the URL was requested. True when the server has led back to it. */
export async function passCookieCheck(
  url: WebUrl,
  exchange: Exchange,
  changes: number,
  robots: Robots,
  connection: SiteConnection,
  { site, state }: { site: SiteTools; state: VisitState },
): Promise<boolean> {
  const { answer } = exchange
  const target = 'head' in answer ? redirectTarget(answer.head, url.href, site.urls) : undefined
  if (target === undefined || !(target.href === url.href || isToldOf(target, url))) return false
  const { cookies } = connection
  // A login page receives the path, too. If the site has set a cookie before, it must be a login page.
  if (cookies.changes === changes && changes > 0) return false
  if (state.cookieChecks >= MAX_CHECKS_PER_VISIT) return false
  state.cookieChecks++
  let next: WebUrl | undefined = target
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    if (next?.href === url.href) {
      if (cookies.changes === changes) return false
      await recordOwnRequest(exchange, state.reporter, site)
      return true
    }
    // Like a probe it is no page of the collection: it need not lie in the scope, but blacklists hold.
    if (next?.site !== url.site || schemeOf(next.href) !== schemeOf(url.href)) return false
    if (!robots.permits(next.path).allowed || !state.scope.judgeSitemap(next).yes) return false
    const there: Exchange | undefined = await request(next.href, () => WANT, connection, site)
    if (there === undefined || !('head' in there.answer)) return false
    await recordOwnRequest(there, state.reporter, site)
    next = redirectTarget(there.answer.head, next.href, site.urls)
    // This was not a check but a page of its own: no other is requested twice.
    if (next === undefined) state.cookieChecks = MAX_CHECKS_PER_VISIT
  }
  return false
}

/** The query of the one URL has the path of the other, escaped or not. */
function isToldOf({ href }: WebUrl, { path }: WebUrl): boolean {
  const question = href.indexOf('?')
  if (question < 0) return false
  const query = href.slice(question)
  return query.includes(`=${path}`) || query.toLowerCase().includes(encodeURIComponent(path).toLowerCase())
}
