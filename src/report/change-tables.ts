/** How much the pages of a collection change, in tables: shares of looks by class beside those of Fetterly et al. (2003). */
import { formatDuration } from '../base/units.ts'
import { type ChangeFigures, type ChangesOf, type ClassCounts, sumOf } from '../collection/change-figures.ts'
import { grouped, share, type TextTable } from './text-table.ts'

/** A page with the changes that were seen, and the rate estimated from them. */
export interface ChangingPage {
  url: string
  changesPerDay: number
  changes: number
  /** For how long it was observed. */
  observedMs: number
}

/** Hints that a look confirmed, hints that it did not, and changes that no hint announced. */
type HintCounts = Record<'right' | 'wrong' | 'unannounced', number>

export interface ChangeReport extends ChangeFigures {
  /** Known pages that were looked at again; of very many, a sample. */
  pages: number
  /** Of sitemaps, feeds and announcements. */
  hints: { sites: number; all: HintCounts; bySite: readonly (HintCounts & { site: string })[] }
  most: ChangingPage[]
  least: ChangingPage[]
}

/** What the classes are called, and the shares of Fetterly et al.: weekly looks at 151 million pages over eleven weeks. */
const CLASSES: readonly [of: (figures: ChangeFigures) => number, name: string, fetterly: string][] = [
  [({ looks, changed }) => looks - changed, 'No other byte', ''],
  [({ classes }) => classes.markup, 'Mark-up only', ''],
  [({ looks, changed, classes }) => looks - changed + classes.markup, 'together: the text is the same', '76%'],
  [({ classes }) => classes.volatile, 'Volatile regions only', ''],
  [({ classes }) => classes.small, 'Small: 70% and more of the text are the same', '16%'],
  [({ classes }) => classes.medium, 'Medium: 30% and more', '3%'],
  [({ classes }) => classes.large, 'Large: less', ''],
  [({ classes }) => classes.complete, 'Complete: nothing', ''],
  [({ classes }) => classes.binary, 'Not text', ''],
  [({ changed, classes }) => Math.max(0, changed - sumOf(classes)), 'Changed, not classed', ''],
]

export function changeTables(report: ChangeReport): TextTable[] {
  return [
    classTable(report),
    groupTable('Changes by site: those with most', 'Site', report.bySite),
    groupTable('Changes by media type', 'Type', report.byType),
    hintTable(report.hints),
    pageTable('Pages that change most', report.most),
    pageTable('Pages that change least', report.least),
  ].filter(({ rows }) => rows.length > 0)
}

function classTable(figures: ChangeReport): TextTable {
  const rows = CLASSES.map(([of, name, fetterly]) => [
    name,
    grouped(of(figures)),
    share(of(figures), figures.looks),
    fetterly,
  ])
  return {
    title: 'Looks at known pages, by what they found changed',
    header: ['Change', 'Looks', 'Share', 'Fetterly 2003'],
    rows,
  }
}

const GROUPS: readonly [name: string, of: (classes: ClassCounts) => number][] = [
  ['Mark-up', ({ markup }) => markup],
  ['Volatile', ({ volatile }) => volatile],
  ['Small', ({ small }) => small],
  ['Medium', ({ medium }) => medium],
  ['Large', ({ large }) => large],
  ['All', ({ complete }) => complete],
]

/** A host may have 253 characters; the tables fit a terminal of 80 columns with shorter ones. */
const LONGEST_NAME = 20

function groupTable(title: string, what: string, groups: readonly ChangesOf[]): TextTable {
  const rows = groups.map(({ name, looks, classes }) => [
    clipped(name === '' ? '(none)' : name),
    grouped(looks),
    ...GROUPS.map(([, of]) => grouped(of(classes))),
  ])
  return { title, header: [what, 'Looks', ...GROUPS.map(([name]) => name)], rows }
}

function hintTable({ sites, all, bySite }: ChangeReport['hints']): TextTable {
  const row = (name: string, { right, wrong, unannounced }: HintCounts) => [
    name,
    grouped(right),
    grouped(wrong),
    share(wrong, right + wrong),
    grouped(unannounced),
    share(right, right + unannounced),
  ]
  const rows = bySite.map((one) => row(clipped(one.site), one))
  return {
    title: 'Hints of a change (sitemaps, feeds, announcements), where there were any',
    header: ['Site', 'Right', 'Wrong', 'False', 'Unannounced', 'Recall'],
    rows: sites === 0 ? [] : [row(sites === 1 ? '1 site' : `${grouped(sites)} sites`, all), ...rows],
  }
}

const clipped = (name: string) => (name.length > LONGEST_NAME ? `…${name.slice(1 - LONGEST_NAME)}` : name)
const DAY_MS = 86_400_000

function pageTable(title: string, pages: readonly ChangingPage[]): TextTable {
  const rows = pages.map(({ url, changesPerDay, changes, observedMs }) => [
    changesPerDay > 0 ? formatDuration(Math.round(DAY_MS / changesPerDay / 1000) * 1000) : 'never',
    `${grouped(changes)} in ${formatDuration(Math.round(observedMs / 1000) * 1000)}`,
    url,
  ])
  return { title, header: ['Changes every', 'Seen', 'URL'], rows }
}
