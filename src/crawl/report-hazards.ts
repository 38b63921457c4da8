/**
 * The visit's caution: every page that was answered goes through the detectors of `crawl/hazards/`, every URL that waits or is
 * found is held against what they have said. Here they meet the site's memory, the report and the journal; what a trap is,
 * only they know.
 */
import type { Instant } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { countLabel } from '../contracts/counts.ts'
import { generationOf } from '../contracts/generation.ts'
import type { Finding, PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem } from '../contracts/visit.ts'
import type { Reading } from '../page/reading.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import { admitUrl, exceedsHeldLimit, type HazardOptions, isOfSuspect, judgePage } from './hazards/detect.ts'
import type { LinkFacts, PageFacts } from './hazards/page-facts.ts'
import { isDecided, judgeLikeness, MIRROR_RULE } from './likeness.ts'
import type { Reporter } from './reporter.ts'
import { answered } from './site-failures.ts'
import type { SiteTools } from './tools.ts'

/** What reading a page brought for the detectors. */
export interface Seen {
  path: string
  /** It was looked at before. */
  again?: boolean
  content?: PageFacts['content']
  links: readonly LinkFacts[]
  crossSite: number
}

export interface Judgement {
  duplicate: boolean
  /** Its links may be followed. */
  follow: boolean
  /** What it names in other families is of generation 0: path and query, of it and of the page of the site that named it. */
  lister: { path: string; via: string | undefined } | undefined
  /** Ask once for a name that cannot exist: how does the site say that something is missing? */
  probe: boolean
}

export function hazardOptions(site: string, tools: SiteTools): HazardOptions {
  return { ...tools.hazards, trusted: (rule) => tools.trusts(site, rule) }
}

/** An answered URL, whatever became of it. Verdicts go to the report, so to the catalogue, and to the journal. */
export function judge(
  page: PageReport,
  seen: Seen,
  duplicate: boolean,
  reporter: Reporter,
  tools: SiteTools,
): Judgement {
  const { site } = reporter.visit
  const { url, depth, at, status, mediaType, bytes, tookMs } = page
  const facts: PageFacts = {
    url,
    // What the site itself lists is meant to be read, like its home page.
    depth: isListed(page.path, reporter.memory) ? 0 : depth,
    ...lineageOf(page, site, tools),
    at,
    status,
    mediaType,
    bytes,
    tookMs,
    outcome: page.outcome.kind,
    duplicate,
    path: seen.path,
    again: seen.again,
    content: seen.content,
    links: seen.links,
    crossSite: seen.crossSite,
  }
  const judged = judgePage(reporter.memory, reporter.traps, facts, hazardOptions(site, tools))
  const { memory, findings, probe, follow, lists } = judged
  reporter.remember(answered(memory))
  if (!seen.again) reporter.trapsChanged()
  if (judged.requeue) reporter.learn({ requeue: true })
  for (const finding of findings) tellFinding(finding, page, reporter, tools)
  const lister = lists ? { path: facts.path, via: facts.via } : undefined
  return { duplicate, follow, lister, probe: probe !== undefined && !tools.trusts(site, probe) }
}

/** Its generation; and path and query of the page that named it, if that is of the same site. */
function lineageOf(
  { path, via }: { path: string; via?: string },
  site: string,
  { urls }: SiteTools,
): { generation: number; via?: string } {
  const generation = generationOf(path)
  const url = via === undefined ? undefined : urls.parse(via)
  return { generation, via: url?.site === site ? normalPath(url) : undefined }
}

/** A kept document beside the one with equal bytes, if there is one: is the whole site another's mirror? It is slowed, and goes on. */
export function compareSites(
  page: PageReport,
  isHome: boolean,
  copy: string | undefined,
  reporter: Reporter,
  tools: SiteTools,
): void {
  const { site } = reporter.visit
  if (isDecided(reporter.memory) || tools.trusts(site, MIRROR_RULE)) return
  const { memory, slow, finding } = judgeLikeness(reporter.memory, { site, url: page.url, isHome, copy })
  reporter.remember(memory)
  if (slow !== undefined) reporter.learn({ slow })
  if (finding !== undefined) tellFinding(finding, page, reporter, tools)
}

/** To the report, so to the catalogue and crawl.log, and to the journal. */
export function tellFinding(
  finding: Omit<Finding, 'at'>,
  { url: page, at }: { url: string; at: Instant },
  reporter: Reporter,
  tools: SiteTools,
): void {
  const { rule, evidence, pattern, examples } = finding
  // Detectors know paths; people want URLs.
  const origin = URL.parse(page)?.origin ?? ''
  const urls = examples?.map((example) => (example.startsWith('/') ? origin + example : example))
  reporter.finding({ ...finding, at, ...(urls === undefined ? {} : { examples: urls }) })
  tools.journal.tell({ kind: 'hazard', site: reporter.visit.site, rule, evidence, pattern })
}

export const UNSUPPORTED_BROWSER = 'unsupported-browser'
/** In the place of a URL's key. */
const SCOLDED = hash64(UNSUPPORTED_BROWSER)

