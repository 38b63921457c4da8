/** Every table of `report`, `report web` and `report changes`, and the figures of the papers; each with a CSV (V19, C11, C14). */

import { formatSize } from '../../base/units.ts'
import type { WebFigures } from '../../collection/characterise/characterise.ts'
import type { Figures, Stretch } from '../../collection/figures.ts'
import { type ChangeReport, changeTables } from '../../report/change-tables.ts'
import { allTables, OPERATION_NAMES, OPERATIONS, type SeedsOfSource, sourcesTable } from '../../report/tables.ts'
import { grouped, isFigure, type TextTable } from '../../report/text-table.ts'
import { LONGEST_BAR, webTables } from '../../report/web-tables.ts'
import { type Html, href, html, visible } from '../html.ts'
import { framed, notice } from '../layout.ts'
import type { PageAnswer, PageRequest, Render, Slow, SlowData } from '../page.ts'
import { WITHOUT_SCRIPTS } from '../pieces.ts'
import { csv, type Plot, plot, plotCsv } from '../plot.ts'

export interface ReportsData {
  figures(): Promise<Figures>
  seedStanding(): Promise<SeedsOfSource[]>
  evolution(): Promise<Stretch[]>
  web(): Promise<WebFigures>
  changeReport(atMost: number): Promise<ChangeReport>
}

interface Collected {
  figures: Figures
  seeds: SeedsOfSource[]
  stretches: Stretch[]
}

/** Pages that `report changes` names. */
const MAX_PAGES = 20

/** Each reads whole tables: minutes, at ten million URLs. */
export const reportComputations = {
  'report-collection': async (_: string, data: ReportsData): Promise<Collected> => ({
    figures: await data.figures(),
    seeds: await data.seedStanding(),
    stretches: await data.evolution(),
  }),
  'report-web': (_: string, data: ReportsData) => data.web(),
  'report-changes': (_: string, data: ReportsData) => data.changeReport(MAX_PAGES),
}

/** Under their names in addresses. */
const GROUPS = {
  figures: { title: 'Figures', slow: 'report-collection' },
  collection: { title: 'Collection', slow: 'report-collection' },
  web: { title: 'Web', slow: 'report-web' },
  changes: { title: 'Changes', slow: 'report-changes' },
} as const
type Group = keyof typeof GROUPS

interface Figure extends Plot {
  id: string
  note: string
}

type Content = { kind: 'figures'; figures: Figure[] } | { kind: 'tables'; tables: TextTable[] }

export const reports: Render<ReportsData & SlowData> = async (request, data) => {
  const [, , name = 'figures'] = request.path.split('/')
  const [what, group] = partsOf(name)
  if (group === undefined) return notice(request, 404, 'Not found', 'There is no such report.')
  const slow = await data.slow<unknown>(GROUPS[group].slow, '')
  if (what === undefined) return page(request, group, slow)
  if (slow.state !== 'known') return notReady(slow)
  const content = contentOf(group, slow.value)
  const text =
    content.kind === 'figures'
      ? content.figures.filter(({ id }) => id === what).map((figure) => plotCsv(figure))[0]
      : content.tables.filter(({ title }) => idOf(title) === what).map(tableCsv)[0]
  if (text === undefined) return notice(request, 404, 'Not found', 'There is no such table, or it is empty.')
  const headers = { 'content-disposition': `attachment; filename="${group}-${what}.csv"` }
  return { status: 200, type: 'text/csv; charset=utf-8', body: text, headers }
}

/** `web` is a page, `web.sizes-of-documents.csv` one of its tables. */
function partsOf(name: string): [what: string | undefined, group: Group | undefined] {
  const [group, what, end, ...more] = name.split('.')
  const known = Object.hasOwn(GROUPS, group) ? (group as Group) : undefined
  if (what === undefined) return [undefined, known]
  return end === 'csv' && more.length === 0 ? [what, known] : [undefined, undefined]
}

const idOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)

function notReady(slow: Slow<unknown>): PageAnswer {
  const why =
    slow.state === 'failed' ? `It could not be computed: ${slow.why}` : 'It is being computed. Ask again soon.'
  return { status: 503, type: 'text/plain; charset=utf-8', body: `${why}\n`, headers: { 'retry-after': '10' } }
}

function page(request: PageRequest, group: Group, slow: Slow<unknown>): PageAnswer {
  const { base } = request
  const path = (name: string) => (name === 'figures' ? '/reports' : `/reports/${name}`)
  const tabs = Object.entries(GROUPS).map(
    ([name, { title }]) =>
      html`<li><a href="${href(base, path(name))}"${name === group && html` aria-current="page"`}>${title}</a></li>`,
  )
  const isReady = slow.state === 'known'
  const body = html`<nav class="tabs" aria-label="Reports"><ul>${tabs}</ul></nav>
<div id="report"${!isReady && html` data-live`}>${slowText(slow)}${isReady && show(request, group, contentOf(group, slow.value))}</div>`
  return framed(request, { title: group === 'figures' ? 'Reports' : GROUPS[group].title, under: '/reports', body })
}

