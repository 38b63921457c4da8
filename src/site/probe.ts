/**
 * One polite question: what does the site say of a name that cannot exist? An honest one answers 404; one that answers 200
 * has shown what its error pages look like. Asked at most once a site, when the detectors want to know.
 */
import { hash64 } from '../base/digest.ts'
import { learnProbe } from '../hazards/detect.ts'
import { isReadable } from '../page/reading.ts'
import type { Want } from '../visit/exchange.ts'
import { decodeContent } from '../web/http/decode.ts'
import { headerOf } from '../web/http/headers.ts'
import { parseMediaType } from '../web/http/media-type.ts'
import type { Robots } from '../web/robots/robots.ts'
import { payloadDigest } from '../web/warc/payload.ts'
import { type Asking, ask } from './ask.ts'
import { contentOf } from './beware.ts'
import type { Reporter } from './reporter.ts'
import { heard } from './rules-for.ts'
import type { SiteTools } from './tools.ts'

const MOST_BYTES = 256 * 1024

/** Letters from the site's name: nobody has such a page, and the same site is asked for the same one. */
export function absurdPath(site: string): string {
  const letters = hash64(`missing ${site}`).toString(36)
  return `/no-such-page-${letters}.html`
}

export async function probeMissing(
  near: string,
  robots: Robots,
  reporter: Reporter,
  asking: Asking,
  tools: SiteTools,
): Promise<void> {
  const path = absurdPath(asking.site)
  if (!robots.permits(path).yes) {
    reporter.remember(learnProbe(reporter.memory, { status: 0 }))
    return
  }
  const exchange = await ask(new URL(path, near).href, wantProbe, asking, tools)
  // Not asked: the visit ends. The detectors will want to know again.
  if (exchange === undefined || exchange.answer.kind === 'withheld') return
  await heard(exchange, reporter, tools)
  const { answer } = exchange
  if (answer.kind !== 'full' && answer.kind !== 'cut') {
    reporter.remember(learnProbe(reporter.memory, { status: 0 }))
    return
  }
  const { status, headers } = answer.head
  const { type, charset } = parseMediaType(headerOf(headers, 'content-type'))
  if (status < 200 || status > 299 || !(type === '' || isReadable(type))) {
    reporter.remember(learnProbe(reporter.memory, { status }))
    return
  }
  const limit = { bytes: MOST_BYTES, ratio: tools.decode.ratio }
  const { bytes } = decodeContent(answer.payload, headerOf(headers, 'content-encoding'), limit)
  const reading = tools.read({ mediaType: type, charset, bytes })
  reporter.remember(learnProbe(reporter.memory, { status, content: contentOf(reading, payloadDigest(answer)), path }))
}

function wantProbe(): Want {
  return { download: true, limitBytes: MOST_BYTES }
}
