import { Problem } from '../../../base/errors.ts'
import { changeTables } from '../../../report/change-tables.ts'
import { allTables, sourcesTable } from '../../../report/tables.ts'
import { grouped, printTable, type TextTable } from '../../../report/text-table.ts'
import { webTables } from '../../../report/web-tables.ts'
import type { SeedOutcome } from '../../seeds/stored-seeds.ts'
import { type Answer, type Command, crawlSettings, type Invocation, withReader } from '../command.ts'
import { seedFate } from '../seed-text.ts'
import type { CollectionReader } from '../services.ts'
import { plain } from '../text.ts'

export const report: Command = {
  name: 'report',
  usage: '[duplicates | web | changes]',
  what: 'print the figures of a collection, as tables',
  more:
    'Prints coverage, size of the collected web, documents by type and per server, rates per day, time by operation, latencies, statuses, errors, what was not collected and why, and what each limit stopped. The tables have the form of those in the CoBWeb, CrawlWave and VN papers, so that crawls can be compared.\n' +
    "'report duplicates' lists contents found under several URLs, with these URLs.\n" +
    "'report web' describes the collected web: URLs per site, depth, length of URLs, sizes by type, languages, statuses, links in and out, duplicates, session ids. It derives limits from these figures and shows what each would have stopped.\n" +
    "'report changes' shows how much pages change: the looks at known pages by class of change, beside those of Fetterly et al. (2003), sites and media types with most changes, and the pages that change most and least.",
  examples: {
    'orbweaver report': 'All tables of ./collection.',
    'orbweaver report --json -c news': 'All figures, exact, as JSON.',
    'orbweaver report duplicates --top 5': 'The five contents with the most URLs.',
    'orbweaver report changes': 'How much changes, and where.',
    'orbweaver report --mail --mail-to ops@example.org --smtp smtp://localhost': "Send the day's report now.",
    'orbweaver report web': 'Describe the collected web and the limits that fit it.',
  },
  async run(call) {
    const [what] = call.args
    if (call.settings.mail) return mail(call)
    if (what === 'duplicates') return duplicates(call)
    if (what === 'web') return web(call)
    if (what === 'changes') return changes(call)
    if (what !== undefined)
      throw new Problem(
        'bad-flag',
        `unknown report '${what}'; choose 'report', 'report duplicates', 'report web' or 'report changes'`,
      )
    const { figures, seeds, empty, contact } = await withReader(call, async (reader) => ({
      figures: await reader.figures(),
      seeds: await reader.seedStanding(),
      empty: await emptySeeds(reader),
      contact: (await crawlSettings(reader, call, 'report')).contact,
    }))
    const tables = [...allTables(figures), sourcesTable(seeds), emptyTable(empty)].filter(({ rows }) => rows.length > 0)
    const texts = tables.map(printTable)
    if (contact === undefined)
      texts.push('This collection was made without --contact:\nwebmasters could not find out who crawled them.')
    return { json: { ...figures, seeds, emptySeeds: empty }, text: texts.join('\n\n') }
  },
}

async function mail(call: Invocation): Promise<Answer> {
  const { settings, services, clock, args } = call
  if (args.length > 0) throw new Problem('bad-flag', `--mail sends the day's report only; leave out '${args[0]}'`)
  const report = await withReader(call, (reader) => reader.dayReport(settings))
  const to = await services.mailDay(settings, report, clock)
  return { json: { mailed: to }, text: `Sent to ${to}.` }
}

/** How many seeds are checked, and how many without a document are listed; `seed --list` has all. */
const MAX_CHECKED = 10_000
const MAX_EMPTY = 15

async function emptySeeds(reader: CollectionReader): Promise<SeedOutcome[]> {
  const found: SeedOutcome[] = []
  let checked = 0
  for await (const outcome of reader.seedOutcomes()) {
    if (outcome.isEmpty) found.push(outcome)
    if (++checked >= MAX_CHECKED || found.length >= MAX_EMPTY) break
  }
  return found
}

function emptyTable(empty: readonly SeedOutcome[]): TextTable {
  const rows = empty.map((outcome) => [plain(outcome.url), seedFate(outcome)])
  if (empty.length === MAX_EMPTY) rows.push(['…', "'orbweaver seed --list' lists all"])
  return { title: 'Seeds that led to no document', header: [], rows }
}

async function duplicates(call: Invocation): Promise<Answer> {
  const sets = await withReader(call, (reader) => reader.duplicates(call.settings.top))
  const lines = sets.flatMap(({ digest, count, urls }) => [
    `${digest}  ${grouped(count)} URLs`,
    ...urls.map((url) => `  ${plain(url)}`),
  ])
  const text = sets.length === 0 ? 'No content was found under more than one URL.' : lines.join('\n')
  return { json: { duplicates: sets }, text }
}

async function web(call: Invocation): Promise<Answer> {
  const figures = await withReader(call, (reader) => reader.web())
  if (figures.urls === 0)
    return { json: figures, text: 'Nothing has been fetched yet, so there is nothing to describe.' }
  return { json: figures, text: tablesText(webTables(figures)) }
}

async function changes(call: Invocation): Promise<Answer> {
  const figures = await withReader(call, (reader) => reader.changeReport(call.settings.top))
  if (figures.looks === 0)
    return { json: figures, text: "No page was looked at again yet: 'orbweaver refresh' does that." }
  return { json: figures, text: tablesText(changeTables(figures)) }
}

const tablesText = (tables: readonly TextTable[]): string =>
  tables.map(printTable).join('\n\n').split('\n').map(plain).join('\n')
