/** Scenarios drawn from distributions, and read from an instance's JSON. */
import { type Random, seededRandom } from '../base/random.ts'
import { type Distribution, draw, zipfShares } from './distribution.ts'
import { byServer, type Scenario } from './scenario.ts'

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
  return {
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
}

/** What the crawlers can do within the horizon. */
export function fleetCapacity(crawlers: Float64Array, horizon: number): number {
  // Ten times 0.1 is 0.9999999999999999: no update is lost to that.
  return Math.floor(crawlers.reduce((sum, rate) => sum + rate, 0) * horizon + 1e-6)
}

/** What is wrong with an instance, and where. */
export class BadInstance extends Error {}

const MOST = { pages: 2 ** 26, servers: 2 ** 24, crawlers: 2 ** 20 }

/** `{"horizon", "politeness", "capacity", "crawlers": [{"rate"}], "servers": [{"rate"?}], "pages": [{"server", "rate", "weight", "size"?}]}` */
export function readInstance(text: string): Scenario {
  const instance = record(parse(text), 'the instance')
  const crawlers = column(list(instance, 'crawlers', MOST.crawlers), 'crawlers', 'rate', { isPositive: true })
  const serverItems = list(instance, 'servers', MOST.servers)
  const pages = list(instance, 'pages', MOST.pages)
  const servers = column(serverItems, 'servers', 'rate', { isPositive: true, fallback: Number.POSITIVE_INFINITY })
  const places = column(pages, 'pages', 'server')
  const outside = places.findIndex((place) => !Number.isInteger(place) || place >= servers.length)
  if (outside >= 0)
    throw new BadInstance(`pages[${outside}].server is ${places[outside]}; servers are 0 to ${servers.length - 1}`)
  const server = Uint32Array.from(places)
  const weight = column(pages, 'pages', 'weight', { fallback: 1 })
  if (!weight.some((w) => w > 0)) throw new BadInstance('no page has a weight above 0')
  const hasSizes = pages.some((page) => record(page, 'a page')['size'] !== undefined)
  const horizon = number(instance['horizon'], 'horizon', true)
  const capacity = instance['capacity']
  return {
    ...byServer(server, servers.length),
    server,
    rate: column(pages, 'pages', 'rate'),
    weight,
    size: hasSizes ? column(pages, 'pages', 'size', { fallback: 0 }) : undefined,
    crawlers,
    servers,
    horizon,
    politeness: number(instance['politeness'], 'politeness', false),
    capacity:
      capacity === undefined
        ? Math.min(MOST_UPDATES, fleetCapacity(crawlers, horizon))
        : Math.floor(Math.min(MOST_UPDATES, number(capacity, 'capacity', false))),
  }
}

/** Updates of a horizon: more than a plan can hold are as good as no limit. */
const MOST_UPDATES = 1e9

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BadInstance(`no JSON (${error instanceof Error ? error.message : String(error)})`)
  }
}

function record(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadInstance(`${where} is no object`)
  return value as Record<string, unknown>
}

function list(instance: Record<string, unknown>, key: string, most: number): unknown[] {
  const value = instance[key]
  if (!Array.isArray(value) || value.length === 0) throw new BadInstance(`"${key}" is no list, or an empty one`)
  if (value.length > most) throw new BadInstance(`"${key}" has ${value.length} entries, the most is ${most}`)
  return value
}

function column(
  items: readonly unknown[],
  key: string,
  field: string,
  rules: { isPositive?: boolean; fallback?: number } = {},
): Float64Array {
  return Float64Array.from(items, (item, at) => {
    const value = record(item, `${key}[${at}]`)[field]
    if (value === undefined && rules.fallback !== undefined) return rules.fallback
    return number(value, `${key}[${at}].${field}`, rules.isPositive === true)
  })
}

function number(value: unknown, where: string, isPositive: boolean): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || (isPositive && value === 0))
    throw new BadInstance(`${where} should be a number ${isPositive ? 'above 0' : 'of 0 or more'}`)
  return value
}
