/** `bench frontier`: check-out, check-in and URL tests by the number of known URLs and sites; bytes on disk and in memory. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import type { ChildAnswer, ChildTask } from '../frontier/child.ts'
import type { FrontierFigures, Latency } from '../frontier/measure.ts'
import type { Size } from '../frontier/numbered-web.ts'
import { type Stand, standsOf } from '../frontier/stands.ts'
import { slope } from '../measure/statistics.ts'

const FLAGS = {
  urls: { default: '100000,1000000,10000000,10000000', what: 'known URLs: several sizes with commas between them' },
  sites: { default: '1000,10000,100000,1000000', what: 'sites of each of these sizes' },
  visits: { default: 2000, what: 'visits of ten pages that are measured, of each size' },
  database: {
    default: 'sqlite',
    what: 'sqlite, embedded (a PostgreSQL server is started), postgres://… (empty); several with commas between them',
  },
  plans: { default: false, what: 'how PostgreSQL does the statements of a check-out' },
  in: { default: '', what: 'folder for the databases (10 million URLs: 3 GB); without it the system decides' },
} as const

const MAX_ANSWERED = 1e8
const CHILD = join(import.meta.dirname, '..', 'frontier', 'child.ts')

interface Measured extends Size {
  database: Stand['name']
  /** In the process that filled it, as in a crawl that has gone on; and in one that has just begun. */
  running: FrontierFigures
  started: FrontierFigures
  startMs: number
  fillSeconds: number
  bytesPerUrl: number
  bytesPerUrlWithoutText: number
  bytesPerUrlOfWhole: number
  plans?: string
}

interface Wanted {
  visits: number
  in: string
  plans: boolean
}

export const frontier = benchmark({
  name: 'frontier',
  what: 'check-out, check-in and URL tests by known URLs and sites; bytes on disk and in memory',
  flags: FLAGS,
  async run({ urls, sites, database, ...wanted }, tools): Promise<Outcome> {
    const sizes = sizesOf(urls, sites)
    const stands = standsOf(database)
    const all: Measured[] = []
    for (const size of sizes) for (const stand of stands) all.push(await measureSize(size, stand, wanted, tools))
    return report(all)
  },
})

function sizesOf(urls: string, sites: string): Size[] {
  const read = (text: string) => text.split(',').map(Number)
  const siteCounts = read(sites)
  const sizes = read(urls).map((count, at) => ({ urls: count, sites: siteCounts.at(at) ?? Number.NaN }))
  for (const { urls: known, sites: of } of sizes)
    if (!(known >= of && of > 0) || siteCounts.length !== sizes.length)
      throw new Error('--urls and --sites are as many numbers, with no more sites than URLs')
  return sizes
}

async function measureSize(size: Size, stand: Stand, wanted: Wanted, tools: Tools): Promise<Measured> {
  const name = `${grouped(size.urls)} URLs, ${grouped(size.sites)} sites, ${stand.name}`
  await using made = await stand.make(wanted.in === '' ? undefined : wanted.in)
  const inChild = async (fills: boolean) => {
    const explains = wanted.plans && !fills
    const task: ChildTask = { place: made.place, size, visits: wanted.visits, fills, explains }
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(task)], {
      maxBuffer: MAX_ANSWERED,
    })
    return JSON.parse(stdout) as ChildAnswer
  }
  tools.say(`${name}: filled and measured …`)
  const { filled, startMs: _, ...running } = await inChild(true)
  if (filled === undefined) throw new Error('nothing was filled')
  tools.say(`${name}: started again, and measured …`)
  const { startMs, plans, ...started } = await inChild(false)
  const bytes = new Map(filled.bytes)
  const ofUrls = (bytes.get('url') ?? 0) / filled.urls
  return {
    ...size,
    database: stand.name,
    ...(plans === undefined ? {} : { plans }),
    running,
    started,
    startMs,
    fillSeconds: filled.seconds,
    bytesPerUrl: ofUrls,
    bytesPerUrlWithoutText: ofUrls - filled.textBytes / filled.urls,
    bytesPerUrlOfWhole: [...bytes.values()].reduce((sum, each) => sum + each, 0) / filled.urls,
  }
}