function slowText(slow: Slow<unknown>): Html {
  if (slow.state === 'known') {
    const at = new Date(slow.at).toISOString()
    return html`<p class="soft">As of <time datetime="${at}">${at.slice(11, 19)}</time>. It is computed anew when someone looks and it has grown old.</p>`
  }
  if (slow.state === 'failed') return html`<p class="message wrong">It could not be computed: ${visible(slow.why)}</p>`
  return html`<p class="message" role="status">Computing: of a large collection this takes minutes. The page shows it when it is there.${WITHOUT_SCRIPTS}</p>`
}

/** The value of a group's computation. */
function contentOf(group: Group, value: unknown): Content {
  if (group === 'figures') return { kind: 'figures', figures: figuresOf(value as Collected) }
  if (group === 'web')
    return { kind: 'tables', tables: (value as WebFigures).urls === 0 ? [] : webTables(value as WebFigures) }
  if (group === 'changes')
    return { kind: 'tables', tables: (value as ChangeReport).looks === 0 ? [] : changeTables(value as ChangeReport) }
  const { figures, seeds } = value as Collected
  return { kind: 'tables', tables: [...allTables(figures), sourcesTable(seeds)].filter(({ rows }) => rows.length > 0) }
}

const NOTHING: Readonly<Record<Group, string>> = {
  figures: '',
  collection: 'Nothing has been fetched yet.',
  web: 'Nothing has been fetched yet, so there is nothing to describe.',
  changes: 'No page was looked at again yet: orbweaver refresh does that.',
}

function show({ base }: PageRequest, group: Group, content: Content): Html {
  const link = (id: string, title: string) =>
    html`<a class="csv" href="${href(base, `/reports/${group}.${id}.csv`)}" aria-label="${title} as CSV">CSV</a>`
  if (content.kind === 'figures')
    return html`<div class="plots">${content.figures.map((figure) => html`<section><h2>${figure.title} ${link(figure.id, figure.title)}</h2><p class="soft">${figure.note}</p>${plot(figure)}</section>`)}</div>`
  if (content.tables.length === 0) return html`<p>${NOTHING[group]}</p>`
  return html`${content.tables.map((table) => html`<section><h2>${table.title} ${link(idOf(table.title), table.title)}</h2>${shownTable(table)}</section>`)}`
}