/** The answer says only that our browser is not supported (V28): reported, kept as bytes, and no document. We never pretend to be one. */
export function saysNothing(url: string, reading: Reading, reporter: Reporter, tools: SiteTools): boolean {
  const { site } = reporter.visit
  if (!reading.troubles.includes(UNSUPPORTED_BROWSER) || tools.trusts(site, UNSUPPORTED_BROWSER)) return false
  reporter.tally.add(`stopped:${UNSUPPORTED_BROWSER}`)
  // Once a visit: it may be every page of the site.
  if (reporter.refuses(SCOLDED)) {
    const evidence = 'it says that our browser is not supported, and nothing else'
    const finding = { rule: UNSUPPORTED_BROWSER, evidence, examples: [url] }
    tellFinding(finding, { url, at: tools.clock.now() }, reporter, tools)
  }
  return true
}

/** URLs that a site's sitemaps may list and be believed; a machine can list more without end. */
const MAX_BELIEVED = 10_000

/** Found in a sitemap of the site, and there are not too many of them. */
export function isListed(path: string, { sitemaps }: SiteMemory): boolean {
  return path.endsWith('ML') && (sitemaps?.urls ?? 0) <= MAX_BELIEVED
}

/** The rule by which a URL of the site is not asked for. Each such URL is counted once a visit, for the site and for the crawl. */
export function stoppedBy(
  url: WebUrl,
  item: Pick<AgendaItem, 'depth' | 'path' | 'via'>,
  reporter: Reporter,
  tools: SiteTools,
): { rule: string; held: boolean } | undefined {
  const { memory, traps, visit, tally } = reporter
  if (memory.stopped === undefined && traps.suspects.length === 0) return undefined
  const { site } = visit
  const waiting = {
    path: normalPath(url),
    depth: item.depth,
    ...lineageOf(item, site, tools),
  }
  const { suspects } = traps
  const refused = admitUrl(memory, traps, waiting, hazardOptions(site, tools))
  if (traps.suspects !== suspects) reporter.trapsChanged()
  if (refused === undefined) return undefined
  if (reporter.refuses(url.key)) tally.add(`stopped:${ruleLabel(refused.rule)}`)
  const held = refused.pattern !== ''
  return { rule: held ? `${refused.rule} ${refused.pattern}` : refused.rule, held }
}

/** What a finding held back that the operator overrules by now is asked for, and its trial is over. */
export function releaseTrusted(reporter: Reporter, tools: SiteTools): void {
  const { traps, visit } = reporter
  const suspects = traps.suspects.filter(({ rule }) => !tools.trusts(visit.site, rule))
  if (suspects.length === traps.suspects.length) return
  traps.suspects = suspects
  reporter.trapsChanged()
  reporter.learn({ requeue: true })
}

/** So many URLs of its pattern are held back that one more is not even written down, unless it is a sample. */
export function isOneTooMany(
  url: WebUrl,
  item: Pick<AgendaItem, 'depth' | 'path' | 'via'>,
  reporter: Reporter,
  tools: SiteTools,
): boolean {
  const { traps, visit } = reporter
  if (traps.suspects.length === 0) return false
  const waiting = { path: normalPath(url), ...lineageOf(item, visit.site, tools) }
  if (!exceedsHeldLimit(traps, waiting, hazardOptions(visit.site, tools))) return false
  return stoppedBy(url, item, reporter, tools) !== undefined
}

/** A finding about its pattern is on trial or confirmed, and spares what a page lists. */
export function isSuspect(url: WebUrl, { traps }: Reporter): boolean {
  return traps.suspects.length > 0 && isOfSuspect(traps, normalPath(url))
}

/** No link of the site is followed any more; unless the operator overruled that since. */
export function isStopped({ memory, visit }: Reporter, tools: SiteTools): boolean {
  return memory.stopped !== undefined && !tools.trusts(visit.site, ruleLabel(memory.stopped))
}

/** `site-urls>=5000` counts as `site-urls`. */
export function ruleLabel(rule: string): string {
  return countLabel(rule.split(/[<>= ]/, 1)[0])
}

export function contentOf(reading: Reading, digest: string, text: () => string): PageFacts['content'] {
  const { signature, title } = reading
  return {
    digest,
    textDigest: signature.textDigest,
    simhash: signature.simhash,
    shape: signature.shape,
    embeds: embedsOf(reading),
    length: signature.length,
    words: signature.words,
    tags: signature.tags.hash,
    title,
    text,
  }
}

/** Pictures are content too: the pages of a gallery may differ in nothing else. */
function embedsOf({ links }: Reading): bigint {
  let all = ''
  for (const { kind, media, href } of links) {
    if (kind === 'iframe' || kind === 'frame' || (kind === 'embed' && PICTURES.has(media))) all += `${href}\n`
  }
  return all === '' ? 0n : hash64(all)
}

const PICTURES = new Set(['image', 'video', 'audio', 'object'])
