/** The texts of mails: the day's report, and what is wrong. Plain text and HTML say the same; charts are images in the mail, and nothing is loaded from elsewhere. */
import type { Instant } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { formatDuration, formatSize } from '../base/units.ts'
import type { DayFigures } from '../collection/day-figures.ts'
import { LINE_COLOURS, linePng } from './line-image.ts'
import type { Mail } from './mail.ts'
import { grouped, printTable, share, type TextTable } from './text-table.ts'

export interface DayReport {
  /** Of the collection, for subjects. */
  name: string
  /** Undefined: an ordinary day. */
  ended: string | undefined
  figures: DayFigures
  urls: { known: number; marked: number; waiting: number }
  sites: Readonly<Record<string, number>>
  freshness: { freshness: number; bound: number } | undefined
  problems: readonly ProblemNews[]
}

export interface ProblemNews {
  name: string
  what: string
  since: Instant
}

/** Rows of a table; more are left out. */
const MAX_ROWS = 8

export function dayMail(report: DayReport): Mail {
  const { name, ended, figures, problems } = report
  const day = timeText(figures.to)
  const headline = ended ?? `the day until ${day}`
  const wrong = problems.length === 0 ? '' : `, ${problems.length} problem${problems.length === 1 ? '' : 's'}`
  const tables = tablesOf(report)
  const charts = chartsOf(figures)
  const wrongText = problems.map(problemLine)
  return {
    id: `day.${idOf(name, day, headline)}`,
    subject: `[orbweaver ${name}] ${headline}${wrong}`,
    text: [
      `${name}: ${headline}.`,
      ...(wrongText.length === 0 ? [] : [['What is wrong now:', ...wrongText.map((line) => `- ${line}`)].join('\n')]),
      ...tables.map(printTable),
      ...charts.map(({ title, caption }) => `${title}: ${caption}`),
    ].join('\n\n'),
    html: page([
      `<h1 style="font-size:18px">${escaped(`${name}: ${headline}`)}</h1>`,
      problemList('What is wrong now', wrongText),
      ...tables.map(htmlTable),
      ...charts.map(
        ({ title, caption, id, names }) =>
          `<h2 style="font-size:15px">${escaped(title)}</h2><p>${names
            .map((of, nth) => `<b style="color:${LINE_COLOURS[nth]}">${escaped(of)}</b>`)
            .join(', ')}: ${escaped(caption)}</p>` +
          `<img src="cid:${id}" width="600" height="160" alt="${escaped(`${title}: ${caption}`)}">`,
      ),
    ]),
    images: new Map(charts.map(({ id, lines }) => [id, linePng({ lines })])),
  }
}

/** One mail for all that is new at a moment. */
export function problemMail(name: string, begun: readonly ProblemNews[], over: readonly ProblemNews[]): Mail {
  const [first] = [...begun, ...over]
  const more = begun.length + over.length - 1
  // With several servers, each problem begins with the URL of the server that sees it.
  const [short] = /^(https?:\S+ )?.*?(?=[:;] |$)/s.exec(first.what)!
  const subject = `${begun.length === 0 ? 'over: ' : ''}${short.slice(0, 120)}${more > 0 ? ` (and ${more} more)` : ''}`
  const groups = [
    ['Wrong now', begun.map(problemLine)],
    ['No longer wrong', over.map(problemLine)],
  ] as const
  return {
    id: `problem.${idOf(name, ...begun.map((one) => `${one.name} ${one.since}`), '', ...over.map((one) => `${one.name} ${one.since}`))}`,
    subject: `[orbweaver ${name}] ${subject}`,
    text: groups
      .filter(([, lines]) => lines.length > 0)
      .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `- ${line}`)].join('\n'))
      .join('\n\n'),
    html: page(groups.map(([title, lines]) => problemList(title, lines))),
    images: new Map(),
  }
}

const idOf = (...parts: string[]): string => hash64(parts.join('\n')).toString(16)

const problemLine = ({ what, since }: ProblemNews): string => `${what} (since ${timeText(since)})`

