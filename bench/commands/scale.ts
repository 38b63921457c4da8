/** `bench scale`: rate against concurrent sites, worker threads and processes; CPU by operation; lateness of event loops. */
import { availableParallelism } from 'node:os'
import { grouped } from '../../src/report/text-table.ts'
import { benchmark, type Outcome, type Tools } from '../command.ts'
import { measureOperations, OPERATIONS, type OperationsPoint } from '../scale/by-operation.ts'
import { deviations, measureSites, type SitesPoint } from '../scale/by-sites.ts'
import { type LoadOptions, measureThreads, mediansOf, type ThreadsPoint } from '../scale/by-threads.ts'

const FLAGS = {
  only: { default: '', what: 'parts to run: sites, threads, operations; with commas' },
  sites: { default: '5,50,500,5000', what: 'concurrent sites, one worker thread' },
  latency: { default: 3.4, what: 'seconds that a site takes to answer' },
  window: { default: 60, what: 'seconds in which requests are counted, after ramp-up' },
  bytes: { default: 15_000, what: 'bytes of a page' },
  load: { default: 200, what: 'sites of the crawls at full load (threads, operations)' },
  pages: { default: 50, what: 'pages of each of them' },
  threads: { default: 0, what: 'most worker threads and processes; 0: one for each core' },
  runs: { default: 3, what: 'runs of each number of threads and processes, by turns; medians are printed' },
  visits: { default: '1,10,30,100', what: 'concurrent visits by which CPU is split into operations' },
} as const

const PARTS = ['sites', 'threads', 'operations'] as const
/** What the issue of speed asks for. */
const MAX_DEVIATION = 0.05
const MAX_LATE_MS = 50
const MAX_STORE = 0.3
const OWN =
  'Lateness of its own: CPU that the worker’s thread spent between two looks; the rest it waited for a core or the collector.'

export const scale = benchmark({
  name: 'scale',
  what: 'rate by concurrent sites, threads and processes; CPU by operation; how late a worker’s event loop is',
  flags: FLAGS,
  async run({ only, sites, latency, window, bytes, load, pages, threads, runs, visits }, tools): Promise<Outcome> {
    const parts = only === '' ? PARTS : only.split(',')
    for (const part of parts)
      if (!PARTS.includes(part as (typeof PARTS)[number]))
        throw new Error(`--only takes ${PARTS.join(', ')}; not '${part}'`)
    const full = { sites: load, pagesPerSite: pages, pageBytes: bytes }
    const outcomes: Outcome[] = []
    if (parts.includes('sites')) outcomes.push(await bySites(numbers(sites), latency, window, bytes, tools))
    if (parts.includes('threads')) outcomes.push(await byThreads(threads || availableParallelism(), runs, full, tools))
    if (parts.includes('operations')) outcomes.push(await byOperation(numbers(visits), full, tools))
    return {
      tables: outcomes.flatMap((one) => one.tables),
      notes: outcomes.flatMap((one) => one.notes),
      figures: Object.assign({}, ...outcomes.map((one) => one.figures)),
    }
  },
})

function numbers(list: string): number[] {
  return list.split(',').map((text) => {
    const number = Number(text)
    if (!Number.isInteger(number) || number < 1) throw new Error(`'${list}' should be whole numbers with commas`)
    return number
  })
}

