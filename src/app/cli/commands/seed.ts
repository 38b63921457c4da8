import { EXIT, Problem } from '../../../base/errors.ts'
import { printTable } from '../../../report/text-table.ts'
import type { SeedsEntered } from '../../seeds/sources.ts'
import type { Command, Invocation } from '../command.ts'
import { plain } from '../progress.ts'
import { seedFate, seedJson, seedLines, seedProgress, standingTable } from '../seed-words.ts'
import { withReader } from '../with-reader.ts'
import { collectionFlag } from '../words.ts'

export const seed: Command = {
  name: 'seed',
  usage: '[SEED…]',
  what: 'add seeds to a collection without crawling; show what became of its seeds',
  more:
    'Adds to what a collection will begin with: URLs and hosts you name, files of them, lists of domain names, the sites of an earlier collection, sitemaps, indexes and WARC files of other archives. ' +
    'Says for each source how many were new, known, dead (gone, or their site was given up) and refused, and why. Files may be packed with gzip. ' +
    'A name is tried as https://NAME/, then with www., then over http, by the next crawl, with its usual courtesy. The collection must not be in use by a running crawl.\n' +
    'Ctrl-C keeps what was entered. Exit codes: 0 done, 1 a file is damaged (what comes before the damage was entered), 2 wrong flag, or nothing could be entered, 11 interrupted.',
  examples: [
    { line: 'orbweaver seed https://www.example.org/ -c news', does: 'One more site.' },
    { line: 'cat urls.txt | orbweaver seed --seeds - -c news', does: 'A list from standard input.' },
    { line: 'orbweaver seed --names tranco.csv.gz -c country', does: 'Domain names to try.' },
    { line: 'orbweaver seed --from-collection ../2025 -c 2026', does: 'The sites that answered last year.' },
    { line: 'orbweaver seed --from-cdx index.cdxj.gz --homes', does: 'The home pages of what another archive has.' },
    { line: 'orbweaver seed --list -c country', does: 'What became of each seed, and how many of each source.' },
  ],
  words: { min: 0, max: Number.POSITIVE_INFINITY },
  async run(call) {
    const { settings, screen } = call
    if (settings.list) return list(call)
    const request = requestOf(call)
    const entered = await enter(call, request)
    if (settings.json) screen.print(JSON.stringify(seedJson(entered, settings.collection), undefined, 2))
    else {
      if (!settings.quiet) {
        const next =
          settings.database === undefined ? `orbweaver crawl${collectionFlag(settings.collection)}` : undefined
        screen.print(seedLines(entered, next))
      }
      if (entered.stopped)
        screen.say(
          'orbweaver: stopped: what was entered stays; give the same command again to go on (what is known is passed over)',
        )
    }
    return exitOf(entered)
  },
}

/** More files of the kind that a flag named may follow it as words: `--from-warc *.warc.gz`. */
function requestOf({ settings, words, version }: Invocation) {
  const { seeds: file, names, fromCollection, fromSitemap, fromCdx, fromWarc, homes } = settings
  const isMore = (flag: readonly string[], pattern: RegExp) => (word: string) => flag.length > 0 && pattern.test(word)
  const isCdx = isMore(fromCdx, /\.cdxj?(\.gz)?$/i)
  const isWarc = isMore(fromWarc, /\.warc(\.gz)?$/i)
  const seeds = words.filter((word) => !isCdx(word) && !isWarc(word))
  const request = {
    words: seeds,
    file,
    names,
    collections: fromCollection,
    sitemaps: fromSitemap,
    cdx: [...fromCdx, ...words.filter(isCdx)],
    warc: [...fromWarc, ...words.filter(isWarc)],
    homes,
    version,
  }
  const lists = [seeds, names, fromCollection, fromSitemap, fromCdx, fromWarc]
  if (file === undefined && lists.every(({ length }) => length === 0))
    throw new Problem(
      'no-seeds',
      "name seeds, a file of them (--seeds FILE), or another source ('orbweaver seed --help' lists them)",
    )
  return request
}

async function enter(call: Invocation, request: ReturnType<typeof requestOf>): Promise<SeedsEntered> {
  const { settings, screen, services, clock } = call
  let isStopped = false
  const deaf = call.onInterrupt(() => {
    isStopped = true
  })
  let nextLine = clock.elapsed() + settings.progressEvery
  try {
    return await services.enterSeeds(settings, request, {
      stopped: () => isStopped,
      progress(report, share) {
        if (settings.quiet) return
        if (screen.isTerminal) screen.draw([seedProgress(report, share).slice(0, screen.width())])
        else if (clock.elapsed() >= nextLine) {
          nextLine = clock.elapsed() + settings.progressEvery
          screen.say(seedProgress(report, share))
        }
      },
    })
  } finally {
    deaf()
    screen.draw([])
  }
}

function exitOf({ reports, stopped }: SeedsEntered): number {
  if (stopped) return EXIT.interrupted
  if (reports.some(({ damage }) => damage !== undefined)) return EXIT.failed
  const some = reports.some((report) => report.new + report.known + report.dead + report.repeated > 0)
  return some ? EXIT.done : EXIT.usage
}

/** One line a seed, however many there are; the sums come last, where they are seen. */
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
      screen.print(`\n${printTable(standingTable(sources))}`)
    }
  })
  return EXIT.done
}
