/** The patterns of a site that are on trial or stopped: add, match, merge. */
import type { Instant } from '../../base/clock.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { shorten } from './family.ts'
import { wordsOf } from './few-words.ts'
import type { PatternFinding } from './finding.ts'
import { mark } from './marks.ts'
import { nameOf, parametersOf, patternOf, repeatsIn, type UrlPattern } from './pattern.ts'
import { firstSample, trialFor } from './trial.ts'

const LONGEST_EVIDENCE = 170

type Matches = (path: string, pattern: () => UrlPattern) => boolean

/** Patterns are stored as text; their matchers are compiled once per list. */
const compiled = new WeakMap<readonly SuspectPattern[], Matches[]>()

/** The first pattern that the URL belongs to, ignoring trusted rules. */
export function findSuspect(
  suspects: readonly SuspectPattern[],
  path: string,
  trusted: (rule: string) => boolean,
): SuspectPattern | undefined {
  if (suspects.length === 0) return undefined
  const matches = compiledOf(suspects)
  let read: UrlPattern | undefined
  const pattern = () => (read ??= patternOf(path))
  for (let at = 0; at < suspects.length; at++) {
    if (matches[at](path, pattern) && !trusted(suspects[at].rule)) return suspects[at]
  }
  return undefined
}

function compiledOf(suspects: readonly SuspectPattern[]): Matches[] {
  let matches = compiled.get(suspects)
  if (matches === undefined) {
    matches = suspects.map(({ pattern, folders, usual }) =>
      pattern === TWO_IN_THEMSELVES ? hasTwoOf(foldersInThemselves(suspects)) : compile(pattern, folders, usual),
    )
    compiled.set(suspects, matches)
  }
  return matches
}

/** Where several folders are found in themselves, any two in a path are there for no other reason. */
export const TWO_IN_THEMSELVES = '/** with 2 folders in themselves'

/** The names of folders that were stopped for that. */
function foldersInThemselves(suspects: readonly SuspectPattern[]): ReadonlySet<string> {
  const stopped = suspects.filter(({ rule, stopped }) => rule === 'folder-in-itself' && stopped)
  return new Set(stopped.flatMap(({ pattern }) => /([^/]+)\/\*\*$/.exec(pattern)?.[1] ?? []))
}

const MIN_IN_THEMSELVES = 4

export function judgeFolders(suspects: readonly SuspectPattern[], path: string): PatternFinding | undefined {
  const folders = foldersInThemselves(suspects).size
  if (folders < MIN_IN_THEMSELVES) return undefined
  const evidence = `${folders} folders of the site are links to folders above them`
  return { rule: 'folder-in-itself', proof: 'alias', pattern: TWO_IN_THEMSELVES, evidence, examples: [shorten(path)] }
}

function hasTwoOf(names: ReadonlySet<string>): Matches {
  return (path) => {
    const folders = path.split('?', 1)[0].split('/', MAX_FOLDERS).slice(0, -1)
    return folders.filter((one) => names.has(one)).length > 1
  }
}

export function isOfPattern(pattern: string, path: string): boolean {
  return compile(pattern)(path, () => patternOf(path))
}

/**
 * The URL is offspring of the pattern: no page outside lists it, except pages of another suspect pattern. Aliases and
 * missing pages are always offspring.
 */
export function isOffspring(
  suspect: SuspectPattern,
  { generation, via }: { generation: number; via?: string },
  suspects: readonly SuspectPattern[],
): boolean {
  return ignoresReferrer(suspect) || generation > 0 || isNamedBySuspect(via, suspects)
}

/**
 * The same for holding back: URLs listed by a pattern still on trial are not held back, since nothing would bring them
 * back when it is cleared.
 */
export function isHeldOffspring(
  suspect: SuspectPattern,
  { generation, via }: { generation: number; via?: string },
  suspects: readonly SuspectPattern[],
): boolean {
  return ignoresReferrer(suspect) || generation > 0 || namedBy(via, suspects)?.stopped === true
}

/** Its URLs are offspring no matter which page lists them. */
export function ignoresReferrer({ proof }: SuspectPattern): boolean {
  return proof === 'alias' || proof === 'missing' || proof === 'invented'
}

