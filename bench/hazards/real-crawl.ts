/** One real site crawled in virtual time by the whole crawler, with its detectors or with all of them overruled. */
import { readCounters } from '../../src/collection/counters/counters.ts'
import { pagesSince } from '../../src/collection/pages/read-pages.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { crawlOn, type Stage, setStage } from '../../testkit/simulate/crawl-run.ts'
import { PLAIN } from '../../testkit/web/options.ts'
import { openArchive } from '../volumes/no-archive.ts'
import { type StaticWeb, staticFetch, staticResolve } from './static-web.ts'

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

export async function crawlSite(web: StaticWeb, start: string, detectors: boolean): Promise<RealCrawl> {
  let requests = 0
  const stage: Stage = setStage({
    // The synthetic web behind it is never asked: every fetch and every name goes to the folder.
    sites: 1,
    pages: 1,
    seed: 1,
    web: PLAIN,
    workers: 1,
    seeds: [`http://${web.host}/${start}`],
    settings: {
      pauseFor: [{ host: web.host, pauseMs: PAUSE_MS }],
      ...(detectors ? {} : { trust: [{ site: '*', rules: [] }] }),
    },
    alter: {
      openSession: () => staticFetch(web, stage.clock, () => requests++),
      resolve: () => staticResolve(web),
      archive: () => openArchive(),
      tools: (tools) =>
        detectors ? tools : { ...tools, trusts: (_site: string, rule: string) => !rule.startsWith('site-urls') },
    },
  })
  const before = process.cpuUsage()
  await crawlOn(stage)
  const { user, system } = process.cpuUsage(before)
  const crawl: RealCrawl = {
    requests,
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
