/** `bench crawl`: whole crawls of a served web, runs of all kinds interleaved, so that a busy machine is unfair to none. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import { runOrbweaver, type Volumes } from '../crawlers/orbweaver.ts'
import { runWget, wgetVersion } from '../crawlers/wget.ts'
import type { Measured } from '../measure/run-measured.ts'
import { median } from '../measure/statistics.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { benchWeb, factsOf } from '../web/bench-web.ts'
import { type ServedWeb, serveBenchWeb } from '../web/served-web.ts'

const FLAGS = {
  sites: { default: 200, what: 'sites of the served web' },
  pages: { default: 50, what: 'pages of each' },
  runs: { default: 3, what: 'runs of each kind; medians are printed' },
  workers: { default: 0, what: 'worker threads, or processes of a rival; 0: one for each core' },
  only: { default: '', what: 'kinds to run: identity-written, gzip-written, …-dropped, …-none, wget; with commas' },
  profile: { default: '', what: 'a folder for CPU profiles of the last run of each kind' },
} as const

interface Kind {
  name: string
  /** Crawler, answers, volumes. */
  cells: [string, string, string]
  coding: 'identity' | 'gzip'
  run(scene: Scene): Promise<Measured>
}

interface Scene {
  web: ServedWeb
  folder: string
  seeds: readonly string[]
  seedFile: string
  documents: number
  workers: number
  profile: string | undefined
}

interface Run extends Measured {
  pages: number
  server: { cpuSeconds: number; requests: number }
}

const orbweaver = (coding: Kind['coding'], volumes: Volumes): Kind => ({
  name: `${coding}-${volumes}`,
  cells: ['orbweaver', coding, volumes],
  coding,
  async run({ web, folder, seedFile, documents, workers, profile }) {
    const flags = ['--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', '*.test=0s', '--workers', `${workers}`]
    const nodeFlags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
    const collection = join(folder, 'collection')
    const end = await runOrbweaver({ folder: collection, seedFile, port: web.port, volumes, flags, nodeFlags })
    if (end.documents !== documents) throw new Error(`${end.documents} documents were kept, ${documents} are right`)
    if (readdirSync(join(collection, 'archive')).length > 0 !== (volumes === 'written'))
      throw new Error(`volumes ${volumes} is not what was done`)
    return end
  },
})

const wget: Kind = {
  name: 'wget',
  cells: ['wget --warc-file', 'identity', 'written'],
  coding: 'identity',
  run: ({ web, folder, seeds, workers }) => runWget({ folder, seeds, port: web.port, processes: workers }),
}

const KINDS: readonly Kind[] = [
  orbweaver('identity', 'written'),
  orbweaver('gzip', 'written'),
  orbweaver('identity', 'dropped'),
  orbweaver('gzip', 'dropped'),
  orbweaver('identity', 'none'),
  orbweaver('gzip', 'none'),
  wget,
]

export const crawl = benchmark({
  name: 'crawl',
  what: 'pages a second, CPU for 1,000 pages and peak memory of whole crawls, with and without writing volumes',
  flags: FLAGS,
  async run({ sites, pages, runs, workers, only, profile }, tools): Promise<Outcome> {
    const version = wgetVersion()
    const kinds = chosen(only).filter((kind) => kind !== wget || version !== undefined)
    const done = await runAll(kinds, { sites, pages, runs, workers: workers || availableParallelism(), profile }, tools)
    return report(kinds, done, version, `${grouped(sites)} sites × ${grouped(pages)} pages, medians of ${runs}`)
  },
})

function chosen(only: string): Kind[] {
  const names = only === '' ? KINDS.map(({ name }) => name) : only.split(',')
  return names.map((name) => {
    const kind = KINDS.find((one) => one.name === name)
    if (kind === undefined) throw new Error(`--only takes ${KINDS.map((one) => one.name).join(', ')}; not '${name}'`)
    return kind
  })
}

interface Size {
  sites: number
  pages: number
  runs: number
  workers: number
  profile: string
}

