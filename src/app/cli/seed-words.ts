/** What `seed` says: pure functions from reports to lines. */

import { failureWords, statusWords } from '../../report/status-words.ts'
import { grouped, printTable, type TextTable } from '../../report/text-table.ts'
import type { SeedsEntered } from '../seeds/sources.ts'
import type { SeedCounts, SeedOutcome } from '../seeds/stored-seeds.ts'
import { plain } from './progress.ts'
import { some } from './words.ts'

type Report = SeedsEntered['reports'][number]

const FIGURES = ['new', 'known', 'dead', 'refused', 'repeated'] as const

function sums(reports: readonly Report[]): Record<(typeof FIGURES)[number] | 'again', number> {
  const sum = (name: (typeof FIGURES)[number] | 'again') => reports.reduce((total, report) => total + report[name], 0)
  return {
    new: sum('new'),
    known: sum('known'),
    dead: sum('dead'),
    refused: sum('refused'),
    repeated: sum('repeated'),
    again: sum('again'),
  }
}

/** `next` is the command that collects them; undefined: servers hand them out by themselves. */
export function seedLines({ reports }: SeedsEntered, next: string | undefined): string {
  const total = sums(reports)
  const lines: string[] = []
  const isPlain =
    reports.length === 1 && reports[0].source === 'given' && total.refused === 0 && reports[0].corrected.length === 0
  if (!isPlain) lines.push(table(reports, total), ...reports.flatMap(details))
  if (total.new === 0 && total.known + total.dead + total.repeated === 0) lines.push('Nothing could be entered.')
  else
    lines.push(
      `${some(total.new, 'seed')} added, ${grouped(total.known)} ${total.known === 1 ? 'was' : 'were'} known.${againWords(total.again)} ${next === undefined ? 'The servers of this crawl hand them out to their workers.' : `Collect them with: ${next}`}`,
    )
  return lines.join('\n')
}

function againWords(again: number): string {
  return again === 0
    ? ''
    : ` ${some(again, 'site')} that had been given up ${again === 1 ? 'is' : 'are'} tried once more.`
}

function table(reports: readonly Report[], total: Record<(typeof FIGURES)[number], number>): string {
  const row = (name: string, from: Record<(typeof FIGURES)[number], number>) => [
    name,
    ...FIGURES.map((figure) => grouped(from[figure])),
  ]
  const rows = reports.map((report) => row(plain(report.name), report))
  return printTable({
    title: 'Seeds',
    header: ['from', ...FIGURES],
    rows: reports.length > 1 ? [...rows, row('all', total)] : rows,
    total: reports.length > 1,
  })
}

function details(report: Report): string[] {
  const name = plain(report.name)
  const place = (at: number) => (at === 0 ? name : `${name}, ${report.unit} ${grouped(at)}`)
  const lines = report.corrected.map(({ at, text, url }) => `${place(at)}: '${plain(text)}' was read as ${plain(url)}`)
  if (report.corrections > report.corrected.length)
    lines.push(`… and ${grouped(report.corrections - report.corrected.length)} more of ${name} were put right`)
  for (const { at, text, why } of report.examples)
    lines.push(`${place(at)}: '${plain(text)}' is refused: ${plain(why)}`)
  if (report.refused > report.examples.length && report.examples.length > 0)
    lines.push(`… and ${grouped(report.refused - report.examples.length)} more of ${name} are refused`)
  for (const what of report.notes) lines.push(`${name}: ${plain(what)}`)
  const entered = report.new + report.known + report.dead + report.repeated > 0
  if (report.damage !== undefined)
    lines.push(`${name} ${plain(report.damage)}${entered ? '; what comes before was entered' : ''}`)
  return lines
}

/** One line while it works. */
export function seedProgress(report: Report, share: number | undefined): string {
  const done = share === undefined ? '' : `${Math.floor(share * 100)} % read, `
  return `${plain(report.name)}: ${done}${FIGURES.map((figure) => `${grouped(report[figure])} ${figure}`).join(', ')}`
}

export function standingTable(standing: readonly SeedCounts[]): TextTable {
  const columns = ['waiting', 'collected', 'moved', 'dead', 'refused'] as const
  const sum = (column: (typeof columns)[number]) => standing.reduce((total, row) => total + row[column], 0)
  const rows = standing.map((row) => [row.source, ...columns.map((column) => grouped(row[column]))])
  return {
    title: 'Seeds by source',
    header: ['source', ...columns],
    rows: standing.length > 1 ? [...rows, ['all', ...columns.map((column) => grouped(sum(column)))]] : rows,
    total: standing.length > 1,
  }
}

/** `collected`; `dead: 404 (not found)`; `moved to URL, which is not in the scope`. */
export function seedFate(outcome: SeedOutcome): string {
  const { became, to, isEmpty } = outcome
  const reason = reasonOf(outcome)
  if (to === null) return became === 'refused' ? reason : reason === '' ? became : `${became}: ${reason}`
  if (outcome.why === 'not-entered') return `moved to ${plain(to)}, which is not in the scope`
  return `moved to ${plain(to)}${isEmpty ? `: ${reason || 'nothing was collected there'}` : ', where it was collected'}`
}

function reasonOf({ why, status, rule }: SeedOutcome): string {
  if (why === null) return ''
  if (rule !== null) return `refused by ${why} (${plain(rule)})`
  if (why === 'redirects') return 'the redirects never end'
  return failureWords(why) ?? statusWords(String(status))
}

/** What to do about it, where something can be done. */
const ADVICE: Readonly<Record<string, string>> = {
  'address-refused': 'to collect from a machine of your own: --allow-private',
  'no-such-name': 'is it spelt right?',
}

/** For a seed that brought nothing. */
export function emptySeedLine(outcome: SeedOutcome): string {
  const advice = ADVICE[outcome.why ?? '']
  return `orbweaver: seed ${plain(outcome.url)} brought nothing: ${seedFate(outcome).replace(/^dead: /, '')}${advice === undefined ? '' : ` (${advice})`}`
}

/** The keys that docs/reference/json.md lists. */
export function seedJson({ reports, stopped }: SeedsEntered, folder: string): object {
  const { new: added, ...rest } = sums(reports)
  const sources = reports.map((report) => ({ ...report, damage: report.damage ?? null }))
  return { collection: folder, added, ...rest, stopped, sources }
}
