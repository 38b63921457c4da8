/**
 * `bench hazards --only real`: what the trap rules lose of sites that have no trap. The reference is what the same crawler
 * collects with every detector overruled; it is kept on disk, since it changes only with the package or with the reading of links.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { grouped, share, type TextTable } from '../../src/report/text-table.ts'
import { cacheFolder, unpacked } from './packages.ts'
import { type CrawledPage, crawlSite, isKept, type PatternFinding } from './real-crawl.ts'
import { HELD_SITES, type RealSite, TUNING_SITES } from './real-sites.ts'
import { find, type StaticWeb } from './static-web.ts'

/** Counted up when what a reference holds, or how it is made, changes. */
const FORMAT = 1
const WALK_MS = 30 * 60_000
const WALK_BYTES = 256 * 1024 * 1024

export interface Reference {
  made: string
  requests: number
  cpuSeconds: number
  /** Documents, with the digests of their bytes. */
  documents: [url: string, digest: string | null][]
}

export interface Comparison {
  /** Documents of the reference; sorted copies of a server's own listings are none. */
  pages: number
  collected: number
  lost: number
  /** Lost, and no kept page has the same bytes. */
  lostDistinct: number
  /** Lost by: the rule that refused it, or `never found`, when all that link to it were lost. */
  lostBy: Record<string, number>
  /** Collected, and not in the reference: it is out of date. */
  surplus: number
  examples: string[]
}

export interface RealFigures extends Comparison {
  site: string
  generator: string
  version: string
  findings: PatternFinding[]
  held: Record<string, number>
  requests: number
  cpuSeconds: number
  cpuSecondsOverruled: number
  walker?: { files: number; onlyWalker: number; onlyReference: number }
}

export interface RealOptions {
  set: string
  packages: string
  /** Make references anew. */
  again: boolean
  walk: boolean
}

export interface RealOutcome {
  sites: RealFigures[]
  skipped: { site: string; why: string }[]
}

export async function realFigures(options: RealOptions, say: (line: string) => void): Promise<RealOutcome> {
  const outcome: RealOutcome = { sites: [], skipped: [] }
  for (const site of chosen(options)) {
    try {
      const figures = await figuresOf(site, options)
      outcome.sites.push(figures)
      say(
        `${site.name}: ${figures.lost} of ${figures.pages} lost, ${figures.findings.length} findings, ${figures.cpuSeconds.toFixed(1)} s`,
      )
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      outcome.skipped.push({ site: site.name, why: error.message })
      say(`${site.name}: skipped: ${error.message}`)
    }
  }
  return outcome
}

export function chosen({ set, packages }: Pick<RealOptions, 'set' | 'packages'>): RealSite[] {
  const sets: Record<string, readonly RealSite[]> = {
    tuning: TUNING_SITES,
    held: HELD_SITES,
    all: [...TUNING_SITES, ...HELD_SITES],
  }
  if (packages !== '') {
    return packages.split(',').map((name) => {
      const site = sets.all.find((one) => one.name === name)
      if (site === undefined) throw new Error(`there is no real site '${name}': see bench/hazards/real-sites.ts`)
      return site
    })
  }
  if (sets[set] === undefined) throw new Error(`--set is tuning, held or all, not '${set}'`)
  return [...sets[set]]
}

/** The package cannot be had here. */
class Unavailable extends Error {}

/** Unpacked, and as a server shows it. */
export async function webOf(site: RealSite): Promise<{ web: StaticWeb; version: string }> {
  const { root, version } = await unpacked(site.packages).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : `${error}`
    throw new Unavailable(why.trim().split('\n').slice(0, 3).join(' '))
  })
  const web: StaticWeb = {
    host: `${site.name.replace(/[^a-z0-9-]/g, '-')}.test`,
    root,
    folder: site.folder,
    listing: site.listing,
  }
  if (find(web, `/${site.start}`).kind === 'nothing')
    throw new Unavailable(`${version} has no /${site.folder}/${site.start}`)
  return { web, version }
}

