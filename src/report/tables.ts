/** The tables of the papers, from the figures of a collection (C11, W14). */
import { formatDuration, formatSize } from '../base/units.ts'
import type { Figures, TimesOfDay } from '../collection/figures.ts'
import { failureText, markText, REFUSED, statusText } from './status-text.ts'
import { grouped, share, type TextTable } from './text-table.ts'

/** Longer tables sum up the rest as 'Other'. */
const MAX_LINES = 15

/** CoBWeb, Table 2: collection rates per day. */
export function ratesByDay(figures: Figures): TextTable {
  const rows = figures.ratesByDay.map((day) => [day.day, grouped(day.documentsPerMinute), grouped(day.documents)])
  const days = figures.ratesByDay.length
  const mean = (of: (day: Figures['ratesByDay'][number]) => number) =>
    figures.ratesByDay.reduce((sum, day) => sum + of(day), 0) / Math.max(1, days)
  if (days > 1)
    rows.push(['Mean', grouped(mean((d) => d.documentsPerMinute)), grouped(Math.round(mean((d) => d.documents)))])
  return { title: 'Collection rates', header: ['Date', 'Docs/min', 'Docs/day'], rows, total: days > 1 }
}

/** What VN's paper calls them. */
export const OPERATION_NAMES = {
  store: 'StoreOriginal',
  processing: 'Processing',
  download: 'Download',
  courtesy: 'CourtesyPause',
} as const satisfies { [name in keyof TimesOfDay]?: string }
export type Operation = keyof typeof OPERATION_NAMES
export const OPERATIONS = Object.keys(OPERATION_NAMES) as Operation[]

const VN_SHARES: Readonly<Partial<Record<Operation, readonly [one: string, thirty: string]>>> = {
  store: ['1.2%', '64.8%'],
  courtesy: ['', '4.6%'],
}

/**
 * VN, Fig. 7b: elapsed time by operation (V19). Download has the look-up of names and the connection, Processing all that is
 * none of the others. A visit does not wait until its records are synced, which a worker does for all of them together.
 */
export function operations({ timesByDay }: Figures): TextTable {
  const documents = timesByDay.reduce((sum, day) => sum + day.documents, 0)
  const sums = OPERATIONS.map((name) => [name, timesByDay.reduce((sum, day) => sum + day[name], 0)] as const)
  const whole = sums.reduce((sum, [, ms]) => sum + ms, 0)
  const rows = sums.map(([name, ms]) => {
    const [one, thirty] = VN_SHARES[name] ?? ['', '']
    return [OPERATION_NAMES[name], formatDuration(ms), share(ms, whole), milliseconds(ms, documents), one, thirty]
  })
  rows.splice(1, 0, ['StoreText (not stored apart)', '-', '-', '-', '(above)', '(above)'])
  const header = ['Operation', 'Time', 'Share', 'Per document', 'VN, 1', 'VN, 30']
  return {
    title: 'Time of visits by operation, beside VN’s with 1 and 30 processes',
    header,
    rows: whole === 0 ? [] : rows,
  }
}

/** VN, Fig. 7a: data downloaded in a day, and the mean duration of operations per document. */
export function operationsByDay({ timesByDay }: Figures): TextTable {
  const rows = timesByDay
    .slice(-MAX_LINES)
    .map((day) => [
      day.day,
      oneDecimal(day.visitsAtOnce),
      formatSize(day.wireBytes),
      ...OPERATIONS.map((name) => milliseconds(day[name], day.documents)),
    ])
  const header = ['Date', 'At once', 'Data', 'Store', 'Processing', 'Download', 'Courtesy']
  return { title: 'Data downloaded, and time per document by operation', header, rows }
}

