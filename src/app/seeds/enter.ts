/**
 * Enters what sources find, a thousand at a time: judged by the collection's scope, told apart from what it has, added.
 * What was entered stays entered, whenever it is stopped; the same input once more only finds it known.
 */
import { HashSet64 } from '../../base/hash-set.ts'
import type { Scope } from '../../crawl/scope/scope.ts'
import type { SeedSource, SeedUrl } from '../../frontier/ledger.ts'
import type { Place } from '../../frontier/seed-views.ts'
import { homeOf, type UrlReader, type WebUrl } from '../../web/url/web-url.ts'
import { clip, type Found, type SeedInput } from './found.ts'
import { Damaged } from './unfold.ts'

export interface SourceReport {
  source: SeedSource
  name: string
  /** What `at` of an example counts. */
  unit: SeedInput['unit']
  /** Not known before: they wait now. */
  new: number
  /** Known to the collection, whatever became of them. */
  known: number
  /** Known as gone, or of a site that was given up. */
  dead: number
  /** By the scope, a black list, or because they are no URLs. */
  refused: number
  /** Met again in the same input. */
  repeated: number
  /** Sites that had been given up and are tried once more. */
  again: number
  /** The first few that were refused. */
  examples: { at: number; text: string; why: string }[]
  /** The first few slips that were put right. */
  corrected: { at: number; text: string; url: string }[]
  corrections: number
  /** What else is to be known of the input. */
  notes: string[]
  /** Why it was not read to its end. */
  damage?: string
}

export interface EnterTools {
  /** By the rules of the collection. */
  urls: UrlReader
  /** The scope of the collection with these among its seeds. */
  scopeWith(seeds: readonly WebUrl[]): Scope
  /** In one transaction, durable when it resolves. */
  enter(seeds: readonly SeedUrl[]): Promise<{ places: Place[]; again: number }>
  /** Only the home page of each. */
  homes: boolean
  stopped(): boolean
  progress(report: SourceReport): void
  /** Lets signals and timers in. */
  turn(): Promise<void>
}

const BATCH = 1000
const MAX_EXAMPLES = 5
/** 32 to 64 MB of hashes; beyond, what is met again counts as known. */
const MAX_REMEMBERED = 4_000_000

type Seed = Extract<Found, { kind: 'seed' }>

export async function enterSeeds(
  inputs: readonly SeedInput[],
  tools: EnterTools,
): Promise<{ reports: SourceReport[]; stopped: boolean }> {
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

/** As it will be entered; undefined when it is none, or this run has it already. */
function seedOf(found: Found, report: SourceReport, seen: HashSet64, { urls, homes }: EnterTools): Seed | undefined {
  if (found.kind === 'note') return note(report, found.what)
  if (found.kind === 'refused') return refuse(report, found.at, found.text, found.why)
  const isHome = homes && found.path === undefined
  // Read again by the rules of the collection, of which its finder knew nothing.
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
  // All of them are seeds: what a scope draws around its seeds holds them, and the rest of it decides.
  const scope = tools.scopeWith(batch.map(({ url }) => url))
  const wanted: SeedUrl[] = []
  for (const seed of batch) {
    const why = unwanted(seed, report.source, scope)
    if (why !== undefined) refuse(report, seed.at, seed.url.href, why)
    else wanted.push(seedUrl(seed, report.source))
  }
  if (wanted.length === 0) return
  const { places, again } = await tools.enter(wanted)
  for (const place of places) report[place]++
  report.again += again
}

/** What a person names is wanted as it is; of what machines collected, images and the like are no place to begin. */
function unwanted({ url, path, mediaType }: Seed, source: SeedSource, scope: Scope): string | undefined {
  const finding = scope.judge(url, 0)
  if (!finding.yes) return finding.rule
  if (path !== undefined || source === 'given' || source === 'file') return undefined
  if (url.path === '/robots.txt') return 'robots.txt is no page'
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

function blankReport({ source, name, unit }: SeedInput): SourceReport {
  return {
    source,
    name,
    unit,
    new: 0,
    known: 0,
    dead: 0,
    refused: 0,
    repeated: 0,
    again: 0,
    examples: [],
    corrected: [],
    corrections: 0,
    notes: [],
  }
}
