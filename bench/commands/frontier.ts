/** `bench frontier`: check-out, check-in and URL tests by the number of known URLs and sites; bytes on disk and in memory. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import type { ChildTask } from '../frontier/child.ts'
import { fill } from '../frontier/fill.ts'
import type { FrontierFigures, Latency } from '../frontier/measure.ts'
import { NumberedWeb, type Size } from '../frontier/numbered-web.ts'
import { sqliteFrontier } from '../frontier/opened.ts'
import { slope } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'

const FLAGS = {
  urls: { default: '100000,1000000,10000000,10000000', what: 'known URLs: several sizes with commas between them' },
  sites: { default: '1000,10000,100000,1000000', what: 'sites of each of these sizes' },
  visits: { default: 2000, what: 'visits of ten pages that are measured, of each size' },
  in: { default: '', what: 'folder for the databases (10 million URLs: 3 GB); without it the system decides' },
} as const

const CHILD = join(import.meta.dirname, '..', 'frontier', 'child.ts')

interface Measured extends FrontierFigures, Size {
  fillSeconds: number
  bytesPerUrl: number
  bytesPerUrlWithoutText: number
  bytesPerUrlOfWhole: number
}

export const frontier = benchmark({
  name: 'frontier',
  what: 'check-out, check-in and URL tests by known URLs and sites; bytes on disk and in memory',
  flags: FLAGS,
  async run({ urls, sites, visits, in: parent }, tools): Promise<Outcome> {
    const sizes = sizesOf(urls, sites)
    const all: Measured[] = []
    for (const size of sizes) all.push(await measureSize(size, visits, parent, tools))
    return report(all)
  },
})

function sizesOf(urls: string, sites: string): Size[] {
  const read = (text: string) => text.split(',').map(Number)
  const siteCounts = read(sites)
  const sizes = read(urls).map((count, at) => ({ urls: count, sites: siteCounts.at(at) ?? Number.NaN }))
  for (const { urls: known, sites: of } of sizes)
    if (!(known >= of && of > 0))
      throw new Error('--urls and --sites are as many numbers, with no more sites than URLs')
  return sizes
}

async function measureSize(size: Size, visits: number, parent: string, tools: Tools): Promise<Measured> {
  const name = `${grouped(size.urls)} URLs, ${grouped(size.sites)} sites`
  using folder = temporaryFolder(parent === '' ? undefined : parent)
  const path = join(folder.path, 'frontier.db')
  tools.say(`${name}: filled through the ledger …`)
  const begun = performance.now()
  const opened = sqliteFrontier(path)()
  await opened.house.recover(async () => {})
  const { urls, textBytes } = await fill(opened, new NumberedWeb(size), tools.say)
  const fillSeconds = (performance.now() - begun) / 1000
  const bytes = await opened.bytes()
  await opened.close()
  tools.say(`${name}: measured …`)
  const task: ChildTask = { path, size, visits }
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(task)])
  const ofUrls = (bytes.get('url') ?? 0) / urls
  return {
    ...size,
    ...(JSON.parse(stdout) as FrontierFigures),
    fillSeconds,
    bytesPerUrl: ofUrls,
    bytesPerUrlWithoutText: ofUrls - textBytes / urls,
    bytesPerUrlOfWhole: [...bytes.values()].reduce((sum, each) => sum + each, 0) / urls,
  }
}

function report(all: readonly Measured[]): Outcome {
  const perSecond = (rate: number) => grouped(Math.round(rate))
  const latency = ({ p50Ms, p99Ms }: Latency) => `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`
  const rowsOf: [string, (one: Measured) => string][] = [
    ['URL tests a second', (one) => perSecond(one.testsPerSecond)],
    ['  in visits', (one) => perSecond(one.testsInVisitsPerSecond)],
    ['  in the database', (one) => perSecond(one.testsInDatabasePerSecond)],
    ['check-in, µs a page', (one) => one.settleMicroseconds.toFixed(1)],
    ['check-in of ten visits, p50 / p99 ms', (one) => latency(one.settling)],
    ['check-out, µs a site', (one) => one.checkOutMicroseconds.toFixed(1)],
    ['check-out of 32, p50 / p99 ms', (one) => latency(one.alone)],
    ['check-out while parts are applied, p50 / p99 ms', (one) => latency(one.whileApplying)],
    ['  its mean, ms', (one) => one.whileApplying.meanMs.toFixed(2)],
    ['start, ms', (one) => one.startMs.toFixed(0)],
    ['memory, MB', (one) => (one.rssBytes / 1e6).toFixed(0)],
    ['bytes a URL on disk', (one) => one.bytesPerUrl.toFixed(0)],
    ['  without its text', (one) => one.bytesPerUrlWithoutText.toFixed(0)],
    ['  of the whole database', (one) => one.bytesPerUrlOfWhole.toFixed(0)],
    ['filled, s', (one) => one.fillSeconds.toFixed(0)],
  ]
  const growth = slope(all.map(({ urls, rssBytes }) => ({ x: urls, y: rssBytes })))
  return {
    tables: [
      {
        title: 'The frontier on SQLite, by known URLs / sites',
        header: ['', ...all.map(({ urls, sites }) => `${grouped(urls)} / ${grouped(sites)}`)],
        rows: rowsOf.map(([name, cell]) => [name, ...all.map(cell)]),
      },
    ],
    notes: [
      'A test is a link that a page offers: 40 a page. 32 are internal and answered by the known set of the visit (its making is counted); 8 lead abroad and are given to settle, whose whole work and commits are counted. Known are 97 % and 95 %.',
      'A check-out while parts are applied is counted from when it was due: the thread may be busy then. Courtesy (one address pause after a start) is left out.',
      `Memory grows by ${growth.toFixed(1)} bytes a known URL.`,
    ],
    figures: { sizes: all, memoryBytesPerUrl: growth },
  }
}
