/** The journal and the totals in Prometheus format. Names begin with `orbweaver_`; no site, URL or worker is a label. */
import type { Millis } from '../../base/clock.ts'
import type { Event } from '../../contracts/events.ts'
import type { Statistics } from '../wire/calls.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Bucket bounds for the duration of calls, in seconds. */
const CLASSES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface CallSums {
  results: Map<string, number>
  classes: number[]
  seconds: number
  count: number
  bytes: number
}

/** Metrics counted from the journal. Events that say nothing about a running server are left out. */
const COUNTED: { [kind in Event['kind']]?: readonly [name: string, what: string, by: (event: Event) => number] } = {
  'inbox-stored': ['parts_stored_total', 'Report parts made durable in the inbox', countOf],
  applied: ['parts_applied_total', 'Report parts applied', countOf],
  'lease-lost': ['leases_lost_total', 'Leases that were lost', () => 1],
  hazard: ['hazards_total', 'Verdicts about hazards', () => 1],
  trouble: ['troubles_total', 'Troubles in the log', () => 1],
}

function countOf(event: Event): number {
  return 'parts' in event ? event.parts : 1
}

export class Metrics {
  readonly #counts = new Map<Event['kind'], number>()
  readonly #calls = new Map<string, CallSums>()
  #pages = 0
  #applySeconds = 0

  count(event: Event): void {
    const counted = COUNTED[event.kind]
    if (counted === undefined) return
    this.#counts.set(event.kind, (this.#counts.get(event.kind) ?? 0) + counted[2](event))
    if (event.kind !== 'applied') return
    this.#pages += event.pages
    this.#applySeconds += event.tookMs / 1000
  }

  /** `result`: `ok`, a word of the answer, or an error code. */
  called(call: string, result: string, tookMs: Millis, bytes: number): void {
    let sums = this.#calls.get(call)
    if (sums === undefined) {
      sums = { results: new Map(), classes: CLASSES.map(() => 0), seconds: 0, count: 0, bytes: 0 }
      this.#calls.set(call, sums)
    }
    const seconds = tookMs / 1000
    sums.results.set(result, (sums.results.get(result) ?? 0) + 1)
    for (const [at, bound] of CLASSES.entries()) if (seconds <= bound) sums.classes[at]++
    sums.seconds += seconds
    sums.count++
    sums.bytes += bytes
  }

  /** `now` is undefined while the database is unreachable; counters of this process are still shown. */
  text(now: Statistics | undefined): string {
    const page = new Page()
    for (const [kind, [name, what]] of entriesOf(COUNTED)) page.one(name, 'counter', what, this.#counts.get(kind) ?? 0)
    page.one('pages_applied_total', 'counter', 'Pages of the parts applied by this server', this.#pages)
    page.one('apply_seconds_total', 'counter', 'Time in transactions that apply parts', this.#applySeconds)
    const calls = [...this.#calls]
    page.many(
      'calls_total',
      'counter',
      'Calls of the API by their result',
      calls.flatMap(([call, { results }]) =>
        [...results].map(([result, count]) => [`call="${call}",result="${result}"`, count] as const),
      ),
    )
    page.many(
      'call_bytes_total',
      'counter',
      'Bytes of the bodies of calls',
      calls.map(([call, { bytes }]) => [`call="${call}"`, bytes] as const),
    )
    page.histogram('call_seconds', 'How long calls took, waiting for a free site included', CLASSES, this.#calls)
    page.one('database_up', 'gauge', '1: the database can be reached', now === undefined ? 0 : 1)
    if (now !== undefined) addStatistics(page, now)
    return page.text
  }
}

function addStatistics(page: Page, now: Statistics): void {
  page.many('sites', 'gauge', 'Sites by state', labelled('state', now.sites))
  page.many('urls', 'gauge', 'URLs by state', labelled('state', now.urls))
  page.many('counted_total', 'counter', 'Sums of what visits counted', labelled('what', now.counters))
  const { hints, performed: _, ...looks } = now.looks
  page.many('looks_total', 'counter', 'Looks at known pages by what they found', labelled('result', looks))
  page.many('hints_total', 'counter', 'Hints that known pages changed', labelled('result', hints))
  if (now.freshness !== null) addFreshness(page, now.freshness)
  page.one('inbox_parts', 'gauge', 'Parts that are durable and not yet applied', now.inbox)
  page.one('servers', 'gauge', 'Servers seen in the last minute', now.servers)
  const { alive, silent } = now.workers
  page.many('workers', 'gauge', 'Workers by how they are', labelled('state', { alive, silent }))
  page.one('worker_pages_per_second', 'gauge', 'Pages a second, as workers say', now.workers.pagesPerSecond)
}

function addFreshness(page: Page, { gain, ...now }: NonNullable<Statistics['freshness']>): void {
  page.one('freshness', 'gauge', 'Expected share of known pages that are as on the web, by weight', now.freshness)
  page.one('freshness_bound', 'gauge', 'The freshness that no policy exceeds at these pauses', now.bound)
  if (now.stalenessRatio !== null)
    page.one('staleness_ratio', 'gauge', 'Staleness over that of the bound', now.stalenessRatio)
  page.one('age_seconds', 'gauge', 'How long known pages have been out of date on average', now.ageSeconds)
  page.one('bound_looks_per_second', 'gauge', 'Looks a second at the bound', now.boundLooks)
  const gains = { look: gain.oneMoreLook, pause: gain.shorterPause }
  page.many(
    'freshness_gain',
    'gauge',
    'What one look a second more, or pauses shorter by 10 %, would add to the bound',
    labelled('by', gains),
  )
  page.one('freshness_measured_seconds', 'gauge', 'When it was measured, in seconds since 1970', now.at / 1000)
}

const labelled = (label: string, values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([name, value]) => [`${label}="${plain(name)}"`, value] as const)

/** Names of counters come with reports. */
const plain = (text: string) => text.replace(/[^\w.-]/g, '_').slice(0, 60)

const entriesOf = <K extends string, V>(table: { [key in K]?: V }) => Object.entries(table) as [K, V][]

class Page {
  text = ''

  one(name: string, type: string, what: string, value: number): void {
    this.many(name, type, what, [['', value]])
  }

  many(name: string, type: string, what: string, values: readonly (readonly [labels: string, value: number])[]): void {
    this.#head(name, type, what)
    for (const [labels, value] of values) this.#line(name, labels, value)
  }

  histogram(name: string, what: string, bounds: readonly number[], calls: ReadonlyMap<string, CallSums>): void {
    this.#head(name, 'histogram', what)
    for (const [call, { classes, seconds, count }] of calls) {
      for (const [at, bound] of bounds.entries())
        this.#line(`${name}_bucket`, `call="${call}",le="${bound}"`, classes[at])
      this.#line(`${name}_bucket`, `call="${call}",le="+Inf"`, count)
      this.#line(`${name}_sum`, `call="${call}"`, seconds)
      this.#line(`${name}_count`, `call="${call}"`, count)
    }
  }

  #head(name: string, type: string, what: string): void {
    this.text += `# HELP orbweaver_${name} ${what}\n# TYPE orbweaver_${name} ${type}\n`
  }

  #line(name: string, labels: string, value: number): void {
    this.text += `orbweaver_${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`
  }
}
