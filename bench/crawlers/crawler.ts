/** One crawler in one manner of working, as the benchmarks run it: the same web, the same yardstick for all. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tools } from '../command.ts'
import type { Measured } from '../measure/run-measured.ts'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { benchWeb, factsOf, type WebFacts } from '../web/bench-web.ts'
import type { Connections, Stand } from '../web/page-server.ts'
import { type ServedWeb, serveBenchWeb } from '../web/served-web.ts'

export type Coding = 'identity' | 'gzip'

export interface Crawler {
  /** As `--only` names it. */
  name: string
  /** Crawler, answers, what it stores. */
  cells: [string, string, string]
  coding: Coding
  /** The same web under https, and what becomes of connections there. */
  secure?: Connections
  /** It asks a name server, and finds the web at the usual port; else it is told where names lead. */
  byName?: boolean
  run(scene: Scene): Promise<Measured>
}

export interface Scene {
  web: ServedWeb
  /** Empty, and gone afterwards. */
  folder: string
  seeds: readonly string[]
  seedFile: string
  /** What a right crawl keeps. */
  documents: number
  /** Threads, or processes of a crawler that has none; 0: its own default, a process for each core. */
  workers: number
  /** The time is up. */
  end: AbortSignal
  /** A folder for CPU profiles, if they are wanted of this run. */
  profile: string | undefined
}

export interface Size {
  sites: number
  pages: number
  runs: number
  workers: number
  profile: string
  /** The longest that a run may take. */
  minutes?: number
}

const MAX_MINUTES = 30

export interface Run extends Measured {
  /** Pages that the server gave out. */
  pages: number
  /** By the server's count. */
  server: Stand
}

/** A web and what a right crawl of it finds. */
interface Place extends WebFacts {
  web: ServedWeb
}

/**
 * Runs of all crawlers take turns, so that a busy machine is unfair to none. One that fails, or cannot be run here, is
 * told to `leave` and has no further turn; without `leave` a failure ends the benchmark.
 */
export async function runInTurn(
  crawlers: readonly Crawler[],
  size: Size,
  tools: Tools,
  leave?: (crawler: Crawler, why: string) => void,
): Promise<ReadonlyMap<string, Run[]>> {
  tools.say('making the pages …')
  await using webs = new AsyncDisposableStack()
  const open = async (secure: boolean): Promise<Place | undefined> => {
    if (!crawlers.some((crawler) => (crawler.secure !== undefined) === secure)) return undefined
    const names = crawlers.some((crawler) => crawler.byName === true)
    const options = benchWeb(size.sites, size.pages, secure)
    const served = { web: options, prepare: true, manyAddresses: false, secure, names: names && !secure }
    return { web: webs.use(await serveBenchWeb(served)), ...factsOf(options) }
  }
  const plain = await open(false)
  const secure = await open(true)
  const done = new Map<string, Run[]>(crawlers.map(({ name }) => [name, []]))
  const left = new Set<Crawler>()
  for (let round = 1; round <= size.runs; round++) {
    for (const crawler of crawlers) {
      const place = crawler.secure === undefined ? plain : secure
      if (place === undefined || left.has(crawler)) continue
      const { web, seeds, documents } = place
      using folder = temporaryFolder()
      const seedFile = join(folder.path, 'seeds.txt')
      writeFileSync(seedFile, seeds.join('\n') + '\n')
      const last = round === size.runs && size.profile !== ''
      const profile = last ? join(size.profile, crawler.name) : undefined
      if (profile !== undefined) mkdirSync(profile, { recursive: true })
      const { workers } = size
      const end = AbortSignal.timeout((size.minutes ?? MAX_MINUTES) * 60_000)
      const scene = { web, folder: folder.path, seeds, seedFile, documents, workers, profile, end }
      try {
        const run = await measured(crawler, scene)
        done.get(crawler.name)?.push(run)
        tools.say(
          `${round}/${size.runs} ${crawler.name}: ${run.pages} pages, ${run.wallSeconds.toFixed(1)} s, ${cpuPer1000(run).toFixed(3)} CPU s per 1,000`,
        )
      } catch (error) {
        if (leave === undefined) throw error
        const why = error instanceof Error ? error.message : `${error}`
        left.add(crawler)
        tools.say(`${round}/${size.runs} ${crawler.name}: ${why}`)
        leave(crawler, why)
      }
    }
  }
  return done
}

async function measured(crawler: Crawler, scene: Scene): Promise<Run> {
  const { web } = scene
  web.begin({ coding: crawler.coding, connections: crawler.secure ?? 'kept' })
  const before = await web.stand()
  const end = await crawler.run(scene)
  const after = await web.stand()
  if (after.distinct === 0) throw new Error('no page was asked for')
  return { ...end, pages: after.pages, server: { ...after, cpuSeconds: after.cpuSeconds - before.cpuSeconds } }
}

/** A page that was asked for twice is one page. */
export const cpuPer1000 = (run: Run) => (run.cpuSeconds / run.server.distinct) * 1000

/** Medians; what the server counted among them. */
export interface CrawlerFigures extends Omit<Stand, 'cpuSeconds'> {
  name: string
  cpuSecondsPer1000: number
  pagesPerSecond: number
  peakBytes: number | null
  serverCpuSecondsPer1000: number
  threads: Record<string, number>
  runs: { cpuSeconds: number; wallSeconds: number; pages: number }[]
}

export function figuresOf(name: string, runs: readonly Run[]): CrawlerFigures {
  const of = (pick: (run: Run) => number) => median(runs.map(pick))
  const peak = of((run) => run.peakBytes ?? Number.NaN)
  return {
    name,
    pages: of((run) => run.pages),
    requests: of((run) => run.server.requests),
    distinct: of((run) => run.server.distinct),
    coded: of((run) => run.server.coded),
    connections: of((run) => run.server.connections),
    handshakes: of((run) => run.server.handshakes),
    resumed: of((run) => run.server.resumed),
    names: of((run) => run.server.names),
    cpuSecondsPer1000: of(cpuPer1000),
    pagesPerSecond: of((run) => run.server.distinct / run.wallSeconds),
    peakBytes: Number.isNaN(peak) ? null : peak,
    serverCpuSecondsPer1000: of((run) => (run.server.cpuSeconds / run.server.distinct) * 1000),
    threads: Object.fromEntries([...(runs.at(-1)?.threads ?? [])].filter(([, seconds]) => seconds >= 0.05)),
    runs: runs.map((run) => ({ cpuSeconds: run.cpuSeconds, wallSeconds: run.wallSeconds, pages: run.pages })),
  }
}

/** `--only a,b`; '' is all of them. */
export function chosen(only: string, crawlers: readonly Crawler[]): Crawler[] {
  const names = only === '' ? crawlers.map(({ name }) => name) : only.split(',')
  return names.map((name) => {
    const crawler = crawlers.find((one) => one.name === name)
    if (crawler === undefined)
      throw new Error(`--only takes ${crawlers.map((one) => one.name).join(', ')}; not '${name}'`)
    return crawler
  })
}
