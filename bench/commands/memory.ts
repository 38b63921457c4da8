/**
 * `bench memory`: thousands of sites in one process, with real pauses, so that thousands of visits are open at once.
 * Memory is set against the pages fetched so far: after the warm-up it must not grow with them. `--load` is the other
 * extreme: no pause, as many pages as the machine can read (`--load --sites 500 --pages 100 --workers 2 --visits 300`).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { grouped } from '../../src/report/text-table.ts'
import { loopbackAddress } from '../../testkit/web/addresses.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { makeWeb } from '../../testkit/web/web.ts'
import { benchmark, type Outcome } from '../command.ts'
import { type OrbweaverEnd, runOrbweaver } from '../crawlers/orbweaver.ts'
import type { Sample } from '../measure/run-measured.ts'
import { slope } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { crawlForScale } from '../scale/run-crawl.ts'
import { seedsOf, serveSlowWeb } from '../scale/slow-web.ts'
import { benchWeb, factsOf } from '../web/bench-web.ts'
import { serveBenchWeb } from '../web/served-web.ts'

const FLAGS = {
  sites: { default: 5000, what: 'sites, each at an address of its own' },
  pages: { default: 10, what: 'pages of each' },
  visits: { default: 1500, what: 'sites visited at the same time' },
  workers: { default: 1, what: 'worker threads' },
  pause: { default: 1, what: 'seconds of pause after every answer of a site' },
  bytes: { default: 15_000, what: 'bytes of a page at full load' },
  load: { default: false, what: 'at full load instead: no pause, answers at once; 5000 × 200 pages take half an hour' },
} as const

interface Point {
  seconds: number
  pages: number
  rssBytes: number
}

/** The first third of the pages is warm-up: by then the slots are full and the caches have their sizes. */
const WARM_UP = 1 / 3
const LINES = 12

export const memory = benchmark({
  name: 'memory',
  what: 'memory of one process over thousands of sites, by pages fetched',
  flags: FLAGS,
  async run({ sites, pages, visits, workers, pause, bytes, load }, tools): Promise<Outcome> {
    const points: Point[] = []
    const sampler = (fetched: () => number) => (sample: Sample) => {
      const last = points.at(-1)
      if (last !== undefined && sample.seconds - last.seconds < 1) return
      points.push({ ...sample, pages: fetched() })
      tools.say(`${Math.round(sample.seconds)} s: ${fetched()} pages, ${Math.round(sample.rssBytes / 1e6)} MB`)
    }
    const crawl = load ? atFullLoad : withPauses
    const { documents, peakBytes } = await crawl({ sites, pages, visits, workers, pause, bytes }, sampler)
    return report(points, documents, peakBytes ?? Number.NaN, `${grouped(sites)} sites × ${grouped(pages)} pages`)
  },
})

interface Size {
  sites: number
  pages: number
  visits: number
  workers: number
  pause: number
  bytes: number
}

type Sampler = (fetched: () => number) => (sample: Sample) => void

/** Sites at addresses of their own, as on the web. */
async function withPauses({ sites, pages, visits, workers, pause }: Size, sampler: Sampler): Promise<OrbweaverEnd> {
  const options = benchWeb(sites, pages)
  const { seeds, documents } = factsOf(options)
  await using web = await serveBenchWeb({ web: options, prepare: false, manyAddresses: true })
  using folder = temporaryFolder()
  const seedFile = join(folder.path, 'seeds.txt')
  writeFileSync(seedFile, seeds.join('\n') + '\n')
  const collection = join(folder.path, 'collection')
  writeSettings(collection, options, web.port)
  await using counted = counting(async () => (await web.stand()).pages)
  const flags = ['--pause', `${pause}s`, '--visits', `${visits}`, '--workers', `${workers}`]
  const end = await runOrbweaver(
    { folder: collection, seedFile, port: web.port, volumes: 'written', flags },
    { onSample: sampler(counted.last) },
  )
  if (end.documents !== documents) throw new Error(`${end.documents} documents were kept, ${documents} are right`)
  return end
}

/** One address, pages from memory: as many pages as the machine can read. */
async function atFullLoad({ sites, pages, visits, workers, bytes }: Size, sampler: Sampler): Promise<OrbweaverEnd> {
  using folder = temporaryFolder()
  await using web = await serveSlowWeb({ latencyMs: 0, pagesPerSite: pages, pageBytes: bytes })
  await using counted = counting(async () => (await web.stand()).requests)
  const seeds = seedsOf(sites)
  const run = { folder: folder.path, port: web.port, seeds, workers, visits, until: { pagesPerSite: pages } }
  return await crawlForScale({ ...run, onSample: sampler(counted.last) })
}

/** Asked again and again, so that samples have a number at hand. */
function counting(ask: () => Promise<number>): AsyncDisposable & { last(): number } {
  let last = 0
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      last = await ask()
      await sleep(250, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  return {
    last: () => last,
    async [Symbol.asyncDispose]() {
      over.abort()
      await asking
    },
  }
}

/** An address for each site, as on the web. They are too many for flags, so they stand where `crawl` looks for settings. */
function writeSettings(collection: string, options: WebOptions, port: number): void {
  const rules = makeWeb(options)
    .allSites()
    .map((site) => `  - ${site.host.split(':', 1)[0]}=${loopbackAddress(site)}:${port}`)
  mkdirSync(collection, { recursive: true })
  writeFileSync(join(collection, 'orbweaver.yaml'), `resolve:\n${rules.join('\n')}\n`)
}

function report(points: readonly Point[], documents: number, peakBytes: number, size: string): Outcome {
  // While the last sites end there are fewer visits every second: that is no part of the question.
  const steady = points.filter(({ pages }) => pages >= documents * WARM_UP && pages < documents * 0.95)
  const perThousand = slope(steady.map(({ pages, rssBytes }) => ({ x: pages / 1000, y: rssBytes })))
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  const every = Math.max(1, Math.ceil(points.length / LINES))
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1)
  const rows = shown.map(({ seconds, pages, rssBytes }) => [
    `${Math.round(seconds)}`,
    grouped(pages),
    megabytes(rssBytes),
  ])
  const from = steady.at(0)
  const to = steady.at(-1)
  const figures = {
    documents,
    peakBytes,
    warmUp: from ?? null,
    end: to ?? null,
    bytesPer1000PagesAfterWarmUp: Math.round(perThousand),
    points,
  }
  const note =
    from === undefined || to === undefined
      ? 'Too short to tell warm-up from steady work.'
      : `After warm-up (${grouped(from.pages)} pages) ${megabytes(from.rssBytes)}, at the end (${grouped(to.pages)} pages) ${megabytes(to.rssBytes)}: ${(perThousand / 1e6).toFixed(2)} MB per 1,000 pages. Peak ${megabytes(peakBytes)}.`
  return {
    tables: [{ title: `Memory: ${size}`, header: ['seconds', 'pages', 'memory'], rows }],
    notes: [note],
    figures,
  }
}
