/**
 * One polite question: what does the site say of a name that cannot exist? An honest one answers 404; one that answers 200
 * has shown what its error pages look like, also one that moves the reader to a page about the missing name. Asked at most
 * once a site, when the detectors want to know.
 */

import { hash64 } from '../base/digest.ts'
import { runThrough } from '../base/stretches.ts'
import type { Body, Head, Want } from '../contracts/exchange.ts'
import { isReadable } from '../page/reading.ts'
import { decodeContent } from '../web/http/decode.ts'
import { headerOf, parseMediaType } from '../web/http/headers.ts'
import type { Robots } from '../web/robots/robots.ts'
import { normalPath } from '../web/url/web-url.ts'
import { payloadDigest } from '../web/warc/http-block.ts'
import { type Asking, ask } from './ask.ts'
import { watched } from './ask-for.ts'
import { learnProbe } from './hazards/detect.ts'
import type { PageFacts } from './hazards/page-facts.ts'
import { redirectTarget } from './page-facts.ts'
import { contentOf } from './report-hazards.ts'
import { schemeOf } from './robots.ts'
import { heard, ownRequestOf } from './rules-for.ts'
import type { ScreenTools } from './screen.ts'
import type { SiteTools } from './tools.ts'

const MAX_BYTES = 256 * 1024
const MAX_HOPS = 2

/** Letters from the site's name: nobody has such a page, and the same site is asked for the same one. */
export function absurdPath(site: string): string {
  const letters = hash64(`missing ${site}`).toString(36)
  return `/no-such-page-${letters}.html`
}

export async function probeMissing(
  near: string,
  robots: Robots,
  asking: Asking,
  tools: { site: SiteTools; screen: ScreenTools },
): Promise<void> {
  const { site, screen } = tools
  const { reporter } = screen
  const learn = (answer: Parameters<typeof learnProbe>[1]) => reporter.remember(learnProbe(reporter.memory, answer))
  const name = absurdPath(asking.site)
  let url = site.urls.parse(new URL(name, near).href)
  for (let hops = 0; ; hops++) {
    // Like a sitemap it is no page of the collection: it need not lie where those are wanted, but black lists hold.
    if (url === undefined || !robots.permits(url.path).yes || !screen.scope.judgeSitemap(url).yes) {
      learn({ status: 0 })
      return
    }
    const exchange = await ask(url.href, wantProbe, asking, site)
    // Not asked: the visit ends. The detectors have noted that it was: rather never than twice.
    if (exchange === undefined || exchange.answer.kind === 'withheld') return
    await heard(exchange, reporter, site)
    const { answer } = exchange
    const isAnswer = answer.kind === 'full' || answer.kind === 'cut'
    learn({ status: isAnswer ? answer.head.status : 0 })
    // That it was asked for outlives us, should its reading never end; and so does what the site asks for.
    await site.durable(reporter)
    if (!isAnswer) return
    const target = redirectTarget(answer.head, url.href, site.urls)
    // An error page of its own for each name that is missing. One page for all of them is asked for once, and may be a real one.
    const isNamed = target?.site === asking.site && target.href.includes(name.slice(1))
    // The other scheme has rules of its own, which may not have been read.
    if (isNamed && schemeOf(target.href) === schemeOf(url.href) && hops < MAX_HOPS) {
      url = target
      continue
    }
    if (!isClaimedPage(answer.head)) return
    const limit = { bytes: MAX_BYTES, ratio: site.decode.ratio }
    const { bytes } = await decodeContent(answer.payload, headerOf(answer.head.headers, 'content-encoding'), limit)
    const content = watched(ownRequestOf(exchange, site), tools, () => contentOfProbe(answer, bytes, site))
    if (content !== undefined) learn({ status: answer.head.status, content, path: normalPath(url) })
    return
  }
}

function isClaimedPage({ status, headers }: Head): boolean {
  const { type } = parseMediaType(headerOf(headers, 'content-type'))
  return status >= 200 && status <= 299 && (type === '' || isReadable(type))
}

/** Undefined when reading it threw: a bug of ours that costs this answer only (V6). */
function contentOfProbe(answer: Body, bytes: Uint8Array, tools: SiteTools): PageFacts['content'] {
  const { headers } = answer.head
  const { type, charset } = parseMediaType(headerOf(headers, 'content-type'))
  try {
    return contentOf(runThrough(tools.read({ mediaType: type, charset, bytes })), payloadDigest(answer), () => '')
  } catch (error) {
    tools.journal.tell({ kind: 'trouble', what: `reading what is missing: ${String(error).slice(0, 200)}` })
    return undefined
  }
}

function wantProbe(): Want {
  return { download: true, limitBytes: MAX_BYTES }
}