/** CoBWeb, Table 1: what a request takes, and what a question for new sites takes, in seconds (C11). */
export function latencies({ timesByDay }: Figures): TextTable {
  const seconds = (ms: number, count: number) => (count === 0 ? '-' : (ms / count / 1000).toFixed(3))
  const row = (name: string, days: readonly TimesOfDay[]) => {
    const sum = (of: (day: TimesOfDay) => number) => days.reduce((all, day) => all + of(day), 0)
    return [
      name,
      oneDecimal(sum(({ visitsAtOnce }) => visitsAtOnce) / days.length),
      seconds(
        sum(({ download }) => download),
        sum(({ requests }) => requests),
      ),
      seconds(
        sum(({ checkOut }) => checkOut),
        sum(({ checkOuts }) => checkOuts),
      ),
    ]
  }
  if (timesByDay.length === 0) return { title: 'HTTP and scheduler latency', header: [], rows: [] }
  const rows = timesByDay.slice(-MAX_LINES).map((day) => row(day.day, [day]))
  if (timesByDay.length > 1) rows.push(row('Average', timesByDay))
  rows.push(['CoBWeb', '5 to 25', '3.390', '0.020'])
  const header = ['Date', 'Visits at once', 'HTTP (s)', 'Scheduler (s)']
  return { title: 'HTTP and scheduler latency', header, rows, total: true }
}

const oneDecimal = (n: number) => n.toFixed(1)
const milliseconds = (ms: number, count: number) =>
  count === 0 ? '-' : `${grouped(Math.round((10 * ms) / count) / 10)} ms`

const HTML = ['text/html', 'application/xhtml+xml']

/** CoBWeb, Table 4: size of the collected web. */
export function sizeOfWeb(figures: Figures): TextTable {
  const html = { count: 0, bytes: 0 }
  for (const type of HTML) {
    html.count += figures.documentsByType[type]?.count ?? 0
    html.bytes += figures.documentsByType[type]?.bytes ?? 0
  }
  const other = { count: figures.documents - html.count, bytes: figures.bytes - html.bytes }
  const row = (name: string, { count, bytes }: { count: number; bytes: number }) => [
    name,
    grouped(count),
    formatSize(bytes),
    count === 0 ? '-' : formatSize(Math.round(bytes / count)),
  ]
  return {
    title: 'Size of the collected web',
    header: ['URL', 'Quantity', 'Bytes', 'Mean'],
    rows: [
      row('HTML collected', html),
      row('Other collected', other),
      row('Total collected', { count: figures.documents, bytes: figures.bytes }),
      ['URLs to be collected', grouped(figures.urls.waiting), '-', '-'],
    ],
  }
}

/** CoBWeb, Table 5: servers visited and documents per server. */
export function servers(figures: Figures): TextTable {
  return {
    title: 'Servers',
    header: [],
    rows: [
      ['Visited servers', grouped(figures.servers)],
      ['Documents per server (mean)', grouped(figures.perServer.mean)],
      ['Documents per server (median)', grouped(figures.perServer.median)],
      ['Documents per server (most)', grouped(figures.perServer.max)],
    ],
  }
}

/** CoBWeb, Table 6: errors by kind, HTTP's and the network's. */
export function errors(figures: Figures): TextTable {
  const kinds: [string, number][] = []
  for (const [code, n] of Object.entries(figures.statuses)) if (Number(code) >= 400) kinds.push([statusText(code), n])
  for (const [kind, n] of Object.entries(figures.failures)) {
    const text = failureText(kind)
    if (text !== undefined) kinds.push([text, n])
  }
  return counted('Errors', ['Error', 'Frequency'], kinds)
}

/** CrawlWave, Table 1: statuses with counts and shares. Heritrix's negative codes are errors, not responses. */
export function statuses(figures: Figures): TextTable {
  const answers = Object.entries(figures.statuses).filter(([code]) => Number(code) > 0)
  const whole = answers.reduce((sum, [, n]) => sum + n, 0)
  const rows = answers
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([code, n]) => [statusText(code), grouped(n), share(n, whole)])
  return {
    title: 'Responses by status',
    header: ['Status', 'Responses', 'Share'],
    rows: [['Total successful requests', grouped(whole), share(whole, whole)], ...rows],
  }
}

export function types(figures: Figures): TextTable {
  const rows = Object.entries(figures.documentsByType)
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, MAX_LINES)
    .map(([type, t]) => [
      type,
      grouped(t.count),
      share(t.count, figures.documents),
      formatSize(t.bytes),
      formatSize(Math.round(t.mean)),
    ])
  return { title: 'Documents by media type', header: ['Type', 'Documents', 'Share', 'Bytes', 'Mean'], rows }
}

/** What was not fetched or not kept, by rule (C3, C4, V19). */
export function refusals(figures: Figures): TextTable {
  const kinds: [string, number][] = [
    ...Object.entries(figures.refused).map(([by, n]): [string, number] => [REFUSED[by] ?? by, n]),
    ...Object.entries(figures.unwanted).map(([kind, n]): [string, number] => [`unwanted: ${kind}`, n]),
  ]
  return counted('Not collected, by rule', ['Reason', 'Links'], kinds)
}

