/**
 * Requests a page that cannot exist, to see how the site says that a page is missing. An honest site answers 404; one that
 * answers 200, or redirects to a page about the missing name, has shown its error page. At most once per site, when the
 * detectors want to know.
 */

import { hash64 } from '../base/digest.ts'
import { runThrough } from '../base/stretches.ts'
import type { Body, Head, Want } from '../contracts/exchange.ts'
import type { SiteName } from '../contracts/visit.ts'
import { isReadable } from '../page/reading.ts'
import { mediaTypeOf } from '../web/http/headers.ts'
import type { Robots } from '../web/robots/robots.ts'
import { normalPath } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { decoded, redirectTarget, unlessBroken, watched } from './answers.ts'
import { learnProbe } from './hazards/detect.ts'
import type { PageFacts } from './hazards/page-facts.ts'
import { ownRequestOf, recordOwnRequest } from './record-result.ts'
import { contentOf } from './report-hazards.ts'
import { request, type SiteConnection } from './request.ts'
import { schemeOf } from './robots.ts'
import type { ReadingTools, SiteTools, VisitState } from './tools.ts'

const MAX_BYTES = 256 * 1024
const MAX_HOPS = 2
const WANT: Want = { download: true, limitBytes: MAX_BYTES }

/** Letters made from the site's name: no site has such a page, and every request to a site uses the same name. */
export function absurdPath(site: SiteName): string {
  const letters = hash64(`missing ${site}`).toString(36)
  return `/no-such-page-${letters}.html`
}

export async function checkMissingPage(
  near: string,
  robots: Robots,
  connection: SiteConnection,
  tools: { site: SiteTools; state: VisitState },
): Promise<void> {
  const { site, state } = tools
  const { reporter } = state
  const learn = (answer: Parameters<typeof learnProbe>[1]) => {
    learnProbe(reporter.traps, answer)
    reporter.trapsChanged()
  }
  const name = absurdPath(connection.site)
  let url = site.urls.parse(new URL(name, near).href)
  for (let hops = 0; ; hops++) {
    // Like a sitemap it is no page of the collection: it need not lie in the scope, but blacklists hold.
    if (url === undefined || !robots.permits(url.path).allowed || !state.scope.judgeSitemap(url).yes) {
      learn({ status: 0 })
      return
    }
    const exchange = await request(url.href, () => WANT, connection, site)
    // The visit ends. The detectors have noted the check as done: no check is better than two.
    if (exchange === undefined || exchange.answer.kind === 'withheld') return
    await recordOwnRequest(exchange, reporter, site)
    const { answer } = exchange
    const isAnswer = answer.kind === 'full' || answer.kind === 'cut'
    learn({ status: isAnswer ? answer.head.status : 0 })
    // Durable before the answer is read, in case its reading never ends.
    await site.durable(reporter)
    if (!isAnswer) return
    const target = redirectTarget(answer.head, url.href, site.urls)
    // The site has one error page per missing name. A single page for all of them may be a real one.
    const isNamed = target?.site === connection.site && target.href.includes(name.slice(1))
    // The other scheme has rules of its own, which may not have been read.
    if (isNamed && schemeOf(target.href) === schemeOf(url.href) && hops < MAX_HOPS) {
      url = target
      continue
    }
    if (!isClaimedPage(answer.head)) return
    const { bytes } = await decoded(answer, MAX_BYTES)
    const read = () => contentOfAnswer(answer, bytes, site)
    const content = await unlessBroken('reading the answer for a missing page', site, () =>
      watched(ownRequestOf(exchange, site.urls), tools, read),
    )
    if (content !== undefined) learn({ status: answer.head.status, content, path: normalPath(url) })
    return
  }
}

function isClaimedPage({ status, headers }: Head): boolean {
  const { type } = mediaTypeOf(headers)
  return status >= 200 && status <= 299 && (type === '' || isReadable(type))
}

function contentOfAnswer(answer: Body, bytes: Uint8Array, tools: ReadingTools): PageFacts['content'] {
  const { type, charset } = mediaTypeOf(answer.head.headers)
  return contentOf(runThrough(tools.read({ mediaType: type, charset, bytes })), payloadDigest(answer), () => '')
}
