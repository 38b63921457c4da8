/**
 * Requests a page that cannot exist, to see how the site says that a page is missing. An honest site answers 404; one that
 * answers 200, or redirects to a page about the missing name, has shown its error page. At most once per site, when the
 * detectors want to know.
 */

import { hash64 } from '../base/digest.ts'
import { runThrough } from '../base/stretches.ts'
import type { Body, Head, Want } from '../contracts/exchange.ts'
import type { SiteName } from '../contracts/visit.ts'
import { isReadable, type Reading } from '../page/reading.ts'
import { mediaTypeOf } from '../web/http/headers.ts'
import type { Robots } from '../web/robots/robots.ts'
import { normalPath } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { decoded, redirectTarget, unlessBroken, watched } from './answers.ts'
import { learnProbe } from './hazards/detect.ts'
import { type Invention, learnInvention, learnMissing } from './hazards/invented.ts'
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

/** Requests a name that cannot exist among others of its kind, once per kind: a machine has a page for any name. */
export async function checkInvention(
  invention: Invention,
  near: string,
  robots: Robots,
  connection: SiteConnection,
  tools: { site: SiteTools; state: VisitState },
): Promise<void> {
  const { site, state } = tools
  const { reporter, local } = state
  const url = site.urls.parse(new URL(invention.path, near).href)
  if (url === undefined || !robots.permits(url.path).allowed || !state.scope.judgeSitemap(url).yes) return
  const exchange = await request(url.href, () => WANT, connection, site)
  if (exchange === undefined || exchange.answer.kind === 'withheld') return
  await recordOwnRequest(exchange, reporter, site)
  // Durable before the answer is read, in case its reading never ends.
  await site.durable(reporter)
  const { answer } = exchange
  if (answer.kind === 'failed') return
  if (answer.head.status === 404 || answer.head.status === 410) {
    learnMissing(reporter.traps, invention)
    reporter.trapsChanged()
    return
  }
  if ((answer.kind !== 'full' && answer.kind !== 'cut') || !isClaimedPage(answer.head)) return
  const { bytes } = await decoded(answer, MAX_BYTES)
  const read = () => readingOf(answer, bytes, site)
  const reading = await unlessBroken('reading the answer for an invented name', site, () =>
    watched(ownRequestOf(exchange, site.urls), tools, read),
  )
  if (reading === undefined) return
  const resolve = site.urls.resolver(url.href)
  const fresh = reading.links.slice(0, MAX_LINKS).flatMap(({ href, kind }) => {
    const found = kind === 'embed' ? undefined : resolve(href)
    const isOwn = found?.kind === 'url' && found.url.site === connection.site
    return isOwn && local.isFresh(found.url.key) ? [normalPath(found.url)] : []
  })
  const content = contentOf(reading, payloadDigest(answer), () => '')!
  learnInvention(reporter.traps, invention, { path: normalPath(url), content, fresh }, exchange.answeredAt)
  reporter.trapsChanged()
}

const MAX_LINKS = 200

function isClaimedPage({ status, headers }: Head): boolean {
  const { type } = mediaTypeOf(headers)
  return status >= 200 && status <= 299 && (type === '' || isReadable(type))
}

function contentOfAnswer(answer: Body, bytes: Uint8Array, tools: ReadingTools): PageFacts['content'] {
  return contentOf(readingOf(answer, bytes, tools), payloadDigest(answer), () => '')
}

function readingOf({ head }: Body, bytes: Uint8Array, tools: ReadingTools): Reading {
  const { type, charset } = mediaTypeOf(head.headers)
  return runThrough(tools.read({ mediaType: type, charset, bytes }))
}
