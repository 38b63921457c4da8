/**
 * Connects the detectors of `crawl/hazards/` with the site's memory, the report and the journal. Every answered page
 * goes through them; every waiting or new URL is checked against their findings. What a trap is, only the detectors
 * know.
 */
import type { Instant } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { ruleLabel } from '../contracts/counts.ts'
import { generationOf, isInferred, redirectsIn } from '../contracts/generation.ts'
import type { Finding, PageReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, SiteName } from '../contracts/visit.ts'
import type { Reading } from '../page/reading.ts'
import { normalPath, type WebUrl } from '../web/url/web-url.ts'
import { withAnswer } from './failures.ts'
import {
  admitUrl,
  exceedsHeldLimit,
  type HazardOptions,
  hasFullPattern,
  isOfSuspect,
  judgePage,
  type PageJudgement,
} from './hazards/detect.ts'
import type { Invention } from './hazards/invented.ts'
import type { PageFacts } from './hazards/page-facts.ts'
import { withDecision, withoutIdleParameters } from './hazards/suspects.ts'
import { isDecided, judgeLikeness, MIRROR_RULE } from './likeness.ts'
import { UNSUPPORTED_BROWSER } from './page-outcome.ts'
import type { Reporter } from './reporter.ts'
import { noteTested } from './sitemaps.ts'
import type { PolicyTools } from './tools.ts'

/** What reading a page brought for the detectors. */
export interface Seen extends Pick<PageFacts, 'path' | 'content' | 'links' | 'crossSite'> {
  /** It was visited before. */
  again?: boolean
}

export interface Judgement {
  duplicate: boolean
  /** Its links may be followed. */
  follow: boolean
  /** What it names in other families is of generation 0: path and query of it, and of the page of this site that named it. */
  lister: { path: string; via: string | undefined } | undefined
  /** Check once how the site says that a page is missing. */
  probe: boolean
  /** Ask for an invented name of its family. */
  invention?: Invention
}

export function hazardOptions(site: SiteName, tools: PolicyTools): HazardOptions {
  return { ...tools.hazards, trusted: (rule) => tools.trusts(site, rule) }
}

/** Any answered URL. Findings go to the report, and so to the catalogue, and to the journal. */
export function judge(
  page: PageReport,
  { again, path, content, links, crossSite }: Seen,
  duplicate: boolean,
  reporter: Reporter,
  tools: PolicyTools,
): Judgement {
  if (again) {
    // Fetching a page again repeats its content; that is no trap.
    reporter.remember(withAnswer(reporter.memory))
    return { duplicate, follow: true, lister: undefined, probe: false }
  }
  const { site } = reporter.visit
  const { url, depth, at, status, mediaType, bytes, tookMs } = page
  // Field by field: detectors take longer for objects of several shapes.
  const facts: PageFacts = {
    url,
    path,
    // URLs that the site itself lists are meant to be read, like its home page.
    depth: isListed(page.path, reporter.memory) ? 0 : depth,
    generation: generationOf(page.path),
    via: pathOfVia(page, reporter, tools),
    at,
    status,
    mediaType,
    bytes,
    tookMs,
    outcome: page.outcome.kind,
    duplicate,
    content,
    links,
    crossSite,
    isBlind: reporter.visit.known === 'too many',
    isInferred: isInferred(page.path),
  }
  let judged: PageJudgement
  try {
    judged = judgePage(reporter.memory, reporter.traps, facts, hazardOptions(site, tools))
  } catch (error) {
    reporter.restoreTraps()
    throw error
  }
  const { memory, findings, probe, follow, lists, news } = judged
  reporter.remember(withAnswer(memory))
  if (page.path.endsWith('ML') && content !== undefined && news !== undefined) noteTested(news, reporter)
  reporter.trapsChanged()
  if (judged.requeue) reporter.learn({ requeue: true })
  for (const finding of findings) reportFinding(finding, page, reporter, tools)
  const lister = lists ? { path: facts.path, via: facts.via } : undefined
  const judgement: Judgement = {
    duplicate,
    follow,
    lister,
    probe: probe !== undefined && !tools.trusts(site, probe),
  }
  if (judged.invention !== undefined) judgement.invention = judged.invention
  return judgement
}