/** Listings on pages of a suspect pattern don't count. */
export function isNamedBySuspect(via: string | undefined, suspects: readonly SuspectPattern[]): boolean {
  return namedBy(via, suspects) !== undefined
}

function namedBy(via: string | undefined, suspects: readonly SuspectPattern[]): SuspectPattern | undefined {
  return via === undefined ? undefined : findSuspect(suspects, via, () => false)
}

/** The base of a parameter that makes no difference on the whole site. */
export const ANYWHERE = '/**'

const REPEATED = /^(.*)\/\*\* with (\d+) segments repeated$/
const FEW_WORDS = /^(.*) of (\d+) words or more$/
const IDLE = /^(.*)\?([^?=&{}]*)=([^?=&{}]*)&\*\*$/
const COMBINED = /^(.*)\?\{([^{}]*)\} two or more$/

function compile(text: string, folders?: readonly number[], usual?: string): Matches {
  const repeated = REPEATED.exec(text)
  if (repeated !== null) {
    const [, folder, min] = repeated
    return (path) => path.startsWith(`${folder}/`) && repeatsIn(path) >= Number(min)
  }
  const idle = IDLE.exec(text)
  if (idle !== null) {
    const [, base, name, value] = idle
    const anywhere = base === ANYWHERE
    return (path, pattern) =>
      path.includes('?') &&
      (anywhere || pattern().base === base) &&
      (value === '*'
        ? pattern().names.includes(name) && (usual === undefined || !has(path, name, usual))
        : parametersOf(path).some((one) => one.name === name && one.value === value))
  }
  const fewWords = FEW_WORDS.exec(text)
  if (fewWords !== null) {
    const [, wide, min] = fewWords
    const matches = compile(wide)
    return (path, pattern) =>
      matches(path, pattern) && wordsOf(path).filter((word) => !wide.includes(word)).length >= Number(min)
  }
  const combined = COMBINED.exec(text)
  if (combined !== null) {
    const [, base, list] = combined
    const names = new Set(list.split(','))
    return (path, pattern) =>
      path.includes('?') &&
      pattern().base === base &&
      parametersOf(path).filter(({ name }) => list === '*' || names.has(name)).length >= 2
  }
  if (text.endsWith('?**')) {
    const base = text.slice(0, -3)
    return (path, pattern) => path.includes('?') && pattern().base === base
  }
  const open = text.split('/').indexOf(ANY)
  if (open > 0) {
    const isLike = (form: string) => {
      const segments = form.split('/')
      if (segments.length <= open || (folders !== undefined && !folders.includes(mark(segments[open])))) return false
      return segments.with(open, ANY).join('/') === text
    }
    if (text.endsWith('/**')) return (_, pattern) => pattern().folders.some(isLike)
    return (_, pattern) => isLike(pattern().form) || isLike(pattern().base)
  }
  if (text.endsWith('/**')) return (_, pattern) => pattern().folders.includes(text)
  // Pages of a trap with parameters are part of it.
  return (_, pattern) => pattern().form === text || pattern().base === text
}

/** Anywhere in the query, however long that is. */
function has(path: string, name: string, value: string): boolean {
  const pieces = path.slice(path.indexOf('?') + 1).split('&')
  return pieces.some((piece) => {
    const [own] = piece.split('=', 1)
    return piece.slice(own.length + 1) === value && nameOf(own) === name
  })
}

/**
 * A URL with parameters that make no difference as it is spelled without them, or with their usual values:
 * that page may not be known yet. Undefined if it has none.
 */
