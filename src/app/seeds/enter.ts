/**
 * Adds the seeds of all sources, a thousand per transaction: checks them against the collection's scope, and separates new
 * from known ones. It can be stopped at any time; the same input again finds the seeds already added as known.
 */
import { HashSet64 } from '../../base/hash-set.ts'
import type { Scope } from '../../crawl/scope/scope.ts'
import type { SeedSource, SeedStatus, SeedUrl } from '../../frontier/contract.ts'
import { homeOf, type UrlReader, type WebUrl } from '../../web/url/web-url.ts'
import { clip, Damaged, type Found, type SeedInput } from './input.ts'

/** `damage`: why the input was not read to its end. */
export type SourceReport = ReturnType<typeof blankReport> & { damage?: string }

export interface EnterTools {
  /** With the URL rules of the collection. */
  urls: UrlReader
  /** The scope of the collection with these as additional seeds. */
  scopeWith(seeds: readonly WebUrl[]): Scope
  /** In one transaction, durable when it resolves. */
  enter(seeds: readonly SeedUrl[]): Promise<{ statuses: SeedStatus[]; again: number }>
  /** Enter only home pages. */
  homes: boolean
  stopped(): boolean
  progress(report: SourceReport): void
  /** Lets signals and timers run. */
  turn(): Promise<void>
}

const BATCH = 1000
const MAX_EXAMPLES = 5
/** 32 to 64 MB of hashes; beyond that, repeated seeds count as known. */
const MAX_REMEMBERED = 4_000_000

type Seed = Extract<Found, { kind: 'seed' }>

export async function enterSeeds(inputs: readonly SeedInput[], tools: EnterTools) {
  const reports: SourceReport[] = []
  const seen = new HashSet64()
  for (const input of inputs) {
    if (tools.stopped()) break
    const report = blankReport(input)
    reports.push(report)
    await enterInput(input, report, seen, tools)
  }
  return { reports, stopped: tools.stopped() }
}

async function enterInput(input: SeedInput, report: SourceReport, seen: HashSet64, tools: EnterTools): Promise<void> {
  let batch: Seed[] = []
  const flush = async () => {
    await enterBatch(batch, report, tools)
    batch = []
    tools.progress(report)
    await tools.turn()
  }
  try {
    for await (const found of input.found) {
      for (const one of found) {
        const seed = seedOf(one, report, seen, tools)
        if (seed === undefined) continue
        batch.push(seed)
        if (batch.length >= BATCH) await flush()
        if (tools.stopped()) break
      }
      if (tools.stopped()) break
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    report.damage = error.message
  }
  if (batch.length > 0) await flush()
}

/** The seed to enter; undefined if it is refused or repeated. */
function seedOf(found: Found, report: SourceReport, seen: HashSet64, { urls, homes }: EnterTools): Seed | undefined {
  if (found.kind === 'note') return note(report, found.what)
  if (found.kind === 'refused') return refuse(report, found.at, found.text, found.why)
  const isHome = homes && found.path === undefined
  // Parsed again, with the URL rules of the collection.
  const url = urls.parse(isHome ? homeOf(found.url).href : found.url.href)
  if (url === undefined) return refuse(report, found.at, found.url.href, 'it is not a valid URL')
  const seed = isHome ? { ...found, url, mediaType: undefined } : { ...found, url }
  if (seen.has(seed.url.key) || (seen.size < MAX_REMEMBERED && !seen.add(seed.url.key))) {
    report.repeated++
    return undefined
  }
  if (seed.instead !== undefined) {
    report.corrections++
    if (report.corrected.length < MAX_EXAMPLES)
      report.corrected.push({ at: seed.at, text: clip(seed.instead), url: seed.url.href })
  }
  return seed
}

async function enterBatch(batch: readonly Seed[], report: SourceReport, tools: EnterTools): Promise<void> {
  // All of them are seeds, so a scope relative to the seeds contains them; its other rules decide.
  const scope = tools.scopeWith(batch.map(({ url }) => url))
  const wanted: SeedUrl[] = []
  for (const seed of batch) {
    const why = unwanted(seed, report.source, scope)
    if (why !== undefined) refuse(report, seed.at, seed.url.href, why)
    else wanted.push(seedUrl(seed, report.source))
  }
  if (wanted.length === 0) return
  const { statuses, again } = await tools.enter(wanted)
  for (const status of statuses) report[status]++
  report.again += again
}

/** URLs given by a person are taken as they are. From lists made by machines, images and the like are left out. */
function unwanted({ url, path, mediaType }: Seed, source: SeedSource, scope: Scope): string | undefined {
  const finding = scope.judge(url, 0)
  if (!finding.yes) return finding.rule
  if (path !== undefined || source === 'given' || source === 'file') return undefined
  if (url.path === '/robots.txt') return 'robots.txt is not a page'
  const kind = scope.unwantedKind(url)
  if (kind !== undefined) return `kind ${kind}`
  return mediaType === undefined || scope.wantsMedia(mediaType) ? undefined : `media type ${clip(mediaType)}`
}

function seedUrl({ url, path, lastmod }: Seed, source: SeedSource): SeedUrl {
  const seed: SeedUrl = { url: url.href, key: url.key, site: url.site, source }
  if (path !== undefined) seed.path = path
  if (lastmod !== undefined) seed.lastmod = lastmod
  return seed
}

function refuse(report: SourceReport, at: number, text: string, why: string): undefined {
  report.refused++
  if (report.examples.length < MAX_EXAMPLES) report.examples.push({ at, text: clip(text), why })
}

function note(report: SourceReport, what: string): undefined {
  if (report.notes.length < MAX_EXAMPLES) report.notes.push(what)
}

function blankReport({ source, name, unit }: SeedInput) {
  return {
    source,
    name,
    /** What `at` in the examples counts. */
    unit,
    /** Added to the queue. */
    new: 0,
    /** Known before, whatever became of them. */
    known: 0,
    /** Known to be gone, or on a site that was given up. */
    dead: 0,
    /** Out of scope, on a blacklist, or not URLs. */
    refused: 0,
    /** Repeated within the input. */
    repeated: 0,
    /** Sites that had been given up and are tried again. */
    again: 0,
    /** The first few that were refused, and the first few corrected mistakes. */
    examples: [] as { at: number; text: string; why: string }[],
    corrected: [] as { at: number; text: string; url: string }[],
    corrections: 0,
    /** Remarks on the input as a whole. */
    notes: [] as string[],
  }
}
