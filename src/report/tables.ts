/** The tables of the papers, from the figures of a collection (C11, W14). */
import { formatSize } from '../base/units.ts'
import type { Figures } from '../collection/figures.ts'
import { failureText, markText, refusalKindText, statusText } from './status-text.ts'
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
    ...Object.entries(figures.refused).map(([by, n]): [string, number] => [refusalKindText(by), n]),
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

export function allTables(figures: Figures): TextTable[] {
  return [coverage, sizeOfWeb, types, servers, ratesByDay, statuses, errors, refusals, marks, limits]
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
