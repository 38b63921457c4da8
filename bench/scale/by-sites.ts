/** Requests a second against sites visited at the same time, each answering late (Fig. 3 of CoBWeb). */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { type Lateness, PROBE, probeEnvironment, readLateness } from './lateness.ts'
import { crawlForScale } from './run-crawl.ts'
import { seedsOf, serveSlowWeb } from './slow-web.ts'

export interface SitesPoint {
  sites: number
  requests: number
  seconds: number
  perSecond: number
  /** Of what these sites can answer when each is asked again at once: sites / latency. */
  share: number
  crawlerCpuShare: number
  serverCpuShare: number
  lateness: Lateness | null
}

export interface SitesOptions {
  sites: number
  latencySeconds: number
  windowSeconds: number
  pageBytes: number
}

const RAMP_MAX_SECONDS = 120

export async function measureSites(options: SitesOptions): Promise<SitesPoint> {
  const { sites, latencySeconds, windowSeconds, pageBytes } = options
  using folder = temporaryFolder()
  const late = join(folder.path, 'late')
  mkdirSync(late)
  // Enough pages that no site is done before the window ends, whatever the ramp-up takes.
  const pagesPerSite = Math.ceil((windowSeconds + RAMP_MAX_SECONDS) / latencySeconds) + 2
  await using web = await serveSlowWeb({ latencyMs: latencySeconds * 1000, pagesPerSite, pageBytes })
  const ramp = rampSeconds(sites, latencySeconds)
  const crawl = crawlForScale({
    folder: folder.path,
    port: web.port,
    seeds: seedsOf(sites),
    workers: 1,
    visits: sites,
    until: { seconds: ramp + windowSeconds + 2 * latencySeconds + 5 },
    nodeFlags: ['--import', PROBE],
    env: probeEnvironment(late, ramp * 1000),
  })
  let over = false
  const ended = crawl.finally(() => {
    over = true
  })
  ended.catch(() => {})
  const begun = performance.now()
  // Ramped up: every site has been asked, and that long ago that its first page is on its way.
  while (!over && (await web.stand()).sites < sites) await sleep(250)
  await sleep(Math.max(2 * latencySeconds * 1000, ramp * 1000 - (performance.now() - begun)))
  const from = { at: performance.now(), ...(await web.stand()) }
  await sleep(windowSeconds * 1000)
  const to = { at: performance.now(), ...(await web.stand()) }
  if (over) throw new Error(`the crawl of ${sites} sites ended before its window did`)
  const end = await ended
  const seconds = (to.at - from.at) / 1000
  const requests = to.requests - from.requests
  return {
    sites,
    requests,
    seconds,
    perSecond: requests / seconds,
    share: (requests / seconds / sites) * latencySeconds,
    crawlerCpuShare: end.cpuSeconds / end.wallSeconds,
    serverCpuShare: (to.cpuSeconds - from.cpuSeconds) / seconds,
    lateness: readLateness(late) ?? null,
  }
}

/** Sites are handed out some dozens at a time, and each begins with its robots.txt. */
function rampSeconds(sites: number, latencySeconds: number): number {
  return Math.min(RAMP_MAX_SECONDS / 2, 2 + 3 * latencySeconds + sites / 250)
}

/** How far each lies from the line through the origin that fits them all best, as shares of it. */
export function deviations(points: readonly { sites: number; perSecond: number }[]): number[] {
  const logs = points.map(({ sites, perSecond }) => Math.log(perSecond / sites))
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length
  return logs.map((log) => Math.exp(log - mean) - 1)
}
