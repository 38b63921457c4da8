import { EXIT, Problem } from '../../../base/errors.ts'
import { sourcesTable } from '../../../report/tables.ts'
import { printTable } from '../../../report/text-table.ts'
import type { SeedsEntered } from '../../seeds/sources.ts'
import { type Command, type Invocation, withReader } from '../command.ts'
import { seedFate, seedJson, seedLines, seedProgress } from '../seed-text.ts'
import { collectionFlag, plain } from '../text.ts'

export const seed: Command = {
  name: 'seed',
  usage: '[SEED…]',
  what: 'add seeds to a collection without crawling, or list what became of its seeds',
  more:
    'Adds seeds to a collection: URLs and hosts, files of them, lists of domain names, the sites of an earlier collection, sitemaps, and indexes or WARC files of other archives. ' +
    'For each source it reports how many seeds were new, known, dead (gone, or their site was given up) and refused, and why. Files may be compressed with gzip. ' +
    'The next crawl tries a domain name as https://NAME/, then with www., then over http. No crawl may be running in the collection.\n' +
    'Ctrl-C keeps what was added. Exit codes: 0 done, 1 a file is damaged (the seeds before the damage were added), 2 wrong flag, or no seed could be added, 11 interrupted.',
  examples: {
    'orbweaver seed https://www.example.org/ -c news': 'Add one site.',
    'cat urls.txt | orbweaver seed --seeds - -c news': 'Add a list from standard input.',
    'orbweaver seed --names tranco.csv.gz -c country': 'Add domain names to try.',
    'orbweaver seed --from-collection ../2025 -c 2026': 'Add the sites that answered last year.',
    'orbweaver seed --from-cdx index.cdxj.gz --homes': 'Add the home pages of the sites in another archive.',
    'orbweaver seed --list -c country': 'List what became of each seed, with totals per source.',
  },
  async run(call) {
    const { settings, screen } = call
    if (settings.list) return list(call)
    const request = requestOf(call)
    const entered = await enter(call, request)
    if (entered.stopped && !settings.json)
      screen.say('orbweaver: stopped; the seeds added so far are kept, run the same command again to add the rest')
    const next = settings.database === undefined ? `orbweaver crawl${collectionFlag(settings.collection)}` : undefined
    return {
      json: seedJson(entered, settings.collection),
      text: settings.quiet ? undefined : seedLines(entered, next),
      exit: exitOf(entered),
    }
  },
}

/** Further files for a flag may follow as arguments: `--from-warc *.warc.gz`. */
function requestOf({ settings, args, version }: Invocation) {
  const { seeds: file, names, fromCollection, fromSitemap, fromCdx, fromWarc } = settings
  const isMore = (flag: readonly string[], pattern: RegExp) => (arg: string) => flag.length > 0 && pattern.test(arg)
  const isCdx = isMore(fromCdx, /\.cdxj?(\.gz)?$/i)
  const isWarc = isMore(fromWarc, /\.warc(\.gz)?$/i)
  const seeds = args.filter((arg) => !isCdx(arg) && !isWarc(arg))
  const lists = [seeds, names, fromCollection, fromSitemap, fromCdx, fromWarc]
  if (file === undefined && lists.every(({ length }) => length === 0))
    throw new Problem(
      'no-seeds',
      "no seeds given; give URLs, a file of them (--seeds FILE) or another source ('orbweaver seed --help' lists them); --list shows the seeds that a collection has",
    )
  const [cdx, warc] = [
    [...fromCdx, ...args.filter(isCdx)],
    [...fromWarc, ...args.filter(isWarc)],
  ]
  return { words: seeds, cdx, warc, version }
}

async function enter(call: Invocation, request: ReturnType<typeof requestOf>): Promise<SeedsEntered> {
  const { settings, screen, services, clock } = call
  let isStopped = false
  const stopListening = call.onInterrupt(() => {
    isStopped = true
  })
  let nextLine = clock.elapsed() + settings.progressEvery
  try {
    return await services.enterSeeds(settings, request, {
      stopped: () => isStopped,
      progress(report) {
        if (settings.quiet) return
        if (screen.isTerminal) screen.draw([seedProgress(report).slice(0, screen.width())])
        else if (clock.elapsed() >= nextLine) {
          nextLine = clock.elapsed() + settings.progressEvery
          screen.say(seedProgress(report))
        }
      },
    })
  } finally {
    stopListening()
    screen.draw([])
  }
}

function exitOf({ reports, stopped }: SeedsEntered): number {
  if (stopped) return EXIT.interrupted
  if (reports.some(({ damage }) => damage !== undefined)) return EXIT.failed
  const some = reports.some((report) => report.new + report.known + report.dead + report.repeated > 0)
  return some ? EXIT.done : EXIT.usage
}

/** One line per seed, then the totals. */
async function list(call: Invocation): Promise<number> {
  const { settings, screen } = call
  await withReader(call, async (reader) => {
    const sources = await reader.seedStanding()
    if (settings.json) {
      const head = JSON.stringify({ collection: settings.collection, sources }).slice(0, -1)
      await screen.write(`${head},"seeds":[`)
      let separator = '\n'
      for await (const outcome of reader.seedOutcomes()) {
        await screen.write(separator + JSON.stringify(outcome))
        separator = ',\n'
      }
      await screen.write(']}\n')
    } else if (sources.length === 0) screen.print('The collection has no seeds.')
    else {
      for await (const outcome of reader.seedOutcomes())
        await screen.write(`${plain(outcome.url)}  ${seedFate(outcome)}\n`)
      screen.print(`\n${printTable(sourcesTable(sources))}`)
    }
  })
  return EXIT.done
}
