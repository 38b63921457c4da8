/**
 * What an answer's bytes say. They are read as what they are, whatever the server declares (V14). A page whose reading
 * throws costs that page only (V6); one that never returns is the watch's to notice.
 */
import type { Stretches } from '../base/stretches.ts'
import type { Body } from '../contracts/exchange.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import { howToRead, isReadable, type Reading } from '../page/reading.ts'
import type { Decoded } from '../web/http/decode.ts'
import { headerOf, parseMediaType } from '../web/http/headers.ts'
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
  /** Its text, read again while the bytes are there: hardly ever asked for. */
  text(): string
}

/** Rests between the parts of a page that is long, and between the links of one that has very many. */
export function* readAnswer(
  item: AgendaItem,
  body: Body,
  decoded: Decoded,
  declared: string,
  { site, screen }: { site: SiteTools; screen: ScreenTools },
): Stretches<Understood> {
  const { headers } = body.head
  const notes: string[] = []
  const unread = (reading: 'failed' | undefined, sniffed?: string): Understood => {
    return {
      reading,
      sniffed,
      directives: directivesOf(headers, undefined, site.token),
      links: [],
      notes,
      text: noText,
    }
  }
  const { bytes, cut, trouble } = decoded
  if (trouble !== undefined) notes.push(`coding:${trouble}`)
  // Nobody knows what these bytes are: they are kept as they came, and not read as a page.
  if (trouble === 'unknown' || trouble === 'too-many') return unread(undefined)
  try {
    // Documents of other kinds are not read; but a page may hide behind their type.
    if (declared !== '' && !isReadable(declared)) {
      const { as, sniffed } = howToRead(declared, bytes.subarray(0, SNIFFED_BYTES))
      if (sniffed !== undefined) notes.push(`sniff:${sniffed}`)
      if (as === 'none') return unread(undefined, sniffed)
    }
    const { charset } = parseMediaType(headerOf(headers, 'content-type'))
    const reading = yield* site.read({ mediaType: declared, charset, bytes })
    const text = () => site.readText({ mediaType: declared, charset, bytes }, 'own')
    if (reading.sniffed !== undefined && !notes.some((note) => note.startsWith('sniff:')))
      notes.push(`sniff:${reading.sniffed}`)
    if (cut) notes.push('decodedTrunc')
    for (const trouble of reading.troubles) {
      notes.push(trouble)
      screen.reporter.tally.add(`trouble:${trouble}`)
    }
    const resolve = site.urls.resolver(baseOf(reading, item.url), reading.charset)
    const links = yield* resolveLinks(reading.links, resolve, screen.reporter.tally)
    const directives = directivesOf(headers, reading, site.token)
    return { reading, sniffed: reading.sniffed, directives, links, notes, text }
  } catch (error) {
    site.journal.tell({ kind: 'trouble', what: `reading ${item.url}: ${String(error).slice(0, 200)}` })
    return unread('failed')
  }
}

const noText = () => ''

/** Enough of a body to see what it is. */
const SNIFFED_BYTES = 4096