async function bySites(
  list: readonly number[],
  latencySeconds: number,
  windowSeconds: number,
  pageBytes: number,
  tools: Tools,
): Promise<Outcome> {
  const points: SitesPoint[] = []
  for (const sites of list) {
    tools.say(`${grouped(sites)} sites at once …`)
    const point = await measureSites({ sites, latencySeconds, windowSeconds, pageBytes })
    points.push(point)
    tools.say(`${grouped(sites)} sites: ${point.perSecond.toFixed(1)} requests/s, ${percent(point.share)} of the most`)
  }
  const away = deviations(points)
  const rows = points.map((point, at) => [
    grouped(point.sites),
    grouped(point.requests),
    point.perSecond.toFixed(1),
    percent(point.share),
    percent(away[at]),
    percent(point.crawlerCpuShare),
    percent(point.serverCpuShare),
    late(point.lateness?.p999Ms),
    late(point.lateness?.busyP999Ms),
  ])
  const header = [
    'sites at once',
    'requests',
    'a second',
    'of sites / latency',
    'off the line',
    'crawler’s CPU',
    'server’s CPU',
    'late, p99.9',
    'of its own',
  ]
  const worst = Math.max(...away.map(Math.abs))
  const latest = Math.max(0, ...points.map((point) => point.lateness?.p999Ms ?? 0))
  return {
    tables: [
      {
        title: `Rate by concurrent sites: ${latencySeconds} s latency, one worker thread, ${windowSeconds} s counted at the server`,
        header,
        rows,
      },
    ],
    notes: [
      `Linear within ${percent(worst)} (${worst <= MAX_DEVIATION ? 'as asked' : 'asked'}: ${percent(MAX_DEVIATION)}); event loop late by ${latest.toFixed(1)} ms at p99.9 (asked: ${MAX_LATE_MS} ms).`,
      OWN,
    ],
    figures: { sites: points.map((point, at) => ({ ...point, deviation: away[at] })), worstDeviation: worst },
  }
}

async function byThreads(max: number, runs: number, load: LoadOptions, tools: Tools): Promise<Outcome> {
  const shapes = [
    ...Array.from({ length: max }, (_, at) => ({ processes: 1, threads: at + 1 })),
    ...Array.from({ length: max - 1 }, (_, at) => ({ processes: at + 2, threads: 1 })),
  ]
  const done: ThreadsPoint[][] = shapes.map(() => [])
  for (let round = 1; round <= Math.max(1, runs); round++) {
    for (const [at, { processes, threads }] of shapes.entries()) {
      const point = await measureThreads(processes, threads, load)
      done[at].push(point)
      tools.say(`${round}/${runs} ${processes} × ${threads} threads: ${Math.round(point.pagesPerSecond)} pages/s`)
    }
  }
  const points = done.map(mediansOf)
  const rows = points.map((point) => [
    `${point.processes}`,
    `${point.threads}`,
    grouped(Math.round(point.pagesPerSecond)),
    `${(point.pagesPerSecond / points[0].pagesPerSecond).toFixed(2)} ×`,
    point.cpuSecondsPer1000.toFixed(3),
    `${Math.round(point.peakBytes / 1e6)} MB`,
    late(point.lateness?.p999Ms),
    late(point.lateness?.busyP999Ms),
  ])
  const header = [
    'processes',
    'worker threads of each',
    'pages/s',
    'of one thread',
    'CPU s per 1,000',
    'peak memory',
    'late, p99.9',
    'of its own',
  ]
  return {
    tables: [
      {
        title: `Full load: ${grouped(load.sites)} sites × ${grouped(load.pagesPerSite)} pages, medians of ${runs}`,
        header,
        rows,
      },
    ],
    notes: [
      OWN,
      'The server and the coordinator need cores too: on a machine of N cores fewer than N threads have one to themselves.',
    ],
    figures: { threads: points },
  }
}

async function byOperation(list: readonly number[], load: LoadOptions, tools: Tools): Promise<Outcome> {
  const points: OperationsPoint[] = []
  for (const visits of list) {
    const point = await measureOperations(visits, load)
    points.push(point)
    tools.say(`${visits} visits at once: ${percent(point.storeShare)} of the CPU for the store`)
  }
  const rows = points.map(({ visits, microseconds, storeShare }) => [
    `${visits}`,
    ...OPERATIONS.map((name) => `${Math.round(microseconds[name])}`),
    percent(storeShare),
  ])
  const worst = Math.max(...points.map(({ storeShare }) => storeShare))
  return {
    tables: [
      {
        title: 'CPU µs per page by operation, all threads, from profiles',
        header: ['visits', ...OPERATIONS, 'store'],
        rows,
      },
    ],
    notes: [
      `Store: ${percent(worst)} of the CPU at most, gzip and digests included (asked: ${percent(MAX_STORE)}; Viúva Negra: 1.2 % to 64.8 % of the time). 'other' is start, end, collection of garbage and the loop itself.`,
    ],
    figures: { operations: points },
  }
}

const late = (ms: number | undefined) => (ms === undefined ? '-' : `${ms.toFixed(1)} ms`)
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