async function figuresOf(site: RealSite, options: RealOptions): Promise<RealFigures> {
  const { web, version } = await webOf(site)
  const reference = await referenceOf(site, web, version, options.again)
  const crawl = await crawlSite(web, site.start, true)
  return {
    site: site.name,
    generator: site.generator,
    version,
    ...compare(reference.documents, crawl.pages, site.listing !== undefined),
    findings: crawl.findings,
    held: crawl.held,
    requests: crawl.requests,
    cpuSeconds: crawl.cpuSeconds,
    cpuSecondsOverruled: reference.cpuSeconds,
    ...(options.walk ? { walker: await crossCheck(site, web, reference) } : {}),
  }
}

async function referenceOf(site: RealSite, web: StaticWeb, version: string, again: boolean): Promise<Reference> {
  const file = join(cacheFolder(), 'references', `${site.name}.json`)
  const made = JSON.stringify([FORMAT, version, site.folder, site.start, site.listing])
  if (!again) {
    try {
      const kept = JSON.parse(readFileSync(file, 'utf8')) as Reference
      if (kept.made === made) return kept
    } catch {
      // There is none yet, or it was broken off.
    }
  }
  const crawl = await crawlSite(web, site.start, false)
  const documents = [...crawl.pages]
    .filter(([, page]) => isKept(page))
    .map(([url, { digest }]) => [url, digest] as [string, string | null])
  const reference: Reference = { made, requests: crawl.requests, cpuSeconds: crawl.cpuSeconds, documents }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(reference))
  renameSync(`${file}.new`, file)
  return reference
}

export function compare(
  reference: Reference['documents'],
  pages: ReadonlyMap<string, CrawledPage>,
  listing: boolean,
): Comparison {
  // Every order of a listing is a page of its own to a crawler, and nothing new to a reader.
  const counts = ([url]: readonly [string, unknown]) => !listing || !url.includes('?')
  const wanted = reference.filter(counts)
  const known = new Set(wanted.map(([url]) => url))
  const kept = [...pages].filter((one) => isKept(one[1]) && counts(one))
  const digests = new Set(kept.map(([, { digest }]) => digest))
  const lost = wanted.filter(([url]) => !isKeptAt(pages, url))
  const lostBy: Record<string, number> = {}
  for (const [url] of lost) {
    const reason = reasonOf(pages.get(url))
    lostBy[reason] = (lostBy[reason] ?? 0) + 1
  }
  return {
    pages: wanted.length,
    collected: wanted.length - lost.length,
    lost: lost.length,
    lostDistinct: lost.filter(([, digest]) => digest === null || !digests.has(digest)).length,
    lostBy,
    surplus: kept.filter(([url]) => !known.has(url)).length,
    examples: lost.slice(0, 20).map(([url]) => url),
  }
}

function isKeptAt(pages: ReadonlyMap<string, CrawledPage>, url: string): boolean {
  const page = pages.get(url)
  return page !== undefined && isKept(page)
}

function reasonOf(page: CrawledPage | undefined): string {
  if (page === undefined) return 'never found'
  // The detail is the rule and its pattern.
  return page.why === 'hazard' ? `${page.detail}`.split(' ', 1)[0] : `${page.outcome} ${page.why ?? ''}`.trim()
}

/** What a walker of a hundred lines reaches beside what the reference has, file by file. */
async function crossCheck(site: RealSite, web: StaticWeb, reference: Reference): Promise<RealFigures['walker']> {
  const script = join(import.meta.dirname, 'walk.py')
  const given = [script, web.root, site.folder, site.start, site.listing === undefined ? '0' : '1']
  const { stdout } = await promisify(execFile)('python3', given, { timeout: WALK_MS, maxBuffer: WALK_BYTES })
  const walked = new Set(stdout.split('\n').filter((line) => line !== ''))
  const collected = new Set(
    reference.documents.flatMap(([url]) => {
      const found = find(web, new URL(url).pathname)
      return found.kind === 'file' || found.kind === 'folder' ? [found.path] : []
    }),
  )
  return {
    files: walked.size,
    onlyWalker: [...walked].filter((path) => !collected.has(path)).length,
    onlyReference: [...collected].filter((path) => !walked.has(path)).length,
  }
}