async function runAll(kinds: readonly Kind[], size: Size, tools: Tools): Promise<Map<string, Run[]>> {
  const options = benchWeb(size.sites, size.pages)
  tools.say('making the pages …')
  const { seeds, documents } = factsOf(options)
  await using web = await serveBenchWeb({ web: options, prepare: true, manyAddresses: false })
  const done = new Map<string, Run[]>(kinds.map(({ name }) => [name, []]))
  for (let round = 1; round <= size.runs; round++) {
    for (const kind of kinds) {
      using folder = temporaryFolder()
      const seedFile = join(folder.path, 'seeds.txt')
      writeFileSync(seedFile, seeds.join('\n') + '\n')
      const last = round === size.runs && size.profile !== ''
      const profile = last ? join(size.profile, kind.name) : undefined
      if (profile !== undefined) mkdirSync(profile, { recursive: true })
      web.code(kind.coding)
      const before = await web.stand()
      const end = await kind.run({
        web,
        folder: folder.path,
        seeds,
        seedFile,
        documents,
        workers: size.workers,
        profile,
      })
      const after = await web.stand()
      const server = {
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        requests: after.requests - before.requests,
      }
      const run = { ...end, pages: after.pages - before.pages, server }
      done.get(kind.name)?.push(run)
      tools.say(
        `${round}/${size.runs} ${kind.name}: ${run.pages} pages, ${end.wallSeconds.toFixed(1)} s, ${cpuPer1000(run).toFixed(2)} CPU s per 1,000`,
      )
    }
  }
  return done
}

const cpuPer1000 = (run: Run) => (run.cpuSeconds / run.pages) * 1000

function report(
  kinds: readonly Kind[],
  done: ReadonlyMap<string, Run[]>,
  wgetIs: string | undefined,
  size: string,
): Outcome {
  const figures = kinds.map(({ name, cells }) => {
    const runs = done.get(name) ?? []
    const of = (pick: (run: Run) => number) => median(runs.map(pick))
    return {
      kind: name,
      cells,
      pages: of((run) => run.pages),
      requests: of((run) => run.server.requests),
      cpuSecondsPer1000: of(cpuPer1000),
      pagesPerSecond: of((run) => run.pages / run.wallSeconds),
      peakBytes: of((run) => run.peakBytes ?? Number.NaN),
      serverCpuSecondsPer1000: of((run) => (run.server.cpuSeconds / run.pages) * 1000),
      threads: Object.fromEntries([...(runs.at(-1)?.threads ?? [])].filter(([, seconds]) => seconds >= 0.05)),
      runs: runs.map((run) => ({ cpuSeconds: run.cpuSeconds, wallSeconds: run.wallSeconds, pages: run.pages })),
    }
  })
  const rival = figures.find(({ kind }) => kind === wget.name)
  const ratio = (cpu: number) => (rival === undefined ? '-' : `${(rival.cpuSecondsPer1000 / cpu).toFixed(2)} ×`)
  const rows = figures.map((one) => [
    ...one.cells,
    grouped(one.pages),
    one.cpuSecondsPer1000.toFixed(3),
    grouped(Math.round(one.pagesPerSecond)),
    Number.isNaN(one.peakBytes) ? '-' : `${Math.round(one.peakBytes / 1e6)} MB`,
    one.serverCpuSecondsPer1000.toFixed(3),
    ratio(one.cpuSecondsPer1000),
  ])
  const header = [
    'crawler',
    'answers',
    'volumes',
    'pages',
    'CPU s per 1,000',
    'pages/s',
    'peak memory',
    'server CPU s per 1,000',
    'wget’s CPU : ours',
  ]
  return {
    tables: [{ title: `Whole crawls: ${size}`, header, rows }],
    notes: [
      'Start and end of the program are in all figures. Volumes dropped: compressed, and thrown away; none: not even made.',
      wgetIs === undefined
        ? 'No wget here, so there is no rival in this run.'
        : `${wgetIs}: stores WARC; its queue is in memory and ends with it; no catalogue, no links. Its memory is the sum of its processes.`,
    ],
    figures: { kinds: figures.map(({ cells: _, ...figure }) => figure), wget: wgetIs ?? null },
  }
}
