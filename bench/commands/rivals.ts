/** `bench rivals`: other crawlers on the same web in the same run, each as its documentation says it is fastest. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import { type Crawler, type CrawlerFigures, figuresOf, runInTurn, type Size } from '../crawlers/crawler.ts'
import { orbweaver } from '../crawlers/orbweaver.ts'
import { RIVALS } from '../crawlers/rivals/all.ts'
import { cacheFolder, type Found, type Rival } from '../crawlers/rivals/rival.ts'

const FLAGS = {
  sites: { default: 200, what: 'sites of the served web' },
  pages: { default: 50, what: 'pages of each' },
  runs: { default: 3, what: 'runs of each; medians are printed' },
  workers: { default: 0, what: 'worker threads, or processes of wget; 0: as each would itself' },
  only: { default: '', what: `rivals to run: ${RIVALS.map(({ name }) => name).join(', ')}; with commas` },
  install: { default: false, what: 'bring rivals that are missing: PyPI, npm, crates.io, Go, Maven; apt-get as root' },
  rivals: { default: '', what: "where they lie; else orbweaver-bench-rivals in the user's cache" },
  minutes: { default: 5, what: 'the longest that one run may take; what was fetched by then counts' },
} as const

/** How many times our CPU for a page a rival must take, or may: `docs/rivals.md` says whence. */
const TARGETS = [
  { rival: 'wget-identity', ours: 'orbweaver-identity', min: 1.8 },
  { rival: 'crawlee-http-identity', ours: 'orbweaver-identity', min: 6 },
  { rival: 'crawlee-cheerio-identity', ours: 'orbweaver-identity', min: 12 },
  { rival: 'scrapy-identity', ours: 'orbweaver-identity', min: 20 },
  { rival: 'wget2-gzip', ours: 'orbweaver-gzip', min: 1 / 1.3 },
] as const

interface Row {
  crawler: Crawler
  program: string
  version: string
  stores: string
  queue: string
}

export const rivals = benchmark({
  name: 'rivals',
  what: 'CPU for 1,000 pages of other crawlers on the same web in the same run, and of ours',
  flags: FLAGS,
  async run({ sites, pages, runs, workers, only, install, rivals, minutes }, tools): Promise<Outcome> {
    const size = { sites, pages, runs, workers, profile: '', minutes }
    const missing = new Map<string, string>()
    const rows: Row[] = ours()
    for (const rival of chosenRivals(only)) {
      const found = await find(rival, rivals === '' ? cacheFolder() : resolve(rivals), install, tools)
      if (typeof found === 'string') missing.set(rival.name, found)
      else rows.push(...rowsOf(rival, found))
    }
    for (const [name, why] of missing) tools.say(`${name}: ${why}`)
    return compare(rows, size, missing, tools)
  },
})

function chosenRivals(only: string): readonly Rival[] {
  if (only === '') return RIVALS
  return only.split(',').map((name) => {
    const rival = RIVALS.find((one) => one.name === name)
    if (rival === undefined) throw new Error(`--only takes ${RIVALS.map((one) => one.name).join(', ')}; not '${name}'`)
    return rival
  })
}

async function find(rival: Rival, cache: string, install: boolean, tools: Tools): Promise<Found | string> {
  const home = join(cache, rival.folder ?? rival.name)
  const found = await rival.find(home)
  if (typeof found !== 'string' || !install || rival.install === undefined) return found
  tools.say(`installing ${rival.name} …`)
  try {
    mkdirSync(cache, { recursive: true })
    await rival.install(home)
  } catch (error) {
    return `could not be installed: ${error instanceof Error ? error.message.slice(0, 500) : error}`
  }
  return rival.find(home)
}

function ours(): Row[] {
  return (['identity', 'gzip'] as const).map((coding) => ({
    crawler: { ...orbweaver(coding, 'written'), name: `orbweaver-${coding}` },
    program: 'orbweaver',
    version: 'this one',
    stores: 'WARC, gzip, with requests; index, catalogue, links',
    queue: 'in SQLite, synced; survives',
  }))
}

function rowsOf(rival: Rival, found: Found): Row[] {
  return rival.codings.map((coding) => ({
    crawler: {
      name: `${rival.name}-${coding}`,
      cells: [rival.name, coding, rival.stores],
      coding,
      byName: rival.asksNames,
      run: (scene) => rival.run(found, { ...scene, coding }),
    },
    program: rival.name,
    version: found.version,
    stores: rival.stores,
    queue: rival.queue,
  }))
}