function shownTable({ title, header, rows }: TextTable): Html {
  const columns = Math.max(header.length, ...rows.map((row) => row.length))
  const right = Array.from({ length: columns }, (_, i) => i > 0 && rows.every((row) => isFigure(row[i] ?? '')))
  const kind = (i: number) => right[i] && html` class="n"`
  const head =
    header.length > 0 &&
    html`<thead><tr>${header.map((cell, i) => html`<th scope="col"${kind(i)}>${cell}</th>`)}</tr></thead>`
  const body = rows.map(
    (row) =>
      html`<tr><th scope="row">${visible(row[0] ?? '')}</th>${row.slice(1).map((cell, i) => html`<td${kind(i + 1)}>${shownCell(cell)}</td>`)}</tr>`,
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>${head}<tbody>${body}</tbody></table></div>`
}

/** A histogram's bar is a picture: read aloud it would be a row of blocks. */
const BAR = /^█+$/

function shownCell(cell: string): Html {
  if (!BAR.test(cell)) return visible(cell)
  return html`<svg class="bar-cell" viewBox="0 0 ${LONGEST_BAR} 1" preserveAspectRatio="none" aria-hidden="true"><rect width="${cell.length}" height="1"/></svg>`
}

/** As printed, with plain numbers; `report --json` has the exact ones. */
function tableCsv({ header, rows }: TextTable): string {
  const plain = (text: string) =>
    BAR.test(text) ? '' : /^[\d,]+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text
  return csv([...(header.length > 0 ? [header] : []), ...rows.map((row) => row.map(plain))])
}

const DAY = { label: 'day (UTC)', isTime: true, text: (at: number) => new Date(at).toISOString().slice(0, 10) }
const seconds = (s: number) => `${s < 0.1 && s > 0 ? s.toFixed(3) : s < 10 ? s.toFixed(2) : grouped(Math.round(s))} s`

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`
const count = (n: number) => grouped(Math.round(n * 10) / 10)

/** Values that were never measured have no figure: only a refresh measures freshness. */
const figuresOf = ({ figures, stretches }: Collected): Figure[] =>
  [...overTime(stretches), ...byOperation(figures)].filter(
    ({ id, series }) => id !== 'freshness' || series[0].points.length > 0,
  )

function overTime(stretches: readonly Stretch[]): Figure[] {
  const isShort = (stretches.at(-1)?.at ?? 0) - (stretches[0]?.at ?? 0) < 2 * 86_400_000
  const time = {
    ...{ label: 'time (UTC)', isTime: true },
    text: (at: number) => new Date(at).toISOString().slice(...(isShort ? ([11, 16] as const) : ([5, 10] as const))),
  }
  const points = (of: (stretch: Stretch) => number | null) =>
    stretches.flatMap((stretch) => {
      const y = of(stretch)
      return y === null ? [] : [{ x: stretch.at, y }]
    })
  // The crawl began within the first stretch, and the last is not over.
  const whole = stretches.length > 3 ? stretches.slice(1, -1) : stretches
  const perHour = ({ documents, minutes }: Stretch) => (documents * 60) / minutes
  return [
    {
      id: 'evolution',
      note: 'VN, Fig. 8. VN collected 10.3 million documents in eight days, 1.14 million a day, until its expansion phase began.',
      title: 'Evolution of the crawl: documents per hour',
      ...{ kind: 'lines', x: time, y: { label: 'documents per hour', text: count } },
      series: [{ name: 'documents', points: whole.map((stretch) => ({ x: stretch.at, y: perHour(stretch) })) }],
    },
    {
      id: 'queue',
      note: 'Whether the queue grows or shrinks (CoBWeb): what is known, what of it is collected, moved, missing or refused, and what waits.',
      title: 'URLs known, dealt with and waiting',
      ...{ kind: 'lines', x: time, y: { label: 'URLs', text: count } },
      series: [
        { name: 'known', points: points(({ known }) => known) },
        { name: 'dealt with', points: points(({ collected }) => collected) },
        { name: 'waiting', points: points(({ waiting }) => waiting) },
      ],
    },
    {
      id: 'collectors',
      note: 'CoBWeb, Fig. 3: the rate grows in proportion to the collectors, here visits at once. One point for each stretch of the crawl.',
      title: 'Collection rate by visits at once',
      ...{ kind: 'points', x: { label: 'visits at once', text: count } },
      y: { label: 'documents per minute', text: count },
      series: [
        {
          name: 'documents per minute',
          points: whole
            .filter(({ visitsAtOnce }) => visitsAtOnce > 0)
            .map(({ visitsAtOnce, documents, minutes }) => ({ x: visitsAtOnce, y: documents / minutes })),
        },
      ],
    },
    {
      id: 'freshness',
      note: 'Of a collection that is refreshed: the expected share of pages that are as on the web, and the most that any policy could reach at these pauses.',
      title: 'Freshness and its bound',
      ...{ kind: 'lines', x: time, y: { label: 'share of the pages, by weight', text: percent } },
      series: [
        { name: 'freshness', points: points(({ freshness }) => freshness) },
        { name: 'bound', points: points(({ bound }) => bound) },
      ],
    },
  ]
}

function byOperation({ timesByDay }: Figures): Figure[] {
  const dayAt = (day: string) => Date.parse(`${day}T00:00:00Z`)
  const byDay = (of: (day: Figures['timesByDay'][number]) => number) =>
    timesByDay.map((day) => ({ x: dayAt(day.day), y: of(day) }))
  const whole = (day: Figures['timesByDay'][number]) => OPERATIONS.reduce((sum, name) => sum + day[name], 0)
  return [
    {
      id: 'operations',
      note: 'VN, Fig. 7b. VN’s storage took 1.2 % of the time with one process and 64.8 % with thirty. Text is not stored apart here, so there is no StoreText.',
      title: 'Elapsed time by operation',
      ...{ kind: 'bars', x: DAY, y: { label: 'share of the time of visits', text: percent } },
      series: OPERATIONS.map((name) => ({
        name: OPERATION_NAMES[name],
        points: byDay((day) => day[name] / whole(day)),
      })),
    },
    {
      id: 'durations',
      note: 'VN, Fig. 7a: how long operations take per document.',
      title: 'Time per document by operation',
      ...{ kind: 'lines', x: DAY, y: { label: 'seconds per document', text: seconds } },
      series: OPERATIONS.map((name) => ({
        name: OPERATION_NAMES[name],
        points: byDay((day) => (day.documents === 0 ? 0 : day[name] / day.documents / 1000)),
      })),
    },
    {
      id: 'data',
      note: 'VN, Fig. 7a: data downloaded in a day. VN’s best was 63 GB with 160 processes.',
      title: 'Data downloaded per day',
      ...{ kind: 'bars', x: DAY, y: { label: 'data per day', text: (bytes) => formatSize(Math.round(bytes)) } },
      series: [{ name: 'bytes', points: byDay(({ wireBytes }) => wireBytes) }],
    },
  ]
}
