/** What pieces are measured on: the exchanges and the report parts of a real crawl, gathered in virtual time. */
import { memoryDisk } from '../../src/base/memory-disk.ts'
import { virtualClock } from '../../src/base/virtual-clock.ts'
import { loadSettings } from '../../src/config/load.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { runVirtualHouse } from '../../src/simulate/virtual-house.ts'
import { RequestLedger } from '../../src/testweb/ledger-of-requests.ts'
import { makeWeb } from '../../src/testweb/web.ts'
import type { Body, Exchange } from '../../src/visit/exchange.ts'
import type { VisitReport } from '../../src/visit/report.ts'
import { benchWeb } from '../web/bench-web.ts'

export interface Material {
  seeds: string[]
  /** Of pages only, uncoded. */
  pages: (Exchange & { answer: Body & { kind: 'full' } })[]
  /** Of the first visits of all sites, in order. */
  parts: VisitReport[]
}

export async function gather(sites: number, pagesPerSite: number): Promise<Material> {
  const web = makeWeb(benchWeb(sites, pagesPerSite))
  const clock = virtualClock(web.plan.epoch)
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  const material: Material = { seeds: web.homes(), pages: [], parts: [] }
  const database = openSqlite(':memory:')
  const crawl = runVirtualHouse(
    {
      web,
      ledger: new RequestLedger(clock),
      clock,
      database,
      disk: memoryDisk(),
      settings,
      seeds: material.seeds,
      randomSeed: 1,
      workers: 1,
      journal: { tell() {} },
      alter: {
        archive: (archive) => ({
          keep(exchange, digest, twin) {
            const { answer } = exchange
            if (answer.kind === 'full' && answer.head.status === 200 && !exchange.url.endsWith('/robots.txt'))
              material.pages.push({ ...exchange, answer })
            return archive.keep(exchange, digest, twin)
          },
          twinOf: (digest) => archive.twinOf(digest),
          synced: () => archive.synced(),
          close: () => archive.close(),
        }),
        sink: (sink) => ({
          checkIn(worker, parts) {
            material.parts.push(...parts.filter(({ fence }) => fence === 1))
            return sink.checkIn(worker, parts)
          },
        }),
      },
    },
    new AbortController().signal,
  )
  await clock.run(crawl)
  await database.close()
  return material
}
