/** One site crawled in virtual time by the whole crawler, with its detectors or with all of them overruled. */

import { readCounters } from '../../src/collection/counters/counters.ts'
import { pagesSince } from '../../src/collection/pages/read-pages.ts'
import type { FetchRequest } from '../../src/contracts/exchange.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { crawlOn, type Stage, setStage } from '../../testkit/simulate/crawl-run.ts'
import { PLAIN } from '../../testkit/web/options.ts'
import { openArchive } from '../volumes/no-archive.ts'
import { answerOf, fetchFrom, type Said, type StaticWeb, staticResolve } from './static-web.ts'

export interface CrawledPage {
  outcome: string
  why: string | null
  detail: string | null
  digest: string | null
}

export interface PatternFinding {
  rule: string
  pattern: string | null
  evidence: string
  examples: string[]
}

export interface RealCrawl {
  requests: number
  brokenOff: boolean
  cpuSeconds: number
  /** By URL. */
  pages: Map<string, CrawledPage>
  findings: PatternFinding[]
  /** Counters that end in a rule's name: `stopped:maze`. */
  held: Record<string, number>
}

/** Detectors do not look at the pause. A short one puts many pages into a report part, which halves the CPU time. */
const PAUSE_MS = 10

export const isKept = ({ outcome }: CrawledPage) => outcome === 'kept'

export function crawlSite(web: StaticWeb, start: string, detectors: boolean): Promise<RealCrawl> {
  return crawlHost({ host: web.host, answer: ({ url }) => answerOf(web, url) }, start, { detectors })
}

export interface Host {
  host: string
  answer(request: FetchRequest): Said
}

export interface CrawlOptions {
  detectors: boolean
  /** The crawl is broken off after so many requests. */
  max?: number
}

export async function crawlHost(
  { host, answer }: Host,
  start: string,
  { detectors, max = Number.POSITIVE_INFINITY }: CrawlOptions,
): Promise<RealCrawl> {
  let requests = 0
  const stop = new AbortController()
  const answerCounted = (request: FetchRequest) => {
    if (++requests >= max) stop.abort()
    return answer(request)
  }
  const stage: Stage = setStage({
    // The synthetic web behind it is never asked: every fetch and every name goes to the folder.
    sites: 1,
    pages: 1,
    seed: 1,
    web: PLAIN,
    workers: 1,
    seeds: [`http://${host}/${start}`],
    settings: {
      pauseFor: [{ host, pauseMs: PAUSE_MS }],
      ...(detectors ? {} : { trust: [{ site: '*', rules: [] }] }),
    },
    alter: {
      openSession: () => fetchFrom(host, stage.clock, answerCounted),
      resolve: () => staticResolve({ host }),
      archive: () => openArchive(),
      tools: (tools) =>
        detectors ? tools : { ...tools, trusts: (_site: string, rule: string) => !rule.startsWith('site-urls') },
    },
  })
  const before = process.cpuUsage()
  await crawlOn(stage, stop.signal)
  const { user, system } = process.cpuUsage(before)
  const crawl: RealCrawl = {
    requests,
    brokenOff: stop.signal.aborted,
    cpuSeconds: (user + system) / 1e6,
    pages: await pagesOf(stage),
    findings: await findingsOf(stage),
    held: await heldOf(stage),
  }
  await stage.database.close()
  return crawl
}

async function pagesOf({ database }: Stage): Promise<Map<string, CrawledPage>> {
  const all = new Map<string, CrawledPage>()
  for (let last = 0; ; ) {
    const some = await database.read((tx) => pagesSince(tx, last, 1000))
    for (const { url, outcome, why, detail, digest } of some) all.set(url, { outcome, why, detail, digest })
    if (some.length === 0) return all
    last = some[some.length - 1].id
  }
}

async function findingsOf({ database }: Stage): Promise<PatternFinding[]> {
  const sql = 'SELECT rule, pattern, evidence, examples FROM hazards WHERE withdrawn_at IS NULL ORDER BY rule, pattern'
  const rows = await database.read((tx) =>
    sqliteTx(tx).all<{ rule: string; pattern: string | null; evidence: string; examples: string | null }>(sql),
  )
  return rows.map((row) => ({ ...row, examples: row.examples === null ? [] : (JSON.parse(row.examples) as string[]) }))
}

async function heldOf({ database }: Stage): Promise<Record<string, number>> {
  const counters = await database.read((tx) => readCounters(tx))
  return Object.fromEntries([...counters].filter(([name]) => name.startsWith('stopped:')).sort())
}
