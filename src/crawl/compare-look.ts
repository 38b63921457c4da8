/** What a look found changed since the one before it (`page/change/sketch.ts`), and what the site's pages have shown of it. */
import type { Instant } from '../base/clock.ts'
import type { Stretches } from '../base/stretches.ts'
import type { Change } from '../contracts/change.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, PageMemory } from '../contracts/visit.ts'
import type { PageLines } from '../page/change/lines.ts'
import type { RegionRules } from '../page/change/region-rules.ts'
import { compareSketch, type Sketched, sketchOf } from '../page/change/sketch.ts'
import type { Reading } from '../page/reading.ts'
import type { AnswerContent } from './answers.ts'
import type { PageLink } from './follow-links.ts'
import type { Reporter } from './reporter.ts'

/** A place is volatile on all pages of a site when so many have shown it, in so many places at most. */
const PAGES = 3
const MAX_PLACES = 32
/** The text digest of what is not read: a sketch is of an earlier look then. */
const NO_TEXT = 0n

interface Found {
  /** With the sketch that the next look is compared with. */
  memory: PageMemory
  /** Undefined: it is the first look, or the same, or the look before left nothing to compare with. */
  change?: Change
}

/** `at`: when the page was requested. `rules`: the operator's, for its site. */
export function* compareLook(
  item: AgendaItem,
  memory: PageMemory,
  content: AnswerContent,
  at: Instant,
  reporter: Reporter,
  rules: RegionRules | undefined,
): Stretches<Found> {
  const { reading } = content
  const isChanged = item.before?.was === 'kept' && item.before.digest !== memory.digest
  if (reading === undefined || reading === 'failed' || reading.as === 'none')
    return isChanged ? { memory, change: { class: 'binary' } } : { memory }
  // The lines that a reading has include what is ignored.
  const ruled = rules && (yield* content.lines(rules))
  const now = sketched(reading, ruled, content.links)
  const { before } = item
  const anew = () => ({ ...memory, sketch: sketchOf(now, (before?.looks ?? 0) + 1) })
  if (before === undefined || !isChanged) {
    // The same bytes, read again: the sketch that is there knows more.
    const isSame = before?.digest === memory.digest && before.sketch !== undefined
    return { memory: isSame ? memory : anew() }
  }
  if (before.textDigest === NO_TEXT) return { memory: anew(), change: { class: 'binary' } }
  const isSameText = before.textDigest === memory.textDigest
  const compared =
    before.sketch &&
    compareSketch(before.sketch, {
      now,
      isSameText: isSameText || ruled?.isPartial === true,
      looks: before.looks ?? 0,
      since: at - (before.lookedAt ?? 0),
      page: isSameText ? new Map() : (ruled ?? (yield* content.lines(undefined))).byHash,
      isVolatileOnSite: (place) => isVolatile(reporter.memory, place),
    })
  if (!compared) return { memory: anew(), change: isSameText ? { class: 'markup' } : undefined }
  const { sketch, learnt, ...change } = compared
  if (learnt.length > 0) reporter.remember(withVolatile(reporter.memory, learnt))
  const isIgnored = change.class === 'markup' && !isSameText && ruled?.isPartial === true
  return { memory: { ...memory, sketch }, change: isIgnored ? { class: 'volatile', place: 'what is ignored' } : change }
}

function sketched({ signature, title }: Reading, ruled: PageLines | undefined, links: readonly PageLink[]): Sketched {
  const { lines, minima } = signature
  let set = 0
  for (const { url, first } of links) if (first) set = (set + Number(url.key & 0xffffffn)) & 0xffffff
  return { lines: ruled?.hashes ?? lines, minima: ruled?.minima ?? minima, title: ruled?.title ?? title, links: set }
}

export function isVolatile({ volatile }: SiteMemory, place: number): boolean {
  return volatile?.some((one) => one.place === place && one.pages >= PAGES) ?? false
}

/** The places that most pages have shown stay. */
export function withVolatile(memory: SiteMemory, learnt: readonly number[]): SiteMemory {
  const pages = new Map(memory.volatile?.map((one) => [one.place, one.pages]))
  for (const place of learnt) {
    const count = (pages.get(place) ?? 0) + 1
    pages.delete(place)
    pages.set(place, count)
  }
  // Of places that as many pages have shown, the latest come first.
  const volatile = [...pages].map(([place, count]) => ({ place, pages: count })).reverse()
  volatile.sort((a, b) => b.pages - a.pages)
  return { ...memory, volatile: volatile.slice(0, MAX_PLACES) }
}