async function compare(rows: Row[], size: Size, missing: Map<string, string>, tools: Tools): Promise<Outcome> {
  const failed = new Map<string, string>()
  const crawlers = rows.map(({ crawler }) => crawler)
  const done = await runInTurn(crawlers, size, tools, ({ name }, why) => {
    if (name.startsWith('orbweaver-')) throw new Error(`${name}: ${why}`)
    failed.set(name, why)
  })
  const documents = size.sites * size.pages
  const figures = new Map<string, CrawlerFigures>()
  for (const { name } of crawlers) {
    const runs = done.get(name) ?? []
    if (runs.length > 0) figures.set(name, figuresOf(name, runs))
  }
  const shown = rows.flatMap((row) => {
    const figure = figures.get(row.crawler.name)
    return figure === undefined ? [] : [{ row, figure }]
  })
  return {
    tables: [costs(shown, figures, documents, size), targets(figures, documents), nature(rows)],
    notes: [
      'CPU: all threads and processes, start and end included, for each different page. Of ours: its CPU over ours, by the same answers.',
      ...[...failed].map(([name, why]) => `Failed: ${name}: ${why}`),
      ...[...missing].map(([name, why]) => `Missing: ${name}: ${why}`),
    ],
    figures: {
      crawlers: shown.map(({ row, figure }) => ({
        ...figure,
        version: row.version,
        stores: row.stores,
        queue: row.queue,
      })),
      documents,
      targets: TARGETS.map((target) => ({ ...target, reached: ratio(figures, target.rival, target.ours) ?? null })),
      failed: Object.fromEntries(failed),
      missing: Object.fromEntries(missing),
    },
  }
}

function ratio(figures: ReadonlyMap<string, CrawlerFigures>, rival: string, ours: string): number | undefined {
  const [its, own] = [figures.get(rival)?.cpuSecondsPer1000, figures.get(ours)?.cpuSecondsPer1000]
  return its === undefined || own === undefined ? undefined : its / own
}

const times = (number: number | undefined) => (number === undefined ? '-' : `${number.toFixed(2)} ×`)

function costs(
  shown: readonly { row: Row; figure: CrawlerFigures }[],
  figures: ReadonlyMap<string, CrawlerFigures>,
  documents: number,
  { sites, pages, runs }: Size,
) {
  const rows = shown.map(({ row: { crawler, program }, figure }) => [
    program,
    crawler.coding === 'gzip' && figure.coded === 0 ? 'gzip not asked for' : crawler.coding,
    figure.cpuSecondsPer1000.toFixed(3),
    times(ratio(figures, crawler.name, `orbweaver-${crawler.coding}`)),
    figure.distinct === documents ? 'all' : `${grouped(figure.distinct)} of ${grouped(documents)}`,
    grouped(figure.pages - figure.distinct),
    grouped(figure.requests - figure.pages),
    grouped(figure.connections),
    grouped(Math.round(figure.pagesPerSecond)),
    figure.peakBytes === null ? '-' : `${Math.round(figure.peakBytes / 1e6)} MB`,
    figure.serverCpuSecondsPer1000.toFixed(3),
  ])
  const header = ['crawler', 'answers', 'CPU s per 1,000 pages', 'of ours', 'pages', 'twice', 'other requests']
  return {
    title: `Crawlers: ${grouped(sites)} sites × ${grouped(pages)} pages, medians of ${runs}`,
    header: [...header, 'connections', 'pages/s', 'peak memory', 'server’s CPU s'],
    rows,
  }
}

function targets(figures: ReadonlyMap<string, CrawlerFigures>, documents: number) {
  const rows = TARGETS.map(({ rival, ours, min }) => {
    const reached = ratio(figures, rival, ours)
    const finding = reached === undefined ? 'not run' : reached >= min ? 'reached' : 'missed'
    // Its start counts for more where it had fewer pages.
    const isWhole = reached === undefined || figures.get(rival)?.distinct === documents
    return [`${rival} : ${ours}`, `≥ ${times(min)}`, times(reached), isWhole ? finding : `${finding}, not on all pages`]
  })
  return { title: 'Targets: CPU of a rival for each of ours', header: ['which', 'target', 'now', ''], rows }
}

function nature(rows: readonly Row[]) {
  const programs = [...new Map(rows.map((row) => [row.program, row])).values()]
  return {
    title: 'What each leaves behind',
    header: ['crawler', 'version', 'stores', 'its queue'],
    rows: programs.map(({ program, version, stores, queue }) => [program, version, stores, queue]),
  }
}
