/** Scenarios drawn from distributions, and read from an instance's JSON. */
import { type Random, seededRandom } from '../base/random.ts'
import { type Distribution, draw, zipfShares } from './distribution.ts'
import { byServer, type Scenario, totalWeight } from './scenario.ts'

export interface ScenarioDraw {
  pages: number
  servers: number
  /** Pages by server: n_k ∝ k^−zipf. */
  zipf: number
  rates: Distribution
  weights: Distribution
  sizes: Distribution | undefined
  /** Bytes a second. */
  serverSpeed: Distribution | undefined
  crawlers: number
  /** Pages a second. */
  crawlerSpeed: Distribution
  /** Seconds. */
  horizon: number
  politeness: number
  /** Undefined: what the crawlers can do. */
  capacity: number | undefined
  seed: number
}

/** The scenario of the PSP paper, λ per hour. With fewer pages, servers and crawlers shrink alike. */
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

/** Each column has a stream of its own, so that changing one leaves the others as they were. */
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
    capacity: ask.capacity ?? fleetCapacity(crawlers, ask.horizon),
  }
  check(scenario, (column) => FLAGS[column])
  return scenario
}

type Column = 'horizon' | 'politeness' | 'capacity' | 'crawlers' | 'servers' | 'rate' | 'weight' | 'size'

const FLAGS: Readonly<Record<Column, string>> = {
  horizon: '--horizon',
  politeness: '--politeness',
  capacity: '--capacity',
  crawlers: '--crawler-speed',
  servers: '--server-speed',
  rate: '--rates',
  weight: '--weights',
  size: '--sizes',
}

/** Columns that must be above 0, not only not below it. */
const POSITIVE: readonly Column[] = ['horizon', 'crawlers', 'servers']

/** Whatever a scenario is made of is checked here. `where` names what gave a number. */
function check(scenario: Scenario, where: (column: Column, at: number) => string): void {
  for (const column of [
    'horizon',
    'politeness',
    'capacity',
    'crawlers',
    'servers',
    'rate',
    'weight',
    'size',
  ] as const) {
    const isPositive = POSITIVE.includes(column)
    const given = scenario[column] ?? []
    const numbers = typeof given === 'number' ? [given] : given
    for (let at = 0; at < numbers.length; at++) {
      const isFit = numbers[at] < Number.POSITIVE_INFINITY || column === 'servers'
      if (isFit && (isPositive ? numbers[at] > 0 : numbers[at] >= 0)) continue
      const wanted = `a number ${isPositive ? 'above 0' : 'of 0 or more'}`
      throw new BadScenario(`${where(column, at)} should be ${wanted}, and is ${numbers[at]}`)
    }
  }
  const whole = totalWeight(scenario)
  if (whole === 0) throw new BadScenario(`no page has a weight above 0 (${where('weight', 0)})`)
  if (whole === Number.POSITIVE_INFINITY) throw new BadScenario(`weights are too large (${where('weight', 0)})`)
}

/** What the crawlers can do within the horizon. */
export function fleetCapacity(crawlers: Float64Array, horizon: number): number {
  // Ten times 0.1 is 0.9999999999999999: no update is lost to that.
  return Math.min(MAX_UPDATES, Math.floor(crawlers.reduce((sum, rate) => sum + rate, 0) * horizon + 1e-6))
}

/** Updates of a horizon: more than a plan can hold are as good as no limit. */
const MAX_UPDATES = 1e9

/** What is wrong with a scenario, and where. */
export class BadScenario extends Error {}

const MAX = { pages: 2 ** 26, servers: 2 ** 24, crawlers: 2 ** 20 }

/** `{"horizon", "politeness", "capacity", "crawlers": [{"rate"}], "servers": [{"rate"?}], "pages": [{"server", "rate", "weight", "size"?}]}` */
export function readInstance(text: string): Scenario {
  const instance = record(parse(text), 'the instance')
  const crawlers = column(list(instance, 'crawlers', MAX.crawlers), 'crawlers', 'rate')
  const servers = column(list(instance, 'servers', MAX.servers), 'servers', 'rate', Number.POSITIVE_INFINITY)
  const pages = list(instance, 'pages', MAX.pages)
  const places = column(pages, 'pages', 'server')
  const outside = places.findIndex((place) => !(Number.isInteger(place) && place >= 0 && place < servers.length))
  if (outside >= 0)
    throw new BadScenario(`pages[${outside}].server is ${places[outside]}; servers are 0 to ${servers.length - 1}`)
  const server = Uint32Array.from(places)
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
        ? fleetCapacity(crawlers, horizon)
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
    return JSON.parse(text)
  } catch (error) {
    throw new BadScenario(`no JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}

function record(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadScenario(`${where} is no object`)
  return value as Record<string, unknown>
}

function list(instance: Record<string, unknown>, key: string, max: number): unknown[] {
  const value = instance[key]
  if (!Array.isArray(value) || value.length === 0) throw new BadScenario(`"${key}" is no list, or an empty one`)
  if (value.length > max) throw new BadScenario(`"${key}" has ${value.length} entries, the most is ${max}`)
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
