/** What a look found changed since the one before it (`page/change/sketch.ts`), and what the site's pages have shown of it. */
import type { Instant } from '../base/clock.ts'
import type { Stretches } from '../base/stretches.ts'
import type { Change } from '../contracts/change.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, PageMemory } from '../contracts/visit.ts'
import type { PageLines } from '../page/change/lines.ts'
import type { RegionRules } from '../page/change/region-rules.ts'
import type { OnSite } from '../page/change/regions.ts'
import { compareSketch, type Sketched, sketchOf } from '../page/change/sketch.ts'
import type { Came, SlotNews } from '../page/change/slots.ts'
import type { Reading } from '../page/reading.ts'
import type { AnswerContent } from './answers.ts'
import type { PageLink } from './follow-links.ts'
import type { Reporter } from './reporter.ts'

/** A slot is volatile on all pages of a site when so many have shown it; if words change in it, when no more have shown the opposite. */
const PAGES = 3
const MAX_SLOTS = 32
/** Lines that came lately, on any page. */
const MAX_CAME = 64
/** If words changed on this share of them, they may change on all. */
const WORDS = 1 / 4
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
    // The same bytes were read again: the existing sketch knows more.
    const isSame = before?.digest === memory.digest && before.sketch !== undefined
    return { memory: isSame ? memory : anew() }
  }
  if (before.textDigest === NO_TEXT) return { memory: anew(), change: { class: 'binary' } }
  const isSameText = before.textDigest === memory.textDigest
  const lines = isSameText ? undefined : (ruled ?? (yield* content.lines(undefined)))
  const compared =
    before.sketch &&
    compareSketch(before.sketch, {
      now,
      isSameText: isSameText || ruled?.isPartial === true,
      looks: before.looks ?? 0,
      since: at - (before.lookedAt ?? 0),
      page: lines?.byHash ?? new Map(),
      boxes: lines?.boxes ?? [],
      onSite: (slot) => slotOnSite(reporter.memory, slot),
      cameOnSite: (line, title) => cameOnSite(reporter.memory, line, title),
    })
  if (!compared) return { memory: anew(), change: isSameText ? { class: 'markup' } : undefined }
  const { sketch, news, came, ...change } = compared
  if (news.length > 0 || came.length > 0) reporter.remember(withSlots(reporter.memory, news, came))
  const isIgnored = change.class === 'markup' && !isSameText && ruled?.isPartial === true
  return { memory: { ...memory, sketch }, change: isIgnored ? { class: 'volatile', place: 'what is ignored' } : change }
}

function sketched({ signature, title }: Reading, ruled: PageLines | undefined, links: readonly PageLink[]): Sketched {
  const { lines, minima } = signature
  let set = 0
  for (const { url, first } of links) if (first) set = (set + Number(url.key & 0xffffffn)) & 0xffffff
  return { lines: ruled?.hashes ?? lines, minima: ruled?.minima ?? minima, title: ruled?.title ?? title, links: set }
}

/** Undefined: it is not known to be volatile. */
export function slotOnSite({ slots }: SiteMemory, name: number): OnSite {
  const known = slots?.find((one) => one.name === name)
  if (known === undefined) return undefined
  const { words, numbers, stayed, shared = 0 } = known
  const again = timesOf(known)
  if (again >= Math.max(PAGES, stayed)) {
    if (shared >= PAGES) return 'shared'
    if (words + shared >= WORDS * again) return 'words'
  }
  // A time stamp stays while nothing is published.
  return numbers >= PAGES ? 'numbers' : undefined
}

export function cameOnSite({ came }: SiteMemory, line: number, title: number): boolean {
  return came?.some(([one, of]) => one === line && of !== title) === true
}

/** Of those that most pages have shown, and of these the latest, the most are kept. */
export function withSlots(memory: SiteMemory, news: readonly SlotNews[], came: readonly Came[]): SiteMemory {
  const slots = new Map(memory.slots?.map((one) => [one.name, one]))
  for (const { name, what, lines } of news) {
    const { lines: before = [], ...known } = slots.get(name) ?? { name, words: 0, numbers: 0, stayed: 0 }
    // The part that stays belongs to each page, not to the template.
    const kind = isOwnText(before, lines) ? 'stayed' : what
    slots.delete(name)
    slots.set(name, { ...known, [kind]: (known[kind] ?? 0) + 1, lines: lines.length > 0 ? lines : before })
  }
  const all = [...slots.values()].reverse()
  all.sort((a, b) => timesOf(b) - timesOf(a))
  const lines = new Set(came.map(([line]) => line))
  const latest = [...came, ...(memory.came ?? []).filter(([line]) => !lines.has(line))]
  return { ...memory, slots: all.slice(0, MAX_SLOTS), came: latest.slice(0, MAX_CAME) }
}

type KnownSlot = NonNullable<SiteMemory['slots']>[number]

/** Pages on which it changed by itself. */
const timesOf = ({ words, numbers, shared = 0 }: KnownSlot) => words + numbers + shared

/** Of two samples, the smallest of each: up to the largest that both could have. */
function isOwnText(before: readonly number[], now: readonly number[]): boolean {
  if (before.length === 0 || now.length === 0) return false
  const common = now.filter((line) => before.includes(line)).length
  return 2 * common < Math.min(before.length, now.length)
}
