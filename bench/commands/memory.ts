/**
 * `bench memory`: thousands of sites in one process, with real pauses, so that thousands of visits are open at once.
 * Memory is set against the pages fetched so far: after the warm-up it must not grow with them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { grouped } from '../../src/report/text-table.ts'
import { loopbackAddress } from '../../src/testweb/addresses.ts'
import type { WebOptions } from '../../src/testweb/options.ts'
import { makeWeb } from '../../src/testweb/web.ts'
import { benchmark, type Outcome } from '../command.ts'
import { runOrbweaver } from '../crawlers/orbweaver.ts'
import { slope } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { benchWeb, factsOf } from '../web/bench-web.ts'
import { serveBenchWeb } from '../web/served-web.ts'

const FLAGS = {
  sites: { default: 5000, what: 'sites, each at an address of its own' },
  pages: { default: 10, what: 'pages of each' },
  visits: { default: 1500, what: 'sites visited at the same time' },
  workers: { default: 1, what: 'worker threads' },
  pause: { default: 1, what: 'seconds of pause after every answer of a site' },
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
  async run({ sites, pages, visits, workers, pause }, tools): Promise<Outcome> {
    const options = benchWeb(sites, pages)
    const { seeds, documents } = factsOf(options)
    await using web = await serveBenchWeb({ web: options, prepare: false, manyAddresses: true })
    using folder = temporaryFolder()
    const seedFile = join(folder.path, 'seeds.txt')
    writeFileSync(seedFile, seeds.join('\n') + '\n')
    const collection = join(folder.path, 'collection')
    writeSettings(collection, options, web.port)
    const points: Point[] = []
    let fetched = 0
    const over = new AbortController()
    const counting = (async () => {
      while (!over.signal.aborted) {
        fetched = (await web.stand()).pages
        await sleep(250, undefined, { signal: over.signal }).catch(() => {})
      }
    })()
    const flags = ['--pause', `${pause}s`, '--visits', `${visits}`, '--workers', `${workers}`]
    const end = await runOrbweaver(
      { folder: collection, seedFile, port: web.port, volumes: 'written', flags },
      {
        onSample({ seconds, rssBytes }) {
          const last = points.at(-1)
          if (last !== undefined && seconds - last.seconds < 1) return
          points.push({ seconds, pages: fetched, rssBytes })
          tools.say(`${Math.round(seconds)} s: ${fetched} pages, ${Math.round(rssBytes / 1e6)} MB`)
        },
      },
    )
    over.abort()
    await counting
    if (end.documents !== documents) throw new Error(`${end.documents} documents were kept, ${documents} are right`)
    return report(points, documents, end.peakBytes ?? Number.NaN, `${grouped(sites)} sites × ${grouped(pages)} pages`)
  },
})

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
