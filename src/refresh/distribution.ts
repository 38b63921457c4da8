/** Distributions as people write them: `equal:10/s`, `uniform:0.01:1/hour`, `zipf:1`, `pareto:0.01:1/day`, `lognormal:20kB:1`. */
import type { Random } from '../base/random.ts'
import { parseSize } from '../base/units.ts'

export interface Distribution {
  kind: 'equal' | 'uniform' | 'zipf' | 'pareto' | 'lognormal'
  parameters: readonly number[]
  /** What a drawn number is multiplied by: 1/3600 for `/hour`. */
  unit: number
}

const SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  second: 1,
  min: 60,
  minute: 60,
  h: 3600,
  hour: 3600,
  d: 86_400,
  day: 86_400,
}
/** How many each takes, and what is meant where none is written. */
const PARAMETERS: Readonly<Record<Distribution['kind'], readonly number[]>> = {
  equal: [1],
  uniform: [0, 1],
  zipf: [1],
  pareto: [1, 1],
  lognormal: [1, 1],
}

export const DISTRIBUTION_FORM = 'equal:X, uniform:LOW:HIGH, zipf:THETA, pareto:LEAST:SHAPE or lognormal:MEDIAN:SIGMA'

/** `unit`: what is meant where none is written. Undefined when the text is no distribution. */
export function parseDistribution(text: string, unit: number): Distribution | undefined {
  const [whole, per] = text.trim().split('/', 2)
  const seconds = per === undefined ? 1 / unit : Object.hasOwn(SECONDS, per.trim()) ? SECONDS[per.trim()] : undefined
  const [name, ...rest] = whole.split(':')
  const isNumber = /^[\d.]/.test(name)
  const kind = isNumber ? 'equal' : name
  if (seconds === undefined || !isKind(kind)) return undefined
  const written = isNumber ? [name, ...rest] : rest
  const usual = PARAMETERS[kind]
  const parameters = written.length === 0 ? usual : written.map((part) => plainNumber(part) ?? parseSize(part))
  if (parameters.length !== usual.length) return undefined
  if (!parameters.every((x): x is number => x !== undefined && Number.isFinite(x))) return undefined
  const isUpsideDown = kind === 'uniform' && parameters[0] > parameters[1]
  const isDegenerate = (kind === 'pareto' || kind === 'lognormal') && !(parameters[0] > 0 && parameters[1] > 0)
  return isUpsideDown || isDegenerate ? undefined : { kind, parameters, unit: 1 / seconds }
}

function plainNumber(text: string): number | undefined {
  return /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined
}

function isKind(text: string): text is Distribution['kind'] {
  return Object.hasOwn(PARAMETERS, text)
}

/** A column of drawn numbers. Of `zipf`, `ranks` are the values of rank 1, 2 …; without them a page's rank is drawn, and its value is rank^−θ. */
export function draw(
  { kind, parameters, unit }: Distribution,
  count: number,
  random: Random,
  ranks?: Float64Array,
): Float64Array {
  const [first, second] = parameters
  if (kind === 'zipf')
    return ranks === undefined
      ? shuffledRanks(first, count, random).map((value) => value * unit)
      : drawRanks(first, count, random, ranks)
  const one = () => {
    const chance = 1 - random.next()
    if (kind === 'equal') return first
    // The upper end is reached, the lower one is not: weights in (0, 1].
    if (kind === 'uniform') return first + (second - first) * chance
    if (kind === 'pareto') return first * chance ** (-1 / second)
    return first * Math.exp(second * Math.sqrt(-2 * Math.log(chance)) * Math.cos(2 * Math.PI * random.next()))
  }
  return new Float64Array(count).map(() => one() * unit)
}

/** Values by P(rank k) ∝ k^−θ. */
function drawRanks(theta: number, count: number, random: Random, ranks: Float64Array): Float64Array {
  const upTo = new Float64Array(ranks.length)
  let sum = 0
  for (let k = 0; k < ranks.length; k++) upTo[k] = sum += (k + 1) ** -theta
  return new Float64Array(count).map(() => {
    const at = random.next() * sum
    let low = 0
    let high = ranks.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (upTo[middle] > at) high = middle
      else low = middle + 1
    }
    return ranks[low]
  })
}

function shuffledRanks(theta: number, count: number, random: Random): Float64Array {
  const values = Float64Array.from({ length: count }, (_, k) => (k + 1) ** -theta)
  for (let at = count - 1; at > 0; at--) {
    const other = random.integer(at + 1)
    const kept = values[at]
    values[at] = values[other]
    values[other] = kept
  }
  return values
}

/** n_k ∝ k^−θ, whole numbers that add up to `total`, by largest remainder. */
export function zipfShares(total: number, parts: number, theta: number): Uint32Array {
  const exact = Float64Array.from({ length: parts }, (_, k) => (k + 1) ** -theta)
  const sum = exact.reduce((a, b) => a + b, 0)
  const shares = new Uint32Array(parts)
  let left = total
  for (let k = 0; k < parts; k++) {
    exact[k] *= total / sum
    shares[k] = Math.floor(exact[k])
    left -= shares[k]
  }
  const byRemainder = Uint32Array.from(exact.keys()).sort(
    (a, b) => exact[b] - shares[b] - (exact[a] - shares[a]) || a - b,
  )
  for (let i = 0; i < left; i++) shares[byRemainder[i % parts]]++
  return shares
}
