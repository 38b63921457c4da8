/** The collected web in tables: distributions, shares beside those of the VN paper, and what proposed limits would stop. */
import { formatDuration, formatSize } from '../base/units.ts'
import type { WebFigures } from '../collection/characterise/characterise.ts'
import type { Summary } from '../collection/characterise/distribution.ts'
import type { Threshold } from '../collection/characterise/thresholds.ts'
import { statusText } from './status-text.ts'
import { grouped, share, type TextTable } from './text-table.ts'

/** Longer tables sum up the rest as 'Other'. */
const MAX_LINES = 15
/** Length of the longest bar of a histogram. */
export const LONGEST_BAR = 40

export function webTables(figures: WebFigures): TextTable[] {
  return [
    overview(figures),
    distributions(figures),
    ...HISTOGRAMS.map(({ title, of }) => histogram(title, of(figures))),
    sizes(figures),
    names('Languages declared by documents', 'Language', figures.languages, (name) => name || '(none)'),
    names('Documents whose type differs from the declared one', 'Types', figures.mistaken),
    names('URLs by status of the last response', 'Status', figures.statuses, statusText),
    links(figures),
    thresholds(figures),
  ].filter((table) => table.rows.length > 0)
}

function overview({ sites, urls, documents, duplicates, sessionIds }: WebFigures): TextTable {
  return {
    title: 'The web of this collection',
    header: [],
    rows: [
      ['Sites visited', grouped(sites), ''],
      ['URLs fetched', grouped(urls), ''],
      ['Documents', grouped(documents), ''],
      ['of them duplicates', grouped(duplicates.documents), share(duplicates.documents, documents)],
      ['URLs with session ids', grouped(sessionIds.urls), share(sessionIds.urls, urls)],
      ['Sites with such URLs', grouped(sessionIds.sites), share(sessionIds.sites, sites)],
    ],
  }
}

function distributions(figures: WebFigures): TextTable {
  const row = (name: string, s: Summary, unit: (n: number) => string = grouped) => [
    name,
    grouped(s.count),
    ...[s.mean, s.median, s.p90, s.p99, s.p999, s.max].map(unit),
  ]
  const rows = [
    row('URLs per site', figures.urlsPerSite),
    row('Documents per site', figures.documentsPerSite),
    row('Duplicates per site', figures.duplicates.perSite),
    row('Depth of URLs', figures.depth),
    row('Deepest URL of a site', figures.deepest),
    row('Length of URLs', figures.urlLength),
    row('Links per page', figures.outLinks),
    row('Pages that link to a URL', figures.inLinks),
    row('Time per request', figures.took, (n) => formatDuration(n)),
  ]
  const header = ['Distribution', 'Of', 'Mean', 'Median', '90%', '99%', '99.9%', 'Max']
  return { title: 'Distributions', header, rows: rows.filter(([, of]) => of !== '0') }
}

const HISTOGRAMS: { title: string; of: (figures: WebFigures) => Summary }[] = [
  { title: 'Sites by URLs', of: ({ urlsPerSite }) => urlsPerSite },
  { title: 'URLs by depth', of: ({ depth }) => depth },
  { title: 'URLs by length', of: ({ urlLength }) => urlLength },
  { title: 'Pages by number of links', of: ({ outLinks }) => outLinks },
  { title: 'URLs by number of pages that link to them', of: ({ inLinks }) => inLinks },
]

/** Bins are powers of two; bars are proportional. */
function histogram(title: string, summary: Summary): TextTable {
  const max = Math.max(1, ...summary.histogram.map(({ count }) => count))
  const rows = summary.histogram.map(({ from, to, count }) => [
    from === to ? grouped(from) : `${grouped(from)} – ${grouped(to)}`,
    grouped(count),
    share(count, summary.count),
    count === 0 ? '' : '█'.repeat(Math.max(1, Math.round((LONGEST_BAR * count) / max))),
  ])
  return { title, header: [], rows }
}

function sizes(figures: WebFigures): TextTable {
  const rows = figures.size
    .slice(0, MAX_LINES)
    .map((s) => [
      s.type || '(none)',
      grouped(s.count),
      share(s.count, figures.documents),
      ...[s.mean, s.median, s.p90, s.p99, s.max].map((n) => formatSize(Math.round(n))),
    ])
  const header = ['Type', 'Number', 'Share', 'Mean', 'Median', '90%', '99%', 'Largest']
  return { title: 'Sizes of documents by media type', header, rows }
}

function names(
  title: string,
  what: string,
  counts: Readonly<Record<string, number>>,
  label: (name: string) => string = (name) => name,
): TextTable {
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1])
  const whole = all.reduce((sum, [, n]) => sum + n, 0)
  const rows = all.slice(0, MAX_LINES).map(([name, n]) => [label(name), grouped(n), share(n, whole)])
  const rest = all.slice(MAX_LINES).reduce((sum, [, n]) => sum + n, 0)
  if (rest > 0) rows.push(['Other', grouped(rest), share(rest, whole)])
  return { title, header: [what, 'Count', 'Share'], rows }
}

/** From VN §5.2 and §5.3. */
const VN_INTERNAL = '81.50%'
const VN_DEEP = '29.50%'

function links({ links: l, behind }: WebFigures): TextTable {
  const rows = [
    ['Links (each once per page)', grouped(l.all), '', ''],
    ['Within the site', grouped(l.internal), share(l.internal, l.all), VN_INTERNAL],
    ['To other sites', grouped(l.external), share(l.external, l.all), ''],
    ['of them to home pages', grouped(l.home), share(l.home, l.home + l.deep), ''],
    ['of them to deeper pages', grouped(l.deep), share(l.deep, l.home + l.deep), VN_DEEP],
  ]
  if (behind > 0) rows.push(['Pages whose links are not indexed yet', grouped(behind), '', ''])
  return { title: 'Links', header: ['', 'Count', 'Share', 'VN'], rows }
}

/** In the order of the table. */
const LIMITS: Record<Threshold['name'], { label: string; unit: (n: number) => string }> = {
  'urls-per-site': { label: 'URLs per site', unit: grouped },
  'duplicates-per-site': { label: 'Duplicates per site', unit: grouped },
  depth: { label: 'Depth', unit: grouped },
  'url-length': { label: 'URL length', unit: grouped },
  time: { label: 'Response time', unit: (n) => formatDuration(n) },
  size: { label: 'Size', unit: formatSize },
}

/**
 * VN's Table 7, with documents added: what each limit would have stopped here, and what VN's stopped there. As in the
 * paper, the share is of sites for limits per site and of depth, otherwise of URLs.
 */
function thresholds({ thresholds: all, sites, urls }: WebFigures): TextTable {
  const ofSites = new Set<Threshold['name']>(['urls-per-site', 'duplicates-per-site', 'depth'])
  const order = Object.keys(LIMITS)
  const rows = all
    .toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    .map(({ name, type, limit, from, stops, vn }) => [
      type === undefined ? LIMITS[name].label : `${LIMITS[name].label}, ${type || 'no type'}`,
      LIMITS[name].unit(limit),
      from === 'here' ? 'here' : 'VN',
      grouped(stops.sites),
      grouped(stops.urls),
      grouped(stops.documents),
      ofSites.has(name) ? share(stops.sites, sites) : share(stops.urls, urls),
      vn === undefined ? '' : `${(vn.share * 100).toFixed(1)}%`,
    ])
  const header = ['Limit', 'At', 'From', 'Sites', 'URLs', 'Docs', 'Share', 'VN’s']
  return { title: "Limits proposed from this collection and VN's, and what each would have stopped", header, rows }
}
