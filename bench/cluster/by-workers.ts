/**
 * Requests a second against worker processes of a cluster, at sites that answer late (Fig. 3 of CoBWeb): one PostgreSQL, one
 * server, each worker with its share of the sites. Beside it how long a check-out took, as the server recorded it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgresToRead } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import type { StartedServer } from '../../testkit/postgres/server.test-tools.ts'
import { plainEnvironment } from '../crawlers/orbweaver.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { seedsOf, serveSlowWeb } from '../scale/slow-web.ts'
import { cpuOf, cpuOfFamily, endAll, said } from './processes.ts'

export interface WorkersPoint {
  workers: number
  sites: number
  requests: number
  seconds: number
  perSecond: number
  /** Of what these sites can answer when each is asked again at once: sites / latency. */
  share: number
  /** CPU seconds a second. */
  serverCpu: number
  workersCpu: number
  postgresCpu: number
  /** Check-outs that found something, from the request to the answer, transaction included. */
  checkOutMs: { mean: number; p99: number; calls: number } | null
}

export interface WorkersOptions {
  workers: number
  sitesEach: number
  latencySeconds: number
  windowSeconds: number
  pageBytes: number
}

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'orbweaver.js')
const MAX_RAMP_SECONDS = 180

export async function measureWorkers(
  postgres: StartedServer,
  database: string,
  options: WorkersOptions,
): Promise<WorkersPoint> {
  const { workers, sitesEach, latencySeconds, windowSeconds, pageBytes } = options
  const sites = workers * sitesEach
  using folder = temporaryFolder()
  const pagesPerSite = Math.ceil((windowSeconds + MAX_RAMP_SECONDS) / latencySeconds) + 2
  await using web = await serveSlowWeb({ latencyMs: latencySeconds * 1000, pagesPerSite, pageBytes })
  const seeds = join(folder.path, 'seeds.txt')
  writeFileSync(seeds, `${seedsOf(sites).join('\n')}\n`)
  const running: ChildProcess[] = []
  try {
    const server = start(['serve', '-c', join(folder.path, 'server'), '--port', '0', '--seeds', seeds], {
      more: ['--database', database, '--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', '*.test=0s'],
    })
    running.push(server)
    const url = await said(server, /serving at (\S+);/)
    for (let i = 1; i <= workers; i++) {
      const at = join(folder.path, `worker${i}`)
      mkdirSync(at)
      running.push(
        start(['worker', '-c', at, '--server', url, '--workers', '1', '--visits', `${sitesEach}`], {
          more: ['--quiet', '--name', `w${i}`],
        }),
      )
    }
    const begun = performance.now()
    while ((await web.stand()).sites < sites) {
      if (performance.now() - begun > MAX_RAMP_SECONDS * 1000) throw new Error(`not all of ${sites} sites were asked`)
      if (running.some(({ exitCode }) => exitCode !== null)) throw new Error('a process of the cluster ended')
      await sleep(250)
    }
    await sleep(2 * latencySeconds * 1000)
    const cpu = () => ({
      server: cpuOf(server.pid!) ?? 0,
      workers: running.slice(1).reduce((sum, { pid }) => sum + (cpuOf(pid!) ?? 0), 0),
      postgres: cpuOfFamily(postgres.pid),
    })
    const from = { at: performance.now(), cpu: cpu(), ...(await web.stand()) }
    await sleep(windowSeconds * 1000)
    const to = { at: performance.now(), cpu: cpu(), ...(await web.stand()) }
    const seconds = (to.at - from.at) / 1000
    const requests = to.requests - from.requests
    return {
      workers,
      sites,
      requests,
      seconds,
      perSecond: requests / seconds,
      share: (requests / seconds / sites) * latencySeconds,
      serverCpu: (to.cpu.server - from.cpu.server) / seconds,
      workersCpu: (to.cpu.workers - from.cpu.workers) / seconds,
      postgresCpu: (to.cpu.postgres - from.cpu.postgres) / seconds,
      checkOutMs: await checkOuts(database),
    }
  } finally {
    await endAll(running)
  }
}

function start(args: readonly string[], { more }: { more: readonly string[] }): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args, ...more], {
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr?.setEncoding('utf8')
  return child
}

/** The record of calls, written once per second. Those that waited for a site to become free say nothing of the frontier. */
async function checkOuts(address: string): Promise<WorkersPoint['checkOutMs']> {
  await sleep(1500)
  const database = await openPostgresToRead(address)
  try {
    const row = await database.read((tx) =>
      postgresTx(tx).get<{ mean: number | null; p99: number | null; calls: number }>(
        `SELECT avg(took_ms) AS mean, percentile_cont(0.99) WITHIN GROUP (ORDER BY took_ms) AS p99, count(*) AS calls
         FROM worker_call WHERE call = 'checkOut' AND items > 0`,
      ),
    )
    if (row === undefined || row.mean === null || row.p99 === null) return null
    return { mean: row.mean, p99: row.p99, calls: row.calls }
  } finally {
    await database.close()
  }
}
