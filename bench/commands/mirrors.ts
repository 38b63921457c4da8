/** `bench mirrors`: how long it takes to find the mirrors of a large collection, in how much memory, and how well. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type MirrorList, searchMirrors } from '../../src/collection/mirrors/find-mirrors.ts'
import { HEURISTICS, type Heuristic } from '../../src/collection/mirrors/heuristics.ts'
import { openToRead } from '../../src/database/sqlite/open.ts'
import { grouped, share, type TextTable } from '../../src/report/text-table.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'
import { benchmark, type Outcome } from '../command.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { crawlAndFind } from '../mirrors/crawled-web.ts'
import { labelledSites } from '../mirrors/labelled-sites.ts'
import { scoresOf, scoreTable } from '../mirrors/scores.ts'
import { type Crawled, crawlTwice, type TwoCrawls } from '../mirrors/two-crawls.ts'
import { writeCatalogue } from '../mirrors/write-catalogue.ts'

const FLAGS = {
  sites: { default: 100_000, what: 'sites of the catalogue' },
  pages: { default: 52, what: 'pages of each, on average' },
  crawled: {
    default: 400,
    what: 'sites of a synthetic web that is crawled in virtual time for a second table; 0: none',
  },
  seed: { default: 1, what: 'of chance' },
} as const

const CRAWLED_PAGES = 30

interface Found {
  lists: [Heuristic, MirrorList][]
  contents: number
  tooCommon: number
  searchSeconds: number
  listSeconds: number
  cpuSeconds: number
  peakBytes: number
}

export const mirrors = benchmark({
  name: 'mirrors',
  what: 'the mirrors of a labelled catalogue: seconds, memory, precision and coverage beside Table 2 of VN',
  flags: FLAGS,
  async run({ sites, pages, seed, crawled }, tools): Promise<Outcome> {
    using folder = temporaryFolder()
    const path = join(folder.path, 'collection.db')
    tools.say('making the catalogue')
    const made = await writeCatalogue(path, labelledSites(sites, pages, seed))
    tools.say(`${grouped(made.sites)} sites, ${grouped(made.pages)} pages; looking for mirrors`)
    const found = await inOwnProcess(path)
    const trueReplicas = made.families.size - new Set(made.families.values()).size
    const scores = scoresOf(new Map(found.lists), made.sites, (site) => made.families.get(site), trueReplicas)
    const { lists: _, ...cost } = found
    const title = `Mirrors of ${grouped(made.sites)} sites and ${grouped(made.pages)} pages, by the truth`
    const costs = {
      title: 'What it took',
      header: ['contents', 'too common', 'search s', 'five lists s', 'CPU s', 'peak memory'],
      rows: [
        [
          grouped(cost.contents),
          grouped(cost.tooCommon),
          cost.searchSeconds.toFixed(1),
          cost.listSeconds.toFixed(1),
          cost.cpuSeconds.toFixed(1),
          `${Math.round(cost.peakBytes / 1e6)} MB`,
        ],
      ],
    }
    if (crawled > 0) tools.say('crawling a synthetic web in virtual time')
    const second = crawled > 0 ? await crawlAndFind(crawled, CRAWLED_PAGES, seed) : undefined
    const twice = crawled > 0 ? await crawlTwice(Math.ceil(crawled / 4), CRAWLED_PAGES, seed) : undefined
    const figures = {
      sites: made.sites,
      pages: made.pages,
      trueReplicas,
      ...cost,
      heuristics: scores,
      crawled: second,
      twice,
    }
    const note = `(VN): Table 2 of the paper, 66,370 sites; its precision was judged by hand 98 days later.`
    const tables = [scoreTable(title, scores), costs]
    if (second !== undefined) {
      const words = `Mirrors of a synthetic web after a crawl in virtual time: ${grouped(second.sites)} sites, ${grouped(second.contents)} contents`
      tables.push(scoreTable(words, second.scores))
    }
    if (twice !== undefined) tables.push(twiceTable(twice))
    return { tables, notes: [note], figures }
  },
})

function twiceTable({ pairs, first, second, lost }: TwoCrawls): TextTable {
  const row = (name: string, { documents, duplicates }: Crawled) => [
    name,
    grouped(documents),
    grouped(duplicates),
    share(duplicates, documents),
  ]
  return {
    title: `One web crawled twice, the second time with the list of the first: ${grouped(pairs)} pairs, ${grouped(lost)} documents lost`,
    header: ['', 'documents', 'duplicates', 'share'],
    rows: [row('first', first), row('second', second)],
  }
}

/** So that its memory is its own. */
async function inOwnProcess(path: string): Promise<Found> {
  const child = fork(import.meta.filename, [path], { serialization: 'advanced' })
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the search ended too early')
    }),
  ])) as [Found]
  return message
}

async function find(path: string): Promise<Found> {
  const database = openToRead(path)
  const begun = performance.now()
  const search = await searchMirrors(database, usualUrls)
  const searched = performance.now()
  const lists: Found['lists'] = []
  for (const heuristic of HEURISTICS) lists.push([heuristic, await search.list(heuristic)])
  const listed = performance.now()
  const { contents, tooCommon } = search
  await search.close()
  await database.close()
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  return {
    lists,
    contents,
    tooCommon,
    searchSeconds: (searched - begun) / 1000,
    listSeconds: (listed - searched) / 1000,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakBytes: maxRSS * 1024,
  }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  process.send(await find(process.argv[2]), () => process.exit(0))
}
