/** The patterns of a site that are followed no more: added, matched, counted. */
import type { Instant } from '../base/clock.ts'
import type { StoppedPattern, TrapMemory } from '../visit/trap-memory.ts'
import { wordsOf } from './few-words.ts'
import type { Finding } from './finding.ts'
import { parametersOf, patternOf, repeatsIn, type UrlPattern } from './pattern.ts'

/** With their evidence; more than that, in a site that is a trap from end to end, make room. */
const MOST_STOPPED = 10
const LONGEST_EVIDENCE = 170

type Matches = (path: string, pattern: () => UrlPattern) => boolean

/** Patterns are text in the memory; what they mean is worked out once for each list of them. */
const compiled = new WeakMap<readonly StoppedPattern[], Matches[]>()

/** The first pattern, of those that are not by a rule which is overruled, to which the URL belongs. */
export function findStopped(
  stopped: readonly StoppedPattern[],
  path: string,
  trusted: (rule: string) => boolean,
): StoppedPattern | undefined {
  if (stopped.length === 0) return undefined
  let matches = compiled.get(stopped)
  if (matches === undefined) {
    matches = stopped.map(({ pattern }) => compile(pattern))
    compiled.set(stopped, matches)
  }
  let read: UrlPattern | undefined
  const pattern = () => (read ??= patternOf(path))
  for (let at = 0; at < stopped.length; at++) {
    if (matches[at](path, pattern) && !trusted(stopped[at].rule)) return stopped[at]
  }
  return undefined
}

/** The place of a parameter that does nothing anywhere on the site. */
export const ANYWHERE = '/**'

const REPEATED = /^\/\*\* with (\d+) segments repeated$/
const FEW_WORDS = /^(.*) of (\d+) words or more$/
const IDLE = /^(.*)\?([^?=&{}]*)=([^?=&{}]*)&\*\*$/
const COMBINED = /^(.*)\?\{([^{}]*)\} two or more$/

function compile(text: string): Matches {
  const repeated = REPEATED.exec(text)
  if (repeated !== null) return (path) => repeatsIn(path) >= Number(repeated[1])
  const idle = IDLE.exec(text)
  if (idle !== null) {
    const [, place, name, value] = idle
    const anywhere = place === ANYWHERE
    return (path, pattern) =>
      path.includes('?') &&
      (anywhere || pattern().place === place) &&
      (value === '*'
        ? pattern().names.includes(name)
        : parametersOf(path).some((one) => one.name === name && one.value === value))
  }
  const fewWords = FEW_WORDS.exec(text)
  if (fewWords !== null) {
    const [, wide, least] = fewWords
    const matches = compile(wide)
    return (path, pattern) =>
      matches(path, pattern) && wordsOf(path).filter((word) => !wide.includes(word)).length >= Number(least)
  }
  const combined = COMBINED.exec(text)
  if (combined !== null) {
    const [, place, list] = combined
    const names = new Set(list.split(','))
    return (path, pattern) =>
      path.includes('?') &&
      pattern().place === place &&
      parametersOf(path).filter(({ name }) => list === '*' || names.has(name)).length >= 2
  }
  if (text.endsWith('?**')) {
    const place = text.slice(0, -3)
    return (path, pattern) => path.includes('?') && pattern().place === place
  }
  if (text.endsWith('/**')) return (_, pattern) => pattern().folders.includes(text)
  // With parameters, a page of a trap is no better.
  return (_, pattern) => pattern().form === text || pattern().place === text
}

/** `/` and all of the site are nobody's trap: its limits are for that. */
export function mayStop(pattern: string): boolean {
  return pattern !== '/' && pattern !== '/**' && pattern !== '/?**'
}

/** One of the others has all its URLs: it itself, the parameter with any value, the parameter on any page. */
export function isCovered(pattern: string, others: readonly { pattern: string }[]): boolean {
  const idle = IDLE.exec(pattern)
  return others.some((other) => {
    if (other.pattern === pattern || (idle && other.pattern === `${idle[1]}?**`)) return true
    const wide = idle && IDLE.exec(other.pattern)
    if (!wide || wide[2] !== idle[2]) return false
    return (wide[1] === ANYWHERE || wide[1] === idle[1]) && (wide[3] === '*' || wide[3] === idle[3])
  })
}

export function addStopped(stopped: readonly StoppedPattern[], finding: Finding, at: Instant): StoppedPattern[] {
  const { pattern, rule, evidence, examples } = finding
  const others = stopped.filter((one) => !isCovered(one.pattern, [{ pattern }]))
  const room = others.length < MOST_STOPPED ? others : withoutIdlest(others)
  const one = { pattern, rule, evidence: evidence.slice(0, LONGEST_EVIDENCE), at, refused: 0, examples: [...examples] }
  return [...room, one]
}

function withoutIdlest(stopped: readonly StoppedPattern[]): StoppedPattern[] {
  const fewest = Math.min(...stopped.map(({ refused }) => refused))
  const idlest = stopped.findIndex(({ refused }) => refused === fewest)
  return stopped.filter((_, at) => at !== idlest)
}

export function countStopped(traps: TrapMemory, pattern: string): TrapMemory {
  const at = traps.stopped.findIndex((one) => one.pattern === pattern)
  if (at < 0) return traps
  const stopped = [...traps.stopped]
  stopped[at] = { ...stopped[at], refused: stopped[at].refused + 1 }
  const known = compiled.get(traps.stopped)
  if (known !== undefined) compiled.set(stopped, known)
  return { ...traps, stopped }
}
