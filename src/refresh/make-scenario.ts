/** Scenarios drawn from distributions, and read from an instance's JSON. */
import { type Random, seededRandom } from '../base/random.ts'
import { parseSize } from '../base/units.ts'
import { byServer, type Scenario, totalWeight } from './scenario.ts'

export interface ScenarioDraw {
  pages: number
  servers: number
  /** Pages per server: n_k ∝ k^−zipf. */
  zipf: number
  rates: Distribution
  weights: Distribution
  sizes: Distribution | undefined
  /** Bytes per second. */
  serverSpeed: Distribution | undefined
  crawlers: number
  /** Pages per second. */
  crawlerSpeed: Distribution
  /** Seconds. */
  horizon: number
  politeness: number
  /** Undefined: the crawlers' capacity. */
  capacity: number | undefined
  seed: number
}

/** The PSP paper's scenario, λ per hour. With fewer pages, servers and crawlers shrink in proportion. */
export function paperDraw(pages: number, seed: number): ScenarioDraw {
  const scale = pages / 1_000_000
  return {
    pages,
    servers: Math.max(1, Math.round(2000 * scale)),
    zipf: 1,
    rates: { kind: 'uniform', parameters: [0.01, 1], unit: 1 / 3600 },
    weights: { kind: 'equal', parameters: [1], unit: 1 },
    sizes: undefined,
    serverSpeed: undefined,
    crawlers: 10,
    crawlerSpeed: { kind: 'equal', parameters: [10 * scale], unit: 1 },
    horizon: 86_400,
    politeness: 15,
    capacity: undefined,
    seed,
  }
}

/** The rates of Fig. 2: 0.01, 0.02 … 1.00. */
const RANKED_RATES = 100

/** Each column has its own random stream, so that changing one leaves the others unchanged. */
export function drawScenario(ask: ScenarioDraw): Scenario {
  const stream = (nth: number): Random => seededRandom((ask.seed * 8 + nth) >>> 0)
  const { pages, rates } = ask
  const server = new Uint32Array(pages)
  const shares = zipfShares(pages, ask.servers, ask.zipf)
  for (let s = 0, at = 0; s < ask.servers; at += shares[s++]) server.fill(s, at, at + shares[s])
  const ranked = Float64Array.from({ length: RANKED_RATES }, (_, k) => ((k + 1) / RANKED_RATES) * rates.unit)
  const crawlers = draw(ask.crawlerSpeed, ask.crawlers, stream(4))
  const scenario = {
    ...byServer(server, ask.servers),
    server,
    rate: draw(rates, pages, stream(0), ranked),
    weight: draw(ask.weights, pages, stream(1)),
    size: ask.sizes === undefined ? undefined : draw(ask.sizes, pages, stream(2)),
    servers:
      ask.serverSpeed === undefined
        ? new Float64Array(ask.servers).fill(Number.POSITIVE_INFINITY)
        : draw(ask.serverSpeed, ask.servers, stream(3)),
    crawlers,
    horizon: ask.horizon,
    politeness: ask.politeness,
    capacity: ask.capacity ?? crawlerCapacity(crawlers, ask.horizon),
  }
  check(scenario, (column) => FLAGS[column])
  return scenario
}

/** The numbers of a scenario, and the flags that give them. */
const FLAGS = {
  horizon: '--horizon',
  politeness: '--politeness',
  capacity: '--capacity',
  crawlers: '--crawler-speed',
  servers: '--server-speed',
  rate: '--rates',
  weight: '--weights',
  size: '--sizes',
} as const satisfies Partial<Record<keyof Scenario, string>>

type Column = keyof typeof FLAGS

/** Columns that must be above 0. */
const POSITIVE: readonly Column[] = ['horizon', 'crawlers', 'servers']

/** Checks every number of a scenario. `where` names its source. */
function check(scenario: Scenario, where: (column: Column, at: number) => string): void {
  for (const column of Object.keys(FLAGS) as Column[]) {
    const isPositive = POSITIVE.includes(column)
    const given = scenario[column] ?? []
    const numbers = typeof given === 'number' ? [given] : given
    for (let at = 0; at < numbers.length; at++) {
      const isFit = numbers[at] < Number.POSITIVE_INFINITY || column === 'servers'
      if (isFit && (isPositive ? numbers[at] > 0 : numbers[at] >= 0)) continue
      const wanted = `a number ${isPositive ? 'above 0' : 'of 0 or more'}`
      throw new BadScenario(`${where(column, at)} should be ${wanted} but is ${numbers[at]}`)
    }
  }
  const whole = totalWeight(scenario)
  if (whole === 0) throw new BadScenario(`no page has a weight above 0 (${where('weight', 0)})`)
  if (whole === Number.POSITIVE_INFINITY) throw new BadScenario(`weights are too large (${where('weight', 0)})`)
}

/** Updates that the crawlers can do within the horizon. */
export function crawlerCapacity(crawlers: Float64Array, horizon: number): number {
  // Ten times 0.1 is 0.9999999999999999: rounding must not lose an update.
  return Math.min(MAX_UPDATES, Math.floor(crawlers.reduce((sum, rate) => sum + rate, 0) * horizon + 1e-6))
}