const timeText = (at: Instant): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function tablesOf({ figures, urls, sites, freshness }: DayReport): TextTable[] {
  const { steps, activeMinutes, counters, recent } = figures
  const sum = (values: readonly number[]) => values.reduce((all, some) => all + some, 0)
  const requests = sum(steps.requests)
  const known = Object.values(sites).reduce((all, some) => all + some, 0)
  const fresh =
    freshness === undefined
      ? []
      : [['freshness', `${percent(freshness.freshness)}, at most ${percent(freshness.bound)} is possible`]]
  return [
    {
      title: 'The last 24 hours',
      header: [],
      rows: [
        ['requests', grouped(requests)],
        ['documents', `${grouped(sum(steps.documents))} (${formatSize(sum(steps.bytes))})`],
        ['per second', `${(requests / Math.max(60, 60 * activeMinutes)).toFixed(2)} in the minutes with requests`],
      ],
    },
    {
      title: 'The crawl',
      header: [],
      rows: [
        [
          'URLs',
          `${grouped(urls.known)} known, ${grouped(urls.marked)} dealt with (${share(urls.marked, urls.known)}), ${grouped(urls.waiting)} waiting`,
        ],
        ['documents', `${grouped(counters.get('documents') ?? 0)} (${formatSize(counters.get('bytes') ?? 0)})`],
        [
          'sites',
          `${grouped(known)} known, ${grouped(sites.crawled ?? 0)} crawled, ${grouped(sites.barred ?? 0)} given up`,
        ],
        ...fresh,
      ],
    },
    largest('Answers of today and yesterday, by status', recent, 'status:'),
    largest('Failures of today and yesterday', recent, 'failure:'),
    largest('Not followed, by limit or hazard', recent, 'stopped:'),
  ].filter(({ rows }) => rows.length > 0)
}

function largest(title: string, counters: ReadonlyMap<string, number>, prefix: string): TextTable {
  const found = [...counters].filter(([name]) => name.startsWith(prefix)).sort(([, a], [, b]) => b - a)
  const rows = found.slice(0, MAX_ROWS).map(([name, value]) => [name.slice(prefix.length), grouped(value)])
  return { title, header: [], rows }
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`

function chartsOf({ steps, from, to }: DayFigures) {
  const top = (values: readonly (number | undefined)[]) => Math.max(0, ...values.filter((value) => value !== undefined))
  const span = `${timeText(from)} to ${timeText(to)}`
  const every = formatDuration(steps.ms)
  return [
    {
      id: 'urls',
      title: 'URLs',
      names: ['dealt with', 'waiting'],
      lines: [steps.collected, steps.waiting],
      caption: `at most ${grouped(top(steps.collected))} dealt with and ${grouped(top(steps.waiting))} waiting, ${span}`,
    },
    {
      id: 'requests',
      title: `Requests and documents every ${every}`,
      names: ['requests', 'documents'],
      lines: [steps.requests, steps.documents],
      caption: `at most ${grouped(top(steps.requests))} and ${grouped(top(steps.documents))}, ${span}`,
    },
    {
      id: 'bytes',
      title: `Bytes of documents every ${every}`,
      names: ['bytes'],
      lines: [steps.bytes],
      caption: `at most ${formatSize(top(steps.bytes))}, ${span}`,
    },
  ]
}

function htmlTable({ title, rows }: TextTable): string {
  const cells = (row: readonly string[]) =>
    row.map((cell, at) => `<td style="padding:2px 16px 2px 0${at === 0 ? ';color:#555' : ''}">${escaped(cell)}</td>`)
  return `<h2 style="font-size:15px">${escaped(title)}</h2><table style="border-collapse:collapse">${rows
    .map((row) => `<tr>${cells(row).join('')}</tr>`)
    .join('')}</table>`
}

function problemList(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `<h2 style="font-size:15px">${escaped(title)}</h2><ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`
}

const page = (parts: readonly string[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><body style="font-family:sans-serif;font-size:14px;color:#222;background:#fff">${parts.filter((part) => part !== '').join('\n')}</body></html>\n`

/** Names of counters come with reports, and problems name workers. */
const escaped = (text: string): string =>
  text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '?').replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
