/**
 * What this process counted, and how the crawl stands, for Prometheus. Names begin with `orbweaver_`, except those of Node itself; no site, URL or
 * worker is a label, and the values of every label are few.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Clock, type Millis, remembered } from '../../base/clock.ts'
import type { Event } from '../../contracts/events.ts'
import type { LocalLook } from '../maintenance/problem-watch.ts'
import { PROBLEM_KINDS, type RunningProblem } from '../maintenance/problems.ts'
import type { Statistics } from '../wire/calls.ts'

/** How the crawl stands, from the database. */
export interface MetricFacts {
  /** Undefined while the database is unreachable; what this process counted is still shown. */
  crawl:
    | (Pick<Statistics, 'sites' | 'urls' | 'looks' | 'freshness' | 'inbox'> &
        Partial<Pick<Statistics, 'servers' | 'workers'>> & {
          /** Sums of what visits counted, those with labels too. */
          counters: ReadonlyMap<string, number>
        })
    | undefined
  problems: readonly Pick<RunningProblem, 'kind'>[]
  local: Pick<LocalLook, 'disks' | 'lateMs' | 'clockOffsetMs' | 'restarts'>
  /** Statements that this process gave to the database, by their kind. */
  statements: Readonly<Record<string, number>>
}

export interface MetricsPage {
  type: string
  text: string
}

const OPEN_METRICS = 'application/openmetrics-text'

/** Bucket bounds, in seconds. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const ANSWERS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const PAUSES = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 3600]

/** Values of one label. Names of counters come with reports: the rest is `other`. */
const MAX_VALUES = 60