/** Maximum updates per horizon; a plan can't hold more. */
const MAX_UPDATES = 1e9

/** The message says what is wrong, and where. */
export class BadScenario extends Error {}

const MAX = { pages: 2 ** 26, servers: 2 ** 24, crawlers: 2 ** 20 }

/** `{"horizon", "politeness", "capacity", "crawlers": [{"rate"}], "servers": [{"rate"?}], "pages": [{"server", "rate", "weight", "size"?}]}` */
export function readInstance(text: string): Scenario {
  const instance = record(parse(text), 'the instance')
  const crawlers = column(list(instance, 'crawlers', MAX.crawlers), 'crawlers', 'rate')
  const servers = column(list(instance, 'servers', MAX.servers), 'servers', 'rate', Number.POSITIVE_INFINITY)
  const pages = list(instance, 'pages', MAX.pages)
  const hosts = column(pages, 'pages', 'server')
  const outside = hosts.findIndex((host) => !(Number.isInteger(host) && host >= 0 && host < servers.length))
  if (outside >= 0)
    throw new BadScenario(`pages[${outside}].server is ${hosts[outside]}; servers are 0 to ${servers.length - 1}`)
  const server = Uint32Array.from(hosts)
  const hasSizes = pages.some((page) => record(page, 'a page')['size'] !== undefined)
  const horizon = number(instance['horizon'], 'horizon')
  const capacity = instance['capacity']
  const scenario = {
    ...byServer(server, servers.length),
    server,
    rate: column(pages, 'pages', 'rate'),
    weight: column(pages, 'pages', 'weight', 1),
    size: hasSizes ? column(pages, 'pages', 'size', 0) : undefined,
    crawlers,
    servers,
    horizon,
    politeness: number(instance['politeness'], 'politeness'),
    capacity:
      capacity === undefined
        ? crawlerCapacity(crawlers, horizon)
        : Math.floor(Math.min(MAX_UPDATES, number(capacity, 'capacity'))),
  }
  check(scenario, (name, at) => {
    if (name === 'horizon' || name === 'politeness' || name === 'capacity') return name
    return name === 'crawlers' || name === 'servers' ? `${name}[${at}].rate` : `pages[${at}].${name}`
  })
  return scenario
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new BadScenario(`not valid JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}

function record(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadScenario(`${where} is not an object`)
  return value as Record<string, unknown>
}

function list(instance: Record<string, unknown>, key: string, max: number): unknown[] {
  const value = instance[key]
  if (!Array.isArray(value) || value.length === 0) throw new BadScenario(`"${key}" is not a list, or is empty`)
  if (value.length > max) throw new BadScenario(`"${key}" has ${value.length} entries; the maximum is ${max}`)
  return value
}

/** `fallback`: for entries without the field. */
function column(items: readonly unknown[], key: string, field: string, fallback?: number): Float64Array {
  return Float64Array.from(items, (item, at) => {
    const value = record(item, `${key}[${at}]`)[field]
    if (value === undefined && fallback !== undefined) return fallback
    return number(value, `${key}[${at}].${field}`)
  })
}

function number(value: unknown, where: string): number {
  if (typeof value !== 'number') throw new BadScenario(`${where} should be a number`)
  return value
}

/**
 * Distributions as users write them: `equal:10/s`, `uniform:0.01:1/hour`, `zipf:1`, `pareto:0.01:1/day`,
 * `lognormal:20kB:1`.
 */

export interface Distribution {
  kind: 'equal' | 'uniform' | 'zipf' | 'pareto' | 'lognormal'
  parameters: readonly number[]
  /** Factor for drawn numbers: 1/3600 for `/hour`. */
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
/** Default parameters of each kind. */
const PARAMETERS: Readonly<Record<Distribution['kind'], readonly number[]>> = {
  equal: [1],
  uniform: [0, 1],
  zipf: [1],
  pareto: [1, 1],
  lognormal: [1, 1],
}

export const DISTRIBUTION_FORM = 'equal:X, uniform:LOW:HIGH, zipf:THETA, pareto:LEAST:SHAPE or lognormal:MEDIAN:SIGMA'

/** `unit`: the default unit. Undefined when the text is not a distribution. */
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

/**
 * A column of drawn numbers. For `zipf`, `ranks` are the values of rank 1, 2 …; without them each page gets a drawn
 * rank and the value rank^−θ.
 */
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
    // Excludes the lower end, includes the upper: weights in (0, 1].
    if (kind === 'uniform') return first + (second - first) * chance
    if (kind === 'pareto') return first * chance ** (-1 / second)
    return first * Math.exp(second * Math.sqrt(-2 * Math.log(chance)) * Math.cos(2 * Math.PI * random.next()))
  }
  return new Float64Array(count).map(() => one() * unit)
}

/** Draws values with P(rank k) ∝ k^−θ. */
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

/** Integers n_k ∝ k^−θ that add up to `total`, by largest remainder. */
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