/** Path and query of the page that named it, if that is of the same site. Those that it named come in a row. */
function pathOfVia({ via }: { via?: string }, reporter: Reporter, { urls }: PolicyTools): string | undefined {
  if (via === undefined) return undefined
  if (reporter.namer.url !== via) {
    const url = urls.parse(via)
    reporter.namer = { url: via, path: url?.site === reporter.visit.site ? normalPath(url) : undefined }
  }
  return reporter.namer.path
}

/** Compares a kept document with its stored copy, if any: a site that is a mirror is slowed, and goes on. */
export function compareSites(
  page: PageReport,
  isHome: boolean,
  copy: string | undefined,
  reporter: Reporter,
  tools: PolicyTools,
): void {
  const { site } = reporter.visit
  if (isDecided(reporter.memory) || tools.trusts(site, MIRROR_RULE)) return
  const { memory, slow, finding } = judgeLikeness(reporter.memory, { site, url: page.url, isHome, copy })
  reporter.remember(memory)
  if (slow !== undefined) reporter.learn({ slow })
  if (finding !== undefined) reportFinding(finding, page, reporter, tools)
}

/** Adds a finding to the report, and so to the catalogue and crawl.log, and to the journal. */
export function reportFinding(
  finding: Omit<Finding, 'at'>,
  { url: page, at }: { url: string; at: Instant },
  reporter: Reporter,
  tools: PolicyTools,
): void {
  const { rule, evidence, pattern, examples } = finding
  // Detectors know paths; people want URLs.
  const origin = URL.parse(page)?.origin ?? ''
  const urls = examples?.map((example) => (example.startsWith('/') ? origin + example : example))
  reporter.addFinding({ ...finding, at, ...(urls === undefined ? {} : { examples: urls }) })
  tools.journal.record({ kind: 'hazard', site: reporter.visit.site, rule, evidence, pattern })
}

/** Instead of a URL's key. */
const COMPLAINT_KEY = hash64(UNSUPPORTED_BROWSER)

/** The answer says only that our browser is not supported (V28). We never pretend to be one. */
export function isBrowserComplaint(reading: Reading | undefined, { visit }: Reporter, tools: PolicyTools): boolean {
  if (reading === undefined || !reading.troubles.includes(UNSUPPORTED_BROWSER)) return false
  return !tools.trusts(visit.site, UNSUPPORTED_BROWSER)
}

/** Its bytes are kept, but it is not a document. */
export function reportComplaint(url: string, reporter: Reporter, tools: PolicyTools): void {
  reporter.tally.add(`stopped:${UNSUPPORTED_BROWSER}`)
  // Once per visit: it may be every page of the site.
  if (!reporter.isFirstRefusal(COMPLAINT_KEY)) return
  const evidence = 'it says that our browser is not supported, and nothing else'
  const finding = { rule: UNSUPPORTED_BROWSER, evidence, examples: [url] }
  reportFinding(finding, { url, at: tools.clock.now() }, reporter, tools)
}

/** URLs that a site's sitemaps may list and be believed; a machine can list more without end. */
const MAX_BELIEVED = 10_000

/** Found in a sitemap of the site, and there are not too many of them. */
export function isListed(path: string, { sitemaps }: SiteMemory): boolean {
  return path.endsWith('ML') && (sitemaps?.urls ?? 0) <= MAX_BELIEVED
}