export class Metrics {
  readonly #registry = new Registry()
  readonly #partsStored = this.#counter('parts_stored_total', 'Report parts made durable in the inbox')
  readonly #partsApplied = this.#counter('parts_applied_total', 'Report parts applied')
  readonly #pagesApplied = this.#counter('pages_applied_total', 'Pages of the parts applied by this process')
  readonly #leasesLost = this.#counter('leases_lost_total', 'Leases that were lost')
  readonly #hazards = this.#counter('hazards_total', 'Findings of hazards in the parts applied, by rule', ['rule'])
  readonly #troubles = this.#counter('troubles_total', 'Troubles in the log')
  readonly #mails = this.#counter('mails_total', 'Mails by what became of them', ['result'])
  readonly #calls = this.#counter('calls_total', 'Calls of the API by their result', ['call', 'result'])
  readonly #callBytes = this.#counter('call_bytes_total', 'Bytes of the bodies of calls', ['call'])
  readonly #callSeconds = this.#histogram(
    'call_seconds',
    'How long calls took, waiting for a free site included',
    SHORT,
    ['call'],
  )
  readonly #apply = this.#histogram('apply_seconds', 'Time of transactions that apply parts', SHORT)
  readonly #checkOut = this.#histogram(
    'check_out_seconds',
    'Time to choose and lease sites, without waiting for one',
    SHORT,
  )
  readonly #answers = this.#histogram('answer_seconds', 'How long sites took to answer, of the pages applied', ANSWERS)
  readonly #pauses = this.#histogram('pause_seconds', 'Pauses in force at the sites of the parts applied', PAUSES)
  /** Rules seen, so that they stay few. */
  readonly #rules = new Set<string>()

  count(event: Event): void {
    if (event.kind === 'inbox-stored') this.#partsStored.inc(event.parts)
    else if (event.kind === 'lease-lost') this.#leasesLost.inc()
    else if (event.kind === 'trouble') this.#troubles.inc()
    else if (event.kind === 'mail') this.#mails.inc({ result: event.result })
    else if (event.kind === 'leased') this.#checkOut.observe(event.tookMs / 1000)
    else if (event.kind === 'applied') this.#applied(event)
  }

  #applied({ parts, pages, tookMs, seen }: Event & { kind: 'applied' }): void {
    this.#partsApplied.inc(parts)
    this.#pagesApplied.inc(pages)
    this.#apply.observe(tookMs / 1000)
    for (const ms of seen.answersMs) this.#answers.observe(ms / 1000)
    for (const ms of seen.pausesMs) this.#pauses.observe(ms / 1000)
    for (const rule of seen.hazards) this.#hazards.inc({ rule: this.#known(rule) })
  }

  /** `site-urls>=5000` is the rule `site-urls`. */
  #known(rule: string): string {
    const name = plain(rule.split('>', 1)[0])
    if (!this.#rules.has(name) && this.#rules.size >= MAX_VALUES) return 'other'
    this.#rules.add(name)
    return name
  }

  /** `result`: `ok`, a word of the answer, or an error code. */
  called(call: string, result: string, tookMs: Millis, bytes: number): void {
    this.#calls.inc({ call, result })
    this.#callBytes.inc({ call }, bytes)
    this.#callSeconds.observe({ call }, tookMs / 1000)
  }

  /** `accept`: the header of who asks. Prometheus asks for OpenMetrics. */
  async page(facts: MetricFacts, accept = ''): Promise<MetricsPage> {
    const text = await Registry.merge([this.#registry, standing(facts), nodeMetrics()]).metrics()
    if (!accept.includes(OPEN_METRICS)) return { type: Registry.PROMETHEUS_CONTENT_TYPE, text }
    return { type: Registry.OPENMETRICS_CONTENT_TYPE, text: openMetrics(text) }
  }

  #counter<Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name: `orbweaver_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ): Histogram<Label> {
    return new Histogram({ name: `orbweaver_${name}`, help, buckets, labelNames, registers: [this.#registry] })
  }
}

const FRESH: Millis = 1000

/** Anyone may ask, any number of times: the cost is bounded per second. `accept`: the header of who asks. */
export function metricsPages(
  metrics: Metrics,
  clock: Clock,
  facts: () => MetricFacts | Promise<MetricFacts>,
): (accept: string) => Promise<MetricsPage> {
  const [text, open] = ['', OPEN_METRICS].map((accept) =>
    remembered(clock, FRESH, async () => metrics.page(await facts(), accept)),
  )
  return (accept) => (accept.includes(OPEN_METRICS) ? open() : text())
}

/** What is shown of a process before its problems are watched. */
export const NOT_WATCHED: Pick<MetricFacts, 'problems' | 'local'> = {
  problems: [],
  local: { disks: [], lateMs: 0, clockOffsetMs: 0, restarts: undefined },
}

/**
 * The library's own OpenMetrics renames every counter for good, so that the other format is wrong afterwards. The formats differ little: there a family
 * of counters is named without its suffix, and there are no blank lines.
 */
const openMetrics = (text: string) =>
  `${text
    .replace(/^# (HELP|TYPE) (\S+)_total /gm, '# $1 $2 ')
    .replace(/ Nan$/gm, ' NaN')
    .replace(/\n{2,}/g, '\n')}# EOF\n`

let ofNode: Registry | undefined

/** One for the process: its observers can't be ended. */
function nodeMetrics(): Registry {
  if (ofNode !== undefined) return ofNode
  ofNode = new Registry()
  collectDefaultMetrics({ register: ofNode, eventLoopMonitoringPrecision: 50 })
  // Gauges that are named as counters are: OpenMetrics does not allow it.
  for (const what of ['handles', 'requests', 'resources']) ofNode.removeSingleMetric(`nodejs_active_${what}_total`)
  return ofNode
}

/** Made anew for each page: what is not known now is not shown. */
function standing({ crawl, problems, local, statements }: MetricFacts): Registry {
  const page = new Page()
  const byFolder = (what: 'free' | 'total') => Object.fromEntries(local.disks.map((disk) => [disk.folder, disk[what]]))
  page.gauge('database_up', '1: the database can be reached', crawl === undefined ? 0 : 1)
  const ofKind = PROBLEM_KINDS.map((kind) => [kind, problems.filter((one) => one.kind === kind).length])
  page.gauges('problems', 'What is wrong now, by kind', 'kind', Object.fromEntries(ofKind))
  page.gauges('disk_free_bytes', 'Free space of the folders that this process writes', 'folder', byFolder('free'))
  page.gauges('disk_size_bytes', 'Size of their disks', 'folder', byFolder('total'))
  page.gauge('late_seconds', 'How late the work of every second began', local.lateMs / 1000)
  page.gauge('clock_offset_seconds', "This machine's clock against the database's", local.clockOffsetMs / 1000)
  page.gauge('restarts', 'How often the supervisor restarted this process in the last day', local.restarts?.count ?? 0)
  page.counters('statements_total', 'Statements given to the database by this process', 'kind', statements)
  if (crawl !== undefined) addCrawl(page, crawl)
  return page.registry
}

/** Counters with a label, and what they are. */
const LABELLED = [
  ['failure:', 'failures_total', 'kind', 'Attempts that failed, by kind'],
  ['refused:', 'refused_total', 'by', 'URLs that were refused, by what refused them'],
  ['stopped:', 'stopped_urls_total', 'rule', 'URLs that were not followed, by limit or hazard rule'],
  ['status:', 'answers_total', 'status', 'Answers by status'],
] as const

function addCrawl(page: Page, now: NonNullable<MetricFacts['crawl']>): void {
  page.gauges('sites', 'Sites by state', 'state', now.sites)
  page.gauges('urls', 'URLs by state', 'state', now.urls)
  const all = [...now.counters]
  const unlabelled = all.filter(([name]) => !name.includes(':'))
  // An alert about the share of failures needs the series before the first request is answered.
  const counted = { requests: 0, ...labelled(unlabelled, '') }
  page.counters('counted_total', 'Sums of what visits counted', 'what', counted)
  for (const [prefix, name, label, help] of LABELLED) page.counters(name, help, label, labelled(all, prefix))
  const elapsed = Object.entries(labelled(all, 'elapsed:')).map(([name, ms]) => [name, ms / 1000])
  page.counters('visit_seconds_total', 'Time of visits by operation', 'operation', Object.fromEntries(elapsed))
  const { hints, performed: _, ...looks } = now.looks
  page.counters('looks_total', 'Looks at known pages by what they found', 'result', looks)
  page.counters('hints_total', 'Hints that known pages changed', 'result', hints)
  if (now.freshness !== null) addFreshness(page, now.freshness)
  page.gauge('inbox_parts', 'Parts that are durable and not yet applied', now.inbox)
  if (now.servers !== undefined) page.gauge('servers', 'Servers seen in the last minute', now.servers)
  if (now.workers === undefined) return
  const { alive, silent, pagesPerSecond } = now.workers
  page.gauges('workers', 'Workers by how they are', 'state', { alive, silent })
  page.gauge('worker_pages_per_second', 'Pages a second, as workers say', pagesPerSecond)
}

function addFreshness(page: Page, { gain, ...now }: NonNullable<Statistics['freshness']>): void {
  page.gauge('freshness', 'Expected share of known pages that are as on the web, by weight', now.freshness)
  page.gauge('freshness_bound', 'The freshness that no policy exceeds at these pauses', now.bound)
  if (now.stalenessRatio !== null) page.gauge('staleness_ratio', 'Staleness over that of the bound', now.stalenessRatio)
  page.gauge('age_seconds', 'How long known pages have been out of date on average', now.ageSeconds)
  page.gauge('bound_looks_per_second', 'Looks a second at the bound', now.boundLooks)
  page.gauges(
    'freshness_gain',
    'What one look a second more, or pauses shorter by 10 %, would add to the bound',
    'by',
    { look: gain.oneMoreLook, pause: gain.shorterPause },
  )
  page.gauge('freshness_measured_seconds', 'When it was measured, in seconds since 1970', now.at / 1000)
}

/** The largest are named. */
function labelled(counters: readonly (readonly [string, number])[], prefix: string): Record<string, number> {
  const found = counters.filter(([name]) => name.startsWith(prefix)).sort(([, a], [, b]) => b - a)
  const named: Record<string, number> = {}
  for (const [nth, [name, value]] of found.entries()) {
    const label = nth < MAX_VALUES ? plain(name.slice(prefix.length)) : 'other'
    named[label] = (named[label] ?? 0) + value
  }
  return named
}

const plain = (text: string) => text.replace(/[^\w.-]/g, '_').slice(0, 60)

class Page {
  readonly registry = new Registry()

  gauge(name: string, help: string, value: number): void {
    new Gauge({ name: `orbweaver_${name}`, help, registers: [this.registry] }).set(value)
  }

  gauges(name: string, help: string, label: string, values: Readonly<Record<string, number>>): void {
    const gauge = new Gauge({ name: `orbweaver_${name}`, help, labelNames: [label], registers: [this.registry] })
    for (const [of, value] of Object.entries(values)) gauge.set({ [label]: of }, value)
  }

  counters(name: string, help: string, label: string, values: Readonly<Record<string, number>>): void {
    const counter = new Counter({ name: `orbweaver_${name}`, help, labelNames: [label], registers: [this.registry] })
    for (const [of, value] of Object.entries(values)) counter.inc({ [label]: of }, value)
  }
}
