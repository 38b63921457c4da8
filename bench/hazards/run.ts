/** One crawl of a hazardous web in virtual time, and what the servers, the catalogue and the web's own definition say of it. */

import type { Settings } from '../../src/app/config/keys.ts'
import { realClock } from '../../src/base/clock.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { crawlOn, type Stage, setStage } from '../../testkit/simulate/crawl-run.ts'
import { documentsOf } from '../../testkit/simulate/judge.ts'
import type { Alterations } from '../../testkit/simulate/virtual-coordinator.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { splitUrl } from '../../testkit/web/spelling.ts'
import type { TestWeb } from '../../testkit/web/web.ts'
import { SCOPE, seedsOf } from './hazard-web.ts'

export interface RunOptions {
  web: WebOptions
  settings?: Partial<Settings>
  /** False: whatever detectors say is overruled, but for the cap on a site's URLs. */
  detectors: boolean
  /** False: no cookie is ever sent. */
  cookies?: boolean
  /** The crawl is broken off after so many requests. */
  max: number
  /** The machine, with what an earlier crawl left there. */
  disk?: Stage['disk']
}

export interface Ran {
  stage: Stage
  /** URLs of the documents, in the web's spelling. */
  documents: Set<string>
  brokenOff: boolean
  seconds: number
}

/** Who opens it closes its database. */
export async function run(options: RunOptions): Promise<Ran> {
  const begun = realClock.elapsed()
  const stop = new AbortController()
  const alter: Alterations = {
    openSession: (open) => () => {
      const session = open()
      return {
        close: () => session.close(),
        fetch(request) {
          if (stage.ledger.entries.length + 1 >= options.max) stop.abort()
          const headers =
            options.cookies === false ? request.headers.filter(([name]) => name !== 'Cookie') : request.headers
          return session.fetch({ ...request, headers })
        },
      }
    },
    tools: (tools) =>
      options.detectors ? tools : { ...tools, trusts: (_site: string, rule: string) => !rule.startsWith('site-urls') },
  }
  const { seed, sites, pagesPerSite: pages = 0 } = options.web
  const settings: Partial<Settings> = {
    scope: `tld:${SCOPE}`,
    links: 'combined',
    ...(options.detectors ? {} : { trust: [{ site: '*', rules: [] }] }),
    ...options.settings,
  }
  const plan = { seed, sites, pages, web: options.web, settings, alter }
  const bare = setStage(plan)
  const stage: Stage = {
    ...bare,
    seeds: seedsOf(bare.web),
    ...(options.disk === undefined ? {} : { disk: options.disk }),
  }
  await crawlOn(stage, stop.signal)
  const documents = await documentsOf(stage.database)
  return { stage, documents, brokenOff: stop.signal.aborted, seconds: (realClock.elapsed() - begun) / 1000 }
}

export interface TrapFigures {
  requests: number
  brokenOff: boolean
  virtualHours: number
  seconds: number
  real: number
  collected: number
  /** Requests for what lies in traps, but for the first that brings something real. */
  inTraps: number
  byShape: Record<string, number>
  /** Real pages that are lacking, by the shape of their site ('ordinary' has none). */
  lost: Record<string, number>
  lostExamples: string[]
  /** Verdicts by rule: all, and of those the ones on honest sites or on patterns of real pages. */
  findings: Record<string, number>
  wrong: { site: string; shape: string; rule: string; pattern: string | null; example: string | null }[]
}

export async function trapFigures(ran: Ran, real: ReadonlySet<string>): Promise<TrapFigures> {
  const { stage, documents, brokenOff, seconds } = ran
  const { web, ledger } = stage
  const kept = new Set([...documents].flatMap((url) => web.realOf(url) ?? []))
  const lacking = [...real].filter((url) => !kept.has(url))
  const byShape = lostRequests(web, ledger.entries)
  const findings = await findingsOf(stage)
  const losers = new Set(lacking.map((url) => splitUrl(url).host))
  return {
    requests: ledger.entries.length + ledger.dropped,
    brokenOff,
    virtualHours: stage.clock.elapsed() / 3_600_000,
    seconds,
    real: real.size,
    collected: real.size - lacking.length,
    inTraps: Object.values(byShape).reduce((sum, count) => sum + count, 0),
    byShape,
    lost: tally(lacking.map((url) => shapeOf(web, url))),
    lostExamples: lacking.slice(0, 20),
    findings: tally(findings.map(({ rule }) => rule)),
    wrong: findings
      .filter((one) => isWrong(web, one, losers))
      .map((one) => ({
        site: one.site,
        shape: shapeOf(web, `http://${one.site}/`),
        rule: one.rule,
        pattern: one.pattern,
        example: one.examples[0] ?? null,
      })),
  }
}

function lostRequests(web: TestWeb, entries: readonly { url: string }[]): Record<string, number> {
  const shown = new Set<string>()
  const lost: string[] = []
  for (const { url } of entries) {
    const trap = web.trapOf(url)
    const real = web.realOf(url)
    if (trap !== undefined && (real === undefined || shown.has(real))) lost.push(trap)
    if (real !== undefined) shown.add(real)
  }
  return tally(lost)
}

function shapeOf(web: TestWeb, url: string): string {
  const site = web.siteOf(url)
  const wildcard = web.define(url)?.shape?.name
  return site?.hazard ?? site?.lookalike ?? (web.trapOf(url) === undefined ? 'ordinary' : (wildcard ?? 'ordinary'))
}

interface Finding {
  site: string
  rule: string
  pattern: string | null
  examples: string[]
}

async function findingsOf(stage: Stage): Promise<Finding[]> {
  const sql = 'SELECT site, rule, pattern, examples FROM hazards ORDER BY site, rule'
  const rows = await stage.database.read((tx) =>
    sqliteTx(tx).all<{ site: string | null; rule: string; pattern: string | null; examples: string | null }>(sql),
  )
  return rows.map((row) => ({
    ...row,
    site: row.site ?? '',
    examples: row.examples === null ? [] : absolute(JSON.parse(row.examples) as string[], row.site ?? ''),
  }))
}

/** Examples may be told without their host. */
const absolute = (examples: readonly string[], site: string) =>
  examples.map((url) => (url.startsWith('/') ? `http://${site}${url}` : url))

/** Of a site without a trap nothing is to be stopped; of one with a trap nothing by which something real was lost. */
function isWrong(web: TestWeb, { site, pattern, examples }: Finding, losers: ReadonlySet<string>): boolean {
  const trapped =
    web.siteOfHost(site.split(':', 1)[0])?.hazard !== undefined || web.trapOf(`http://${site}/`) !== undefined
  if (!trapped) return true
  if (!losers.has(site)) return false
  return (
    pattern !== null &&
    examples.length > 0 &&
    examples.every((url) => web.realOf(url) === url && web.trapOf(url) === undefined)
  )
}

export function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