/** Defects of documents that were kept anyway. A document may have several, so there is no total. */
export function marks(figures: Figures): TextTable {
  const rows = Object.entries(figures.troubles)
    .slice(0, MAX_LINES)
    .map(([mark, n]) => [markText(mark) ?? mark, grouped(n)])
  return { title: 'Documents kept with a defect', header: ['Defect', 'Documents'], rows }
}

/** VN, Table 7: sites and URLs stopped by each limit and by each hazard rule, with the paper's own shares. */
export function limits(figures: Figures): TextTable {
  const rows = figures.stopped
    .slice(0, MAX_LINES * 2)
    .map(({ rule, limits, sites, urls, withdrawn }) => [
      rule,
      limits.map((limit) => limit.slice(rule.length)).join(' '),
      grouped(sites),
      share(sites, figures.servers),
      grouped(urls),
      withdrawn === 0 ? '' : grouped(withdrawn),
      VN_STOPPED[rule] ?? '',
    ])
  const header = ['Rule', 'At', 'Sites', 'Share', 'Held back', 'Withdrawn', 'In VN’s crawl']
  return { title: 'Stopped by limits and hazards', header, rows }
}

const VN_STOPPED: Readonly<Record<string, string>> = {
  'site-duplicates': '1.6% of sites (10)',
  'site-urls': '0.8% of sites (5,000)',
  'site-depth': '11.3% of sites (5)',
  time: '0.4% of URLs (60s)',
  size: '0.1% of URLs (2 MB)',
}

/** Coverage and economy: known, collected, waiting (C14), downloads per URL, duplicates (V21). */
export function coverage(figures: Figures): TextTable {
  const { urls } = figures
  return {
    title: 'Coverage',
    header: [],
    rows: [
      ['URLs known', grouped(urls.seen), ''],
      ['URLs fetched', grouped(urls.fetched), share(urls.fetched, urls.seen)],
      ['URLs waiting', grouped(urls.waiting), share(urls.waiting, urls.seen)],
      ['Documents', grouped(figures.documents), ''],
      ['of them duplicates', grouped(figures.duplicates), share(figures.duplicates, figures.documents)],
      ['Documents per URL fetched', figures.downloadsPerUrl.toFixed(2), ''],
      ['Links in pages (with repeats)', grouped(figures.links), ''],
    ],
  }
}

export interface SeedsOfSource {
  source: string
  waiting: number
  collected: number
  moved: number
  dead: number
  refused: number
}

/** Seeds per source, by what became of them. */
export function sourcesTable(sources: readonly SeedsOfSource[]): TextTable {
  const columns = ['waiting', 'collected', 'moved', 'dead', 'refused'] as const
  const sum = (column: (typeof columns)[number]) => sources.reduce((total, row) => total + row[column], 0)
  const rows = sources.map((row) => [row.source, ...columns.map((column) => grouped(row[column]))])
  return {
    title: 'Seeds by source',
    header: ['source', ...columns],
    rows: sources.length > 1 ? [...rows, ['all', ...columns.map((column) => grouped(sum(column)))]] : rows,
    total: sources.length > 1,
  }
}

export function allTables(figures: Figures): TextTable[] {
  return [
    coverage,
    sizeOfWeb,
    types,
    servers,
    ratesByDay,
    operations,
    operationsByDay,
    latencies,
    statuses,
    errors,
    refusals,
    marks,
    limits,
  ]
    .map((table) => table(figures))
    .filter((table) => table.rows.length > 0)
}

function counted(title: string, header: readonly string[], kinds: readonly [string, number][]): TextTable {
  const sorted = kinds.filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
  if (sorted.length === 0) return { title, header, rows: [] }
  const rest = sorted.slice(MAX_LINES).reduce((sum, [, n]) => sum + n, 0)
  const rows = sorted.slice(0, MAX_LINES).map(([name, n]) => [name, grouped(n)])
  if (rest > 0) rows.push(['Other', grouped(rest)])
  rows.push(['Total', grouped(sorted.reduce((sum, [, n]) => sum + n, 0))])
  return { title, header, rows, total: true }
}
