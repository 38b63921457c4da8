/** `bench cluster`: rate against worker processes over PostgreSQL, at sites that answer late. */
import { writeFileSync } from 'node:fs'
import { grouped } from '../../src/report/text-table.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { startServer } from '../../testkit/postgres/server.test-tools.ts'
import { measureWorkers, type WorkersPoint } from '../cluster/by-workers.ts'
import { rateFigure } from '../cluster/rate-figure.ts'
import { benchmark, type Outcome } from '../command.ts'
import { deviations } from '../scale/by-sites.ts'

const FLAGS = {
  workers: { default: '1,2,4,8', what: 'worker processes, with commas' },
  sites: { default: 250, what: 'sites that each worker visits at the same time' },
  latency: { default: 3.4, what: 'seconds that a site takes to answer' },
  window: { default: 60, what: 'seconds in which requests are counted, after ramp-up' },
  bytes: { default: 15_000, what: 'bytes of a page' },
  figure: { default: '', what: 'draws the rates into this file, as SVG' },
} as const

/** What the issue of many machines asks for. */
const MAX_DEVIATION = 0.1

export const cluster = benchmark({
  name: 'cluster',
  what: 'requests per second by worker processes over HTTP and PostgreSQL, at sites that answer late; check-outs beside it',
  flags: FLAGS,
  async run({ workers, sites, latency, window, bytes, figure }, tools): Promise<Outcome> {
    const postgres = await startServer()
    if ('skipped' in postgres) throw new Error(postgres.skipped)
    process.env['ORBWEAVER_TEST_POSTGRES'] = postgres.url
    const databases = await postgresForTests()
    if ('skipped' in databases) throw new Error(databases.skipped)
    try {
      const points: WorkersPoint[] = []
      for (const count of workers.split(',').map(Number)) {
        tools.say(`${count} workers, ${grouped(count * sites)} sites at once …`)
        const point = await measureWorkers(postgres, await databases.newDatabase(), {
          ...{ workers: count, sitesEach: sites, latencySeconds: latency, windowSeconds: window, pageBytes: bytes },
        })
        points.push(point)
        tools.say(`${count} workers: ${point.perSecond.toFixed(1)} requests/s, ${percent(point.share)} of the most`)
      }
      if (figure !== '') writeFileSync(figure, rateFigure(points, latency))
      return outcomeOf(points, latency, window)
    } finally {
      await databases.end()
      await postgres.stop()
    }
  },
})

function outcomeOf(points: readonly WorkersPoint[], latency: number, window: number): Outcome {
  const away = deviations(points)
  const worst = Math.max(...away.map(Math.abs))
  const rows = points.map((point, at) => [
    `${point.workers}`,
    grouped(point.sites),
    grouped(point.requests),
    point.perSecond.toFixed(1),
    percent(point.share),
    percent(away[at]),
    percent(point.workersCpu),
    percent(point.serverCpu),
    percent(point.postgresCpu),
    point.checkOutMs === null ? '-' : `${point.checkOutMs.mean.toFixed(1)} / ${point.checkOutMs.p99.toFixed(1)} ms`,
  ])
  const header = [
    ...['workers', 'sites at once', 'requests', 'a second', 'of sites / latency', 'off the line'],
    ...['workers’ CPU', 'server’s CPU', 'PostgreSQL’s CPU', 'check-out, mean / p99'],
  ]
  return {
    tables: [
      {
        title: `Rate by worker processes: one server, one PostgreSQL, ${latency} s latency, ${window} s counted at the crawled server`,
        header,
        rows,
      },
    ],
    notes: [
      `Linear within ${percent(worst)} (${worst <= MAX_DEVIATION ? 'as asked' : 'asked'}: ${percent(MAX_DEVIATION)}).`,
      'Check-out: the whole call at the server that brought sites, its waiting for one to become free included; CoBWeb: 20 ms beside 3.39 s.',
    ],
    figures: { points, worstDeviation: worst },
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
