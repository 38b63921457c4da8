/** `orbweaver simulate crawl`: a whole crawl of a synthetic web in virtual time, judged on the servers' side. */
import { type Millis, realClock } from '../base/clock.ts'
import { memoryDisk } from '../base/memory-disk.ts'
import { virtualClock } from '../base/virtual-clock.ts'
import { readCounters } from '../collection/counters/counters.ts'
import { loadSettings } from '../config/load.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import { RequestLedger } from '../testweb/ledger-of-requests.ts'
import type { WebOptions } from '../testweb/options.ts'
import { makeWeb } from '../testweb/web.ts'
import { type Judgement, judge } from './judge.ts'
import { runVirtualHouse } from './virtual-house.ts'

export interface SimulateOptions {
  sites: number
  pages: number
  seed: number
  web?: Partial<WebOptions>
  workers?: number
}

export interface SimulationReport extends Judgement {
  sites: number
  documents: number
  requests: number
  virtualMs: Millis
  realMs: Millis
}

export async function simulateCrawl(options: SimulateOptions): Promise<SimulationReport> {
  const web = makeWeb({ seed: options.seed, sites: options.sites, pagesPerSite: options.pages, ...options.web })
  const begun = realClock.elapsed()
  const clock = virtualClock(web.plan.epoch)
  const ledger = new RequestLedger(clock)
  const database = openSqlite(':memory:')
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  const never = new AbortController().signal
  const seeds = web.homes()
  await clock.run(
    runVirtualHouse(
      {
        web,
        ledger,
        clock,
        database,
        disk: memoryDisk(),
        settings,
        seeds,
        randomSeed: options.seed,
        workers: options.workers ?? 2,
        journal: { tell() {} },
      },
      never,
    ),
  )
  const counters = await database.read((tx) => readCounters(tx))
  const judgement = await judge(web, ledger, database, settings, seeds)
  await database.close()
  return {
    ...judgement,
    sites: options.sites,
    documents: counters.get('documents') ?? 0,
    requests: counters.get('requests') ?? 0,
    virtualMs: clock.elapsed(),
    realMs: realClock.elapsed() - begun,
  }
}