function report(all: readonly Measured[]): Outcome {
  const perSecond = (rate: number) => grouped(Math.round(rate))
  const latency = (of: Latency | undefined) =>
    of === undefined ? '' : `${of.meanMs.toFixed(2)} / ${of.p50Ms.toFixed(2)} / ${of.p99Ms.toFixed(2)}`
  const rowsOf: [string, (one: Measured) => string][] = [
    ['URL tests a second', ({ running }) => perSecond(running.testsPerSecond)],
    ['  in visits', ({ running }) => perSecond(running.testsInVisitsPerSecond)],
    ['  given to settle', ({ running }) => perSecond(running.testsInDatabasePerSecond)],
    ['  all, just after a start', ({ started }) => perSecond(started.testsPerSecond)],
    ['check-in, µs per page', ({ running }) => running.applyMicroseconds.toFixed(1)],
    ['  just after a start', ({ started }) => started.applyMicroseconds.toFixed(1)],
    ['  pages per second by the clock', ({ running }) => perSecond(running.pages / running.applySeconds)],
    ['  of ten visits, ms *', ({ running }) => latency(running.settling)],
    ['check-out, µs per site', ({ running }) => running.checkOutMicroseconds.toFixed(1)],
    ['  of 32, none ahead, ms *', ({ running }) => latency(running.alone)],
    ['    statements', ({ running }) => latency(running.aloneStatements)],
    ['  of one while parts are applied, ms *', ({ running }) => latency(running.whileApplying)],
    ['    statements', ({ running }) => latency(running.whileApplyingStatements)],
    ['    machine busy', ({ running }) => `${(running.machineBusy * 100).toFixed(0)} %`],
    ['start, ms', ({ startMs }) => startMs.toFixed(0)],
    ['memory, MB', ({ running }) => (running.rssBytes / 1e6).toFixed(0)],
    ['  just after a start', ({ started }) => (started.rssBytes / 1e6).toFixed(0)],
    ['bytes per URL on disk', (one) => one.bytesPerUrl.toFixed(0)],
    ['  without its text', (one) => one.bytesPerUrlWithoutText.toFixed(0)],
    ['  of the whole database', (one) => one.bytesPerUrlOfWhole.toFixed(0)],
    ['filled, s', (one) => one.fillSeconds.toFixed(0)],
  ]
  const growths = [...Map.groupBy(all, ({ database }) => database)].map(([database, some]) => ({
    database,
    bytes: slope(some.map(({ urls, running }) => ({ x: urls, y: running.rssBytes }))),
  }))
  return {
    tables: [
      {
        title: 'The frontier, by known URLs / sites',
        header: ['', ...all.map(({ urls, sites, database }) => `${database}: ${grouped(urls)} / ${grouped(sites)}`)],
        rows: rowsOf.map(([name, cell]) => [name, ...all.map(cell)]),
      },
    ],
    notes: [
      'A test is a link that a page offers: 40 a page. 32 are internal and answered by the known set of the visit (its making is counted); 8 lead abroad, anywhere, and are given to settle, whose whole work and commits are counted. 97 % and 95 % of them are known. All are waiting: each is in the index of the queue too.',
      '* mean / p50 / p99, by the clock.',
      'Rates and µs are by CPU time: of the coordinator’s thread on SQLite (that of the thread that carries the log into the main file is not in them); on PostgreSQL of the coordinator’s thread and of all processes of a server that was started here.',
      'A check-out while parts are applied, half of the time, is counted from when another thread asks, whether this one is free then or not: on SQLite of leases that were granted ahead, as in a crawl of one process; on PostgreSQL, as a server does it, of the database, its commit with it. Statements: how long it had any under way, the way there and back with it. Courtesy (one address pause after a start) is left out.',
      ...growths.map(({ database, bytes }) => `${database}: memory grows by ${bytes.toFixed(1)} bytes a known URL.`),
      ...all.flatMap(({ sites, plans }) =>
        plans === undefined ? [] : [`A check-out of ${grouped(sites)} sites:\n\n${plans}`],
      ),
    ],
    figures: { sizes: all, memoryBytesPerUrl: growths },
  }
}