export function withoutIdleParameters(suspects: readonly SuspectPattern[], path: string): string | undefined {
  const query = path.indexOf('?')
  if (query < 0) return undefined
  let pieces = path.slice(query + 1).split('&')
  const matches = compiledOf(suspects)
  let read: UrlPattern | undefined
  const pattern = () => (read ??= patternOf(path))
  let isChanged = false
  for (let at = 0; at < suspects.length; at++) {
    const { rule, stopped, usual, pattern: text } = suspects[at]
    // Two parameters that change together (from, to) may not be stopped at the same time.
    const isIdle = rule === IDLE_RULE && (stopped || usual !== undefined)
    const name = isIdle ? IDLE.exec(text)?.[2] : undefined
    if (name === undefined || !matches[at](path, pattern)) continue
    const plain = pieces.flatMap((piece) => {
      if (nameOf(piece.split('=', 1)[0]) !== name) return [piece]
      return usual === undefined ? [] : [`${piece.split('=', 1)[0]}=${usual}`]
    })
    isChanged ||= plain.join('&') !== pieces.join('&')
    pieces = plain
  }
  if (!isChanged) return undefined
  return pieces.length === 0 ? path.slice(0, query) : `${path.slice(0, query)}?${pieces.join('&')}`
}

const IDLE_RULE = 'idle-parameter'

/** A parameter that makes no difference on so many pages makes none on any. */
const BASES = 3

/** The pattern of a parameter, on any page if several have it. */
export function siteWide(pattern: string, suspects: readonly SuspectPattern[]): string {
  const [, base, name, value] = IDLE.exec(pattern) ?? []
  if (name === undefined || base === ANYWHERE) return pattern
  const others = suspects.filter((one) => IDLE.exec(one.pattern)?.[2] === name && one.pattern !== pattern)
  return others.length < BASES ? pattern : `${ANYWHERE}?${name}=${value}&**`
}

/** The parameter of such a pattern. */
export function idleName(pattern: string): string | undefined {
  return IDLE.exec(pattern)?.[2]
}

/** The home page and the whole site are never stopped as a pattern; the site's limits cover them. */
export function mayStop(pattern: string): boolean {
  return pattern !== '/' && pattern !== '/**' && pattern !== '/?**'
}

/** One of the others covers all its URLs: the same pattern, the parameter with any value, or on any page. */
export function isCovered(pattern: string, others: readonly { pattern: string }[]): boolean {
  const idle = IDLE.exec(pattern)
  return others.some((other) => {
    if (other.pattern === pattern || (idle && other.pattern === `${idle[1]}?**`)) return true
    const wide = idle && IDLE.exec(other.pattern)
    if (!wide || wide[2] !== idle[2]) return false
    return (wide[1] === ANYWHERE || wide[1] === idle[1]) && (wide[3] === '*' || wide[3] === idle[3])
  })
}

/** Undefined if there is no space for another trial now; the detector will find it again. */
export function addSuspect(
  suspects: readonly SuspectPattern[],
  { pattern, rule, proof, evidence, examples, usual }: PatternFinding,
  at: Instant,
  words: string | undefined,
): SuspectPattern[] | undefined {
  // A pattern that an operator confirmed stays: its URLs are not sampled again in the trial of a wider one.
  const others = suspects.filter((one) => one.isConfirmed || !isCovered(one.pattern, [{ pattern }]))
  // It takes over the URLs that other narrower patterns held back.
  const covered = suspects.filter((one) => !others.includes(one))
  const one: SuspectPattern = {
    pattern,
    rule,
    proof,
    evidence: evidence.slice(0, LONGEST_EVIDENCE),
    at,
    examples: [...examples],
    stopped: false,
    confirmed: 0,
    contradicted: 0,
    refused: covered.reduce((sum, { refused }) => sum + refused, 0),
    nextSample: 0,
    budget: trialFor(proof, rule, others),
  }
  // Pages with an idle parameter are compared with those without it, not by their words.
  if (words !== undefined && idleName(pattern) === undefined) one.words = words
  if (usual !== undefined) one.usual = usual
  return fitSuspects([...others, one])
}

/** Maximum size of all suspects, in characters of JSON; families need as much. */
const MAX_SIZE = 6_500

/**
 * Merges stopped patterns that differ in one folder name; then drops those that held back least. A running trial is
 * never dropped: if they fill the space, the new one waits.
 */
