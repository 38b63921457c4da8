/**
 * Names that cannot exist. Growth, likeness and links that never meet make a trap only if there is no end to it, and the site can
 * be asked. A library that keeps its pages has none of an invented name: it answers 404, or what it gives for any missing page. A
 * machine answers with one more page of the kind, which leads to others. One request per form of URLs, a few per site.
 */
import type { Instant } from '../../base/clock.ts'
import { contentOf } from './content.ts'
import { shapeOf } from './drift.ts'
import { type Family, shorten } from './family.ts'
import { mark, mix, ones } from './marks.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { isSoft404 } from './soft-404.ts'
import { addSuspect, isCovered } from './suspects.ts'

/** Pages of the form, of which four in five lead to fresh ones. */
const MIN_PAGES = 60
/** Names asked for on one site. */
const MAX_NAMES = 8
/** Fresh links of the form on the page for the invented name, and bits in which its tags may differ. */
const MIN_FRESH = 2
const MAX_BITS = 6

/** What to ask for. */
export interface Invention {
  path: string
  /** The form of its URL, or its shape (`drift.ts`). */
  kind: string
  /** Of one of its pages. */
  tags: bigint
}

export const kindOfShape = (path: string) => `shape ${shapeOf(path)}`

/** Asks once per kind. */
export function inventionFor(
  traps: OpenTraps,
  kind: string,
  page: PageFacts,
  pattern: UrlPattern,
): Invention | undefined {
  const one = mark(kind)
  if (page.content === undefined || traps.invented.includes(one) || traps.invented.length >= MAX_NAMES) return undefined
  const path = inventedPath(page.path, pattern)
  if (path === undefined) return undefined
  traps.invented = [...traps.invented, one]
  return { path, kind, tags: page.content.tags }
}

/** Its last part stands for any name. */
const hasNames = (form: string) => /[{*][^/]*\/?$/.test(form)

/** It has grown for long, and its pages have names, not numbers. */
export function isGrowing({ pages, growing, fresh, pattern }: Family, { names }: UrlPattern): boolean {
  if (pages < MIN_PAGES || growing * 5 < pages * 4 || fresh < pages || names.length > 0) return false
  return hasNames(pattern)
}

/** No invented name of the kind exists, so it ends, however many pages it has. */
export function isLibrary({ libraries }: OpenTraps, kind: string): boolean {
  return libraries.length > 0 && libraries.includes(mark(kind))
}

/**
 * A library of this form would contradict the finding, which is about the form or its folders. URLs with a parameter may still be
 * versions of few pages.
 */
export function isDoubted({ pattern, proof }: { pattern: string; proof: string }, form: string): boolean {
  if ((proof !== 'growth' && proof !== 'text') || form.includes('?')) return false
  return pattern === form || (pattern.endsWith('/**') && form.startsWith(pattern.slice(0, -2)))
}

const PARAMETER = /^([^?]*\?[^=&?]+=)([^=&?]*)$/
const LEAF = /^(.*\/)([^/]*?)((?:\.[a-z]{1,5})?\/?)$/
const ONE_NUMBER = /^(\D*)(\d{1,10})(\D*)$/
/** Years and dates have a valid form. */
const DATE = /^(?:19|20)\d\d(?:\d{4})?$/

/** Behind the number of a page: few sites have so many pages, and a machine does not count them. */
const MORE_DIGITS = '90713'
/** From so many digits on, few of the numbers of a library have a page. */
const LONG = 6
/** Shorter names are lengthened: a few letters may well be a page. */
const MIN_LETTERS = 12

/** Its path with a name that cannot exist in place of its own; undefined if the answer would prove nothing. */
function inventedPath(path: string, { form }: UrlPattern): string | undefined {
  const [, folder, name, after = ''] = (path.includes('?') ? PARAMETER : LEAF).exec(path) ?? []
  // Several numbers may be a date, or a date and a name: some are none. What differs may be the number of a folder.
  if (folder === undefined || name === '' || /\d/.test(folder)) return undefined
  if (!/\d/.test(name)) return hasNames(form) ? folder + scrambled(name) + after : undefined
  const [, start, digits, end] = ONE_NUMBER.exec(name) ?? []
  if (digits === undefined || DATE.test(digits)) return undefined
  // Numbers of telephones have all the same length, and begin alike.
  const half = digits.length >> 1
  const other = digits.length < LONG ? digits + MORE_DIGITS : digits.slice(0, -half) + otherDigits(digits.slice(-half))
  return folder + start + other + end + after
}

/** Other letters, the same punctuation: some machines want names of a certain look. No language has such words. */
function scrambled(name: string): string {
  let seed = mark(name)
  const letter = () => {
    seed = mix(seed)
    return 'bcdfghjklmnpqrstvwxz'[seed % 20]
  }
  const letters = name.replaceAll(/%[\da-f]{2}|[^\W_]/gi, letter)
  return letters + Array.from({ length: Math.max(0, MIN_LETTERS - letters.length) }, letter).join('')
}

const otherDigits = (digits: string) =>
  String(mix(mark(digits)))
    .padStart(10, '7')
    .slice(-digits.length)

/** The site says that there is no such page. */
export function learnMissing(traps: OpenTraps, { kind }: Invention): void {
  traps.libraries = [...traps.libraries, mark(kind)]
  const rest = traps.suspects.filter((one) => one.stopped || one.isConfirmed || !isDoubted(one, kind))
  if (rest.length < traps.suspects.length) traps.suspects = rest
}

/** `fresh`: paths of unknown pages to which the page for the invented name leads. */
export function learnInvention(
  traps: OpenTraps,
  invention: Invention,
  answer: { path: string; content: NonNullable<PageFacts['content']>; fresh: readonly string[] },
  at: Instant,
): void {
  if (isSoft404(traps.probe, answer, contentOf(answer.content))) {
    learnMissing(traps, invention)
    return
  }
  const { kind, tags } = invention
  const apart = BigInt.asUintN(64, tags ^ answer.content.tags)
  const bits = ones(Number(apart & 0xffffffffn)) + ones(Number(apart >> 32n))
  const more = answer.fresh.filter((path) => patternOf(path).form === kind).length
  // A number may well have a page.
  const isName = !/\d/.test(answer.path.slice(answer.path.lastIndexOf('/')))
  if (!isName || bits > MAX_BITS || more < MIN_FRESH || isCovered(kind, traps.suspects)) return
  const evidence = `a name that cannot exist was answered with a page of this kind, which leads to ${more} more of them`
  const finding = {
    rule: 'maze',
    proof: 'invented',
    pattern: kind,
    evidence,
    examples: [shorten(answer.path)],
  } as const
  traps.suspects = addSuspect(traps.suspects, finding, at, undefined) ?? traps.suspects
}
