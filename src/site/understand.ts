/**
 * What an answer's bytes say. They are read as what they are, whatever the server declares (V14). A page whose reading
 * throws costs that page only (V6); one that never returns is the watch's to notice.
 */
import { howToRead, isReadable, type Reading } from '../page/reading.ts'
import type { Body } from '../visit/exchange.ts'
import type { AgendaItem } from '../visit/visit.ts'
import { decodeContent } from '../web/http/decode.ts'
import { headerOf } from '../web/http/headers.ts'
import { parseMediaType } from '../web/http/media-type.ts'
import type { Directives } from '../web/robots/directives.ts'
import { baseOf, directivesOf } from './page-facts.ts'
import { type PageLink, resolveLinks, type ScreenTools } from './screen.ts'
import type { SiteTools } from './tools.ts'

export interface Understood {
  /** Undefined: of a kind that is not read. */
  reading: Reading | 'failed' | undefined
  /** What the bytes are, when that is not what was declared, or nothing was. */
  sniffed?: string
  directives: Directives
  links: PageLink[]
  /** Remarks for the log: what was wrong with it. */
  notes: string[]
  /** Its text, read again: hardly ever asked for. */
  text(): string
}

const noText = () => ''

/** Enough of a body to see what it is. */
const SNIFFED_BYTES = 4096

export function understand(
  item: AgendaItem,
  body: Body,
  declared: string,
  { site, screen }: { site: SiteTools; screen: ScreenTools },
): Understood {
  const { headers } = body.head
  const coding = headerOf(headers, 'content-encoding')
  const notes: string[] = []
  try {
    // Documents of other kinds are large and not read; but a page may hide behind their type.
    if (declared !== '' && !isReadable(declared)) {
      const { bytes } = decodeContent(body.payload, coding, { bytes: SNIFFED_BYTES, ratio: site.decode.ratio })
      const { as, sniffed } = howToRead(declared, bytes)
      if (sniffed !== undefined) notes.push(`sniff:${sniffed}`)
      if (as === 'none') {
        return {
          reading: undefined,
          sniffed,
          directives: directivesOf(headers, undefined, site.token),
          links: [],
          notes,
          text: noText,
        }
      }
    }
    const limit = { bytes: screen.scope.limitFor(declared), ratio: site.decode.ratio }
    const { bytes, cut, letGo } = decodeContent(body.payload, coding, limit)
    const { charset } = parseMediaType(headerOf(headers, 'content-type'))
    const reading = site.read({ mediaType: declared, charset, bytes })
    const text = () => {
      const decoded = decodeContent(body.payload, coding, limit)
      const again = site.readText({ mediaType: declared, charset, bytes: decoded.bytes })
      decoded.letGo?.()
      return again
    }
    letGo?.()
    if (reading.sniffed !== undefined && notes.length === 0) notes.push(`sniff:${reading.sniffed}`)
    if (cut) notes.push('decodedTrunc')
    for (const trouble of reading.troubles) {
      notes.push(trouble)
      screen.reporter.tally.add(`trouble:${trouble}`)
    }
    const resolve = site.urls.resolver(baseOf(reading, item.url), reading.charset)
    const links = resolveLinks(reading.links, resolve, screen.reporter.tally)
    const directives = directivesOf(headers, reading, site.token)
    return { reading, sniffed: reading.sniffed, directives, links, notes, text }
  } catch (error) {
    site.journal.tell({ kind: 'trouble', what: `reading ${item.url}: ${String(error).slice(0, 200)}` })
    const directives = directivesOf(headers, undefined, site.token)
    return { reading: 'failed', directives, links: [], notes, text: noText }
  }
}