function fitSuspects(suspects: readonly SuspectPattern[]): SuspectPattern[] | undefined {
  let kept = [...suspects]
  while (sizeOfSuspects(kept) > MAX_SIZE) {
    const merged = merge(kept)
    if (merged !== undefined) {
      kept = merged
      continue
    }
    const stopped = kept.filter((one) => one.stopped)
    if (stopped.length === 0) return undefined
    // A pattern that an operator confirmed is removed last: if it were found again, it would be sampled until the next
    // visit.
    const unconfirmed = stopped.filter((one) => !one.isConfirmed)
    const idlest = (unconfirmed.length > 0 ? unconfirmed : stopped).reduce((a, b) => (b.refused < a.refused ? b : a))
    kept.splice(kept.indexOf(idlest), 1)
  }
  return kept
}

/** Stands for a folder name, one of those that the entry lists. */
const ANY = '{any}'
const MAX_FOLDERS = 200

/**
 * Merges the largest group of patterns that can be one. Otherwise forty calendars in forty folders would push each
 * other out.
 */
function merge(suspects: readonly SuspectPattern[]): SuspectPattern[] | undefined {
  const groups = new Map<string, { one: SuspectPattern; pattern: string; folders: readonly number[] }[]>()
  for (const one of suspects) {
    if (!one.stopped || one.isConfirmed) continue
    for (const { pattern, folders } of widened(one)) {
      const name = `${one.rule} ${one.proof} ${pattern}`
      groups.set(name, [...(groups.get(name) ?? []), { one, pattern, folders }])
    }
  }
  const group = [...groups.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
  if (group.length < 2) return undefined
  const [{ pattern }] = group
  const others = suspects.filter((one) => !group.some((member) => member.one === one))
  if (others.some((other) => isSame(other, { ...group[0].one, pattern }))) return undefined
  const { words, ...first } = group[0].one
  const refused = group.reduce((sum, { one }) => sum + one.refused, 0)
  const folders = group.flatMap((member) => member.folders).slice(-MAX_FOLDERS)
  return [...others, { ...first, pattern, folders, refused, nextSample: refused + firstSample(first, others) }]
}

/** The pattern with each folder name left open in turn, and that name; a merged entry only as it is. */
function widened({ pattern, folders }: SuspectPattern): { pattern: string; folders: readonly number[] }[] {
  if (folders !== undefined) return [{ pattern, folders }]
  if (/[ ?…]/.test(pattern)) return []
  const segments = pattern.split('/')
  return segments
    .slice(1, -1)
    .map((name, at) => ({ pattern: segments.with(at + 1, ANY).join('/'), folders: [mark(name)] }))
}

/** An upper bound in characters. */
export function sizeOfSuspects(suspects: readonly SuspectPattern[]): number {
  let room = 0
  for (const { pattern, rule, evidence, examples, words = '', usual = '', folders = [] } of suspects) {
    room += 190 + usual.length + pattern.length + rule.length + evidence.length + words.length + 11 * folders.length
    for (const example of examples) room += example.length + 3
  }
  return room
}

/** Marks it as stopped. The finding has the evidence and examples, and sampling starts with a fresh set of words. */
export function stop({ words, ...suspect }: SuspectPattern, others: readonly SuspectPattern[]): SuspectPattern {
  const nextSample = suspect.refused + firstSample(suspect, others)
  return { ...suspect, stopped: true, budget: 0, nextSample, evidence: '', examples: [] }
}

/**
 * Applies the operator's decisions: a confirmed pattern is stopped for good; one no longer confirmed is sampled again.
 */
export function withDecision(
  suspect: SuspectPattern,
  isConfirmed: boolean,
  others: readonly SuspectPattern[],
): SuspectPattern {
  if (isConfirmed === (suspect.isConfirmed ?? false)) return suspect
  const { isConfirmed: _, ...rest } = suspect
  return isConfirmed ? { ...(rest.stopped ? rest : stop(rest, others)), isConfirmed } : rest
}

/** A rule has each pattern only once. */
function isSame(a: SuspectPattern, b: SuspectPattern): boolean {
  return a.pattern === b.pattern && a.rule === b.rule
}

/** Replaces one of them. */
export function withSuspect(suspects: readonly SuspectPattern[], changed: SuspectPattern): SuspectPattern[] {
  const next = suspects.map((one) => (isSame(one, changed) ? changed : one))
  const known = compiled.get(suspects)
  if (known !== undefined) compiled.set(next, known)
  return next
}
