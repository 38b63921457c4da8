/** What pieces are measured on: the exchanges and the report parts of a real crawl, gathered in virtual time. */

import type { Body, Exchange } from '../../src/contracts/exchange.ts'
import type { VisitReport } from '../../src/contracts/report.ts'
import { makeWeb } from '../../testkit/web/web.ts'
import { benchWeb } from '../web/bench-web.ts'
import { crawlInVirtualTime } from './virtual-crawl.ts'

export interface Material {
  seeds: string[]
  /** Of pages only, uncoded. */
  pages: (Exchange & { answer: Body & { kind: 'full' } })[]
  /** Of the first visits of all sites, in order. */
  parts: VisitReport[]
}

export async function gather(sites: number, pagesPerSite: number): Promise<Material> {
  const web = makeWeb(benchWeb(sites, pagesPerSite))
  const material: Material = { seeds: web.homes(), pages: [], parts: [] }
  await crawlInVirtualTime(web, {
    archive: (archive) => ({
      keep(exchange, digest, copy) {
        const { answer } = exchange
        if (answer.kind === 'full' && answer.head.status === 200 && !exchange.url.endsWith('/robots.txt'))
          material.pages.push({ ...exchange, answer })
        return archive.keep(exchange, digest, copy)
      },
      checks: () => archive.checks(),
      synced: () => archive.synced(),
      close: () => archive.close(),
    }),
    sink: (sink) => ({
      send(worker, parts) {
        material.parts.push(...parts.filter(({ fence }) => fence === 1))
        return sink.send(worker, parts)
      },
    }),
  })
  return material
}
