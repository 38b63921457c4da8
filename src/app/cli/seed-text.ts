/** What `seed` prints: pure functions from reports to lines. */
import { failureText, refusalText, statusText } from '../../report/status-text.ts'
import { grouped, printTable } from '../../report/text-table.ts'
import type { SeedsEntered } from '../seeds/sources.ts'
import type { SeedOutcome } from '../seeds/stored-seeds.ts'
import { plain, some } from './text.ts'

type Report = SeedsEntered['reports'][number]

const FIGURES = ['new', 'known', 'dead', 'refused', 'repeated'] as const
type Figures = Record<(typeof FIGURES)[number], number>

function totalsOf(reports: readonly Report[]): Figures & { again: number } {
  const totals = { new: 0, known: 0, dead: 0, refused: 0, repeated: 0, again: 0 }
  for (const name of [...FIGURES, 'again'] as const) for (const report of reports) totals[name] += report[name]
  return totals
}

/** `next` is the command that collects the seeds; undefined when running servers hand them out. */
export function seedLines({ reports }: SeedsEntered, next: string | undefined): string {
  const total = totalsOf(reports)
  const lines: string[] = []
  const isSimple =
    reports.length === 1 && reports[0].source === 'given' && total.refused === 0 && reports[0].corrected.length === 0
  if (!isSimple) lines.push(table(reports, total), ...reports.flatMap(details))
  if (total.new === 0 && total.known + total.dead + total.repeated === 0) lines.push('No seeds were added.')
  else
    lines.push(
      `${some(total.new, 'seed')} added, ${grouped(total.known)} already known.${againText(total.again)} ${next === undefined ? 'The servers of this crawl hand them out to their workers.' : `Collect them with: ${next}`}`,
    )
  return lines.join('\n')
}

function againText(again: number): string {
  return again === 0 ? '' : ` ${some(again, 'site')} that had been given up will be tried again.`
}

function table(reports: readonly Report[], total: Figures): string {
  const row = (name: string, from: Figures) => [name, ...FIGURES.map((figure) => grouped(from[figure]))]
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
  const location = (at: number) => (at === 0 ? name : `${name}, ${report.unit} ${grouped(at)}`)
  const lines = report.corrected.map(({ at, text, url }) => `${location(at)}: read '${plain(text)}' as ${plain(url)}`)
  if (report.corrections > report.corrected.length)
    lines.push(`… and corrected ${grouped(report.corrections - report.corrected.length)} more in ${name}`)
  for (const { at, text, why } of report.examples)
    lines.push(`${location(at)}: refused '${plain(text)}': ${plain(why)}`)
  if (report.refused > report.examples.length && report.examples.length > 0)
    lines.push(`… and refused ${grouped(report.refused - report.examples.length)} more in ${name}`)
  for (const what of report.notes) lines.push(`${name}: ${plain(what)}`)
  const entered = report.new + report.known + report.dead + report.repeated > 0
  if (report.damage !== undefined)
    lines.push(`${name} ${plain(report.damage)}${entered ? '; the seeds before that point were added' : ''}`)
  return lines
}

/** One progress line. */
export function seedProgress(report: Report): string {
  return `${plain(report.name)}: ${FIGURES.map((figure) => `${grouped(report[figure])} ${figure}`).join(', ')}`
}

/** `collected`; `dead: 404 (not found)`; `redirects to URL, which is out of scope`. */
export function seedFate(outcome: SeedOutcome): string {
  const { became, to, isEmpty } = outcome
  const reason = reasonOf(outcome)
  if (to === null) return became === 'refused' ? reason : reason === '' ? became : `${became}: ${reason}`
  if (outcome.why === 'not-entered') return `redirects to ${plain(to)}, which is out of scope`
  return `redirects to ${plain(to)}${isEmpty ? `: ${reason || 'nothing was collected there'}` : ', which was collected'}`
}

function reasonOf({ why, status, rule }: SeedOutcome): string {
  if (why === null) return ''
  if (rule !== null) return `skipped: ${plain(refusalText(why, rule))}`
  if (why === 'redirects') return 'endless redirects'
  return failureText(why) ?? statusText(String(status))
}

/** What to do about it, where something can be done. */
const ADVICE: Readonly<Record<string, string>> = {
  'address-refused': 'to collect from your own machine or network, use --allow-private',
  'no-such-name': 'check the spelling',
}

/** For a seed that led to no document. */
export function emptySeedLine(outcome: SeedOutcome): string {
  const advice = ADVICE[outcome.why ?? '']
  return `orbweaver: nothing collected from seed ${plain(outcome.url)}: ${seedFate(outcome).replace(/^dead: /, '')}${advice === undefined ? '' : ` (${advice})`}`
}

/** The keys that docs/reference/json.md lists. */
export function seedJson({ reports, stopped }: SeedsEntered, folder: string): object {
  const { new: added, ...rest } = totalsOf(reports)
  const sources = reports.map((report) => ({ ...report, damage: report.damage ?? null }))
  return { collection: folder, added, ...rest, stopped, sources }
}