/** The rule by which a URL of the site is not fetched. Each such URL is counted once per visit. */
export function stoppedBy(
  url: WebUrl,
  item: Pick<AgendaItem, 'depth' | 'path' | 'via'>,
  reporter: Reporter,
  tools: PolicyTools,
): { rule: string; held: boolean } | undefined {
  const { memory, visit, tally } = reporter
  if (memory.stopped === undefined && reporter.suspects.length === 0) return undefined
  const { traps } = reporter
  const { site } = visit
  const waiting = {
    path: normalPath(url),
    depth: item.depth,
    generation: generationOf(item.path),
    via: pathOfVia(item, reporter, tools),
    isTarget: redirectsIn(item.path) > 0,
    isInferred: isInferred(item.path),
  }
  const { suspects, inferred } = traps
  const refused = admitUrl(memory, traps, waiting, hazardOptions(site, tools))
  if (traps.suspects !== suspects || traps.inferred !== inferred) reporter.trapsChanged()
  if (refused === undefined) return undefined
  if (reporter.isFirstRefusal(url.key)) tally.add(`stopped:${ruleLabel(refused.rule)}`)
  const held = refused.pattern !== ''
  return { rule: held ? `${refused.rule} ${refused.pattern}` : refused.rule, held }
}

/** The URL without the parameters that make no difference on its site, if it has any: what it shows may be known by no other name. */
export function plainerUrl(
  { href }: WebUrl,
  { suspects }: Reporter,
  { urls }: Pick<PolicyTools, 'urls'>,
): WebUrl | undefined {
  if (suspects.length === 0) return undefined
  const origin = new URL(href).origin
  const plain = withoutIdleParameters(suspects, href.slice(origin.length))
  return plain === undefined ? undefined : urls.parse(origin + plain)
}

/** URLs held back by a finding that the operator now overrules are fetched, and its trial is over; one that is confirmed needs none. */
export function followDecisions(reporter: Reporter, tools: PolicyTools): void {
  const { suspects: before, visit } = reporter
  const suspects = before
    .filter(({ rule }) => !tools.trusts(visit.site, rule))
    .map((one) => withDecision(one, tools.confirms(visit.site, one.rule, one.pattern), before))
  const isReleased = suspects.length < before.length
  if (!isReleased && suspects.every((one, nth) => one === before[nth])) return
  reporter.traps.suspects = suspects
  reporter.trapsChanged()
  if (isReleased) reporter.learn({ requeue: true })
}

/** The pattern holds back its maximum of URLs, so one more is not even recorded, unless it is a sample. */
export function isPatternFull(
  url: WebUrl,
  item: Pick<AgendaItem, 'depth' | 'path' | 'via'>,
  reporter: Reporter,
  tools: PolicyTools,
): boolean {
  if (!hasFullPattern(reporter.suspects)) return false
  const { traps, visit } = reporter
  const generation = generationOf(item.path)
  const waiting = { path: normalPath(url), generation, via: pathOfVia(item, reporter, tools) }
  if (!exceedsHeldLimit(traps, waiting, hazardOptions(visit.site, tools))) return false
  return stoppedBy(url, item, reporter, tools) !== undefined
}

/** A finding about its pattern is on trial or confirmed, and does not apply to what a page lists. */
export function isSuspect(url: WebUrl, reporter: Reporter): boolean {
  return reporter.suspects.length > 0 && isOfSuspect(reporter.traps, normalPath(url))
}

/** No link of the site is followed any more, unless the operator has overruled that. */
export function isStopped({ memory, visit }: Reporter, tools: PolicyTools): boolean {
  return memory.stopped !== undefined && !tools.trusts(visit.site, ruleLabel(memory.stopped))
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
    tags: signature.tags,
    minima: signature.minima,
    title,
    text,
  }
}

/** Pictures are content too: the pages of a gallery may differ only in them. */
function embedsOf({ links }: Reading): bigint {
  let all = ''
  for (const { kind, media, href } of links) {
    if (kind === 'iframe' || kind === 'frame' || (kind === 'embed' && PICTURES.has(media))) all += `${href}\n`
  }
  return all === '' ? 0n : hash64(all)
}

const PICTURES = new Set(['image', 'video', 'audio', 'object'])