const COLUMNS = ['pages', 'collected', 'lost', 'lostDistinct', 'surplus', 'cpuSeconds', 'cpuSecondsOverruled'] as const

export function realTables({ sites, skipped }: RealOutcome): TextTable[] {
  const walked = sites.some(({ walker }) => walker !== undefined)
  const row = (name: string, generator: string, ones: readonly RealFigures[]) => {
    const sum = (of: (one: RealFigures) => number) => ones.reduce((total, one) => total + of(one), 0)
    const [pages, collected, lost, distinct, surplus, cpu, cpuOverruled] = COLUMNS.map((name) =>
      sum((one) => one[name]),
    )
    return [
      name,
      generator,
      ...[pages, collected, lost].map(grouped),
      share(lost, pages),
      ...[distinct, surplus, sum(({ findings }) => findings.length)].map(grouped),
      ((1000 * cpu) / collected).toFixed(2),
      ((1000 * cpuOverruled) / pages).toFixed(2),
      ...(walked
        ? [sum(({ walker }) => walker?.onlyWalker ?? 0), sum(({ walker }) => walker?.onlyReference ?? 0)].map(grouped)
        : []),
    ]
  }
  const header = [
    'site',
    'generator',
    'pages',
    'collected',
    'lost',
    'share',
    'distinct',
    'surplus',
    'findings',
    'CPU s/1,000',
    'overruled',
  ]
  const tables: TextTable[] = [
    {
      title: 'Real sites: pages lost to the trap rules',
      header: [...header, ...(walked ? ['only walker', 'only reference'] : [])],
      rows: [...sites.map((one) => row(one.site, one.generator, [one])), row('all', '', sites)],
      total: true,
    },
    ruleTable(sites),
    {
      title: 'Findings on real sites: all are false',
      header: ['site', 'rule', 'pattern', 'evidence'],
      rows: sites.flatMap(({ site, findings }) =>
        findings.map(({ rule, pattern, evidence }) => [site, rule, pattern ?? '', evidence.slice(0, 100)]),
      ),
    },
  ]
  if (skipped.length > 0)
    tables.push({ title: 'Skipped', header: ['site', 'why'], rows: skipped.map(({ site, why }) => [site, why]) })
  return tables
}

export interface RuleFigures {
  findings: number
  sites: number
  /** URLs that were stopped or deferred, by the crawl's own counters. */
  held: number
  lost: number
}

/** False positives by rule; `never found` has no rule, only losses. */
export function byRule(sites: readonly RealFigures[]): Record<string, RuleFigures> {
  const rules: Record<string, RuleFigures> = {}
  const of = (rule: string) => (rules[rule] ??= { findings: 0, sites: 0, held: 0, lost: 0 })
  for (const { findings, held, lostBy } of sites) {
    for (const rule of new Set(findings.map(({ rule }) => rule))) of(rule).sites++
    for (const { rule } of findings) of(rule).findings++
    for (const [counter, count] of Object.entries(held)) of(counter.slice(counter.indexOf(':') + 1)).held += count
    for (const [rule, count] of Object.entries(lostBy)) of(rule).lost += count
  }
  return rules
}

function ruleTable(sites: readonly RealFigures[]): TextTable {
  const rules = Object.entries(byRule(sites)).sort((a, b) => b[1].lost - a[1].lost)
  return {
    title: 'By rule',
    header: ['rule', 'findings', 'sites', 'URLs held', 'pages lost'],
    rows: rules.map(([rule, { findings, sites, held, lost }]) => [rule, ...[findings, sites, held, lost].map(grouped)]),
  }
}
