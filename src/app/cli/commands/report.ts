import { EXIT, Problem } from '../../../base/errors.ts'
import { allTables } from '../../../report/tables.ts'
import { grouped, printTable, type TextTable } from '../../../report/text-table.ts'
import { webTables } from '../../../report/web-tables.ts'
import type { SeedOutcome } from '../../seeds/stored-seeds.ts'
import type { CollectionReader } from '../collection-reader.ts'
import type { Command, Invocation } from '../command.ts'
import { plain } from '../progress.ts'
import { seedFate, standingTable } from '../seed-words.ts'
import { crawlSettings, withReader } from '../with-reader.ts'

export const report: Command = {
  name: 'report',
  usage: '[duplicates | web]',
  what: 'the figures of a collection, as the tables of the papers',
  more:
    'Prints coverage, size of the collected web, documents by type and per server, rates per day, statuses, errors, what was not collected and why, and what each limit stopped. They have the form of the tables of the CoBWeb, CrawlWave and VN papers, so that crawls can be compared.\n' +
    "'report duplicates' lists contents that were found under several URLs, with all of them.\n" +
    "'report web' characterises the web that was collected: URLs per site, depth, length of URLs, sizes by type, languages, statuses, links in and out, duplicates, session ids. From these it proposes limits, and says what each would have stopped.",
  examples: [
    { line: 'orbweaver report', does: 'All tables, of ./collection.' },
    { line: 'orbweaver report --json -c news', does: 'All figures exactly, as JSON.' },
    { line: 'orbweaver report duplicates --top 5', does: 'The five contents with the most URLs.' },
    { line: 'orbweaver report web', does: 'What the collected web is like, and which limits fit it.' },
  ],
  words: { min: 0, max: 1 },
  async run(call) {
    const [what] = call.words
    if (what === 'duplicates') return duplicates(call)
    if (what === 'web') return web(call)
    if (what !== undefined)
      throw new Problem(
        'bad-flag',
        `there is no report '${what}'; there is 'report', 'report duplicates', 'report web'`,
      )
    const { figures, seeds, empty, contact } = await withReader(call, async (reader) => ({
      figures: await reader.figures(),
      seeds: await reader.seedStanding(),
      empty: await emptySeeds(reader),
      contact: (await crawlSettings(reader, call, 'report')).contact,
    }))
    if (call.settings.json) call.screen.print(JSON.stringify({ ...figures, seeds, emptySeeds: empty }, undefined, 2))
    else {
      const tables = [...allTables(figures), standingTable(seeds), emptyTable(empty)]
      call.screen.print(
        tables
          .filter(({ rows }) => rows.length > 0)
          .map(printTable)
          .join('\n\n'),
      )
    }
    // What the collection was made with tells whether webmasters could have known who we are.
    if (!call.settings.json && contact === undefined)
      call.screen.print(
        '\nThis collection was made without --contact:\nwebmasters could not find out who crawled them.',
      )
    return EXIT.done
  },
}

/** Seeds are looked through up to here, and so many that brought nothing are named: `seed --list` has all. */
const MAX_LOOKED = 10_000
const MAX_EMPTY = 15

async function emptySeeds(reader: CollectionReader): Promise<SeedOutcome[]> {
  const found: SeedOutcome[] = []
  let looked = 0
  for await (const outcome of reader.seedOutcomes()) {
    if (outcome.isEmpty) found.push(outcome)
    if (++looked >= MAX_LOOKED || found.length >= MAX_EMPTY) break
  }
  return found
}

function emptyTable(empty: readonly SeedOutcome[]): TextTable {
  const rows = empty.map((outcome) => [plain(outcome.url), seedFate(outcome)])
  if (empty.length === MAX_EMPTY) rows.push(['…', "'orbweaver seed --list' has all"])
  return { title: 'Seeds that brought nothing', header: [], rows }
}

async function duplicates(call: Invocation): Promise<number> {
  const sets = await withReader(call, (reader) => reader.duplicates(call.settings.top))
  if (call.settings.json) call.screen.print(JSON.stringify({ duplicates: sets }, undefined, 2))
  else if (sets.length === 0) call.screen.print('No content was found under more than one URL.')
  else
    for (const set of sets) {
      call.screen.print(`${set.digest}  ${grouped(set.count)} URLs`)
      for (const url of set.urls) call.screen.print(`  ${plain(url)}`)
    }
  return EXIT.done
}

async function web(call: Invocation): Promise<number> {
  const figures = await withReader(call, (reader) => reader.web())
  if (call.settings.json) call.screen.print(JSON.stringify(figures, undefined, 2))
  else if (figures.urls === 0) call.screen.print('Nothing was asked for yet: there is no web to describe.')
  else call.screen.print(webTables(figures).map(printTable).join('\n\n').split('\n').map(plain).join('\n'))
  return EXIT.done
}
