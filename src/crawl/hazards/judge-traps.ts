/** Counts a page in its families, then asks each detector. */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import {
  type Aliases,
  countAliases,
  countRepeats,
  isAliasOfRepeats,
  isDistinguishing,
  judgeAliases,
  judgeRepeats,
} from './aliases.ts'
import { type Content, contentOf, isShort, textMark } from './content.ts'
import { type Counted, countListed, countPage, isCertain, isLinkedText, isLost, remember } from './count-page.ts'
import { judgeDrift } from './drift.ts'
import { type Family, freshFamily, MAX_FOLDER_KINDS, shorten, withExample } from './family.ts'
import { isSlow } from './family-rules.ts'
import { type HazardFinding, hasRest, type PageContext, type PatternFinding } from './finding.ts'
import { type Invention, inventionFor, isDoubted, isGrowing, isLibrary, kindOfShape } from './invented.ts'
import { judgeFamilies } from './judge-families.ts'
import { countLinks, type LinkCensus } from './link-census.ts'
import { mark } from './marks.ts'
import { countTemplate, isEndless, isFormLost, isSiteLost, type TemplateCount } from './mazes.ts'
import type { OpenTraps } from './open-traps.ts'
import { evictFamilies, familyOf, forget, patternOfVia } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { countParameters, countSiteParameters, judgeParameters, judgeSiteParameters } from './parameters.ts'
import { patternOf, repeatsIn, type UrlPattern } from './pattern.ts'
import { countRedirect, judgeRedirects, redirectsIntoTrap } from './redirects.ts'
import { isStale } from './shingles.ts'
import { type Commonness, countContent, isSoft404, LONGEST_ERROR } from './soft-404.ts'
import {
  ANYWHERE,
  addSuspect,
  isCovered,
  isNamedBySuspect,
  isOfPattern,
  judgeFolders,
  mayStop,
  siteWide,
  withoutIdleParameters,
} from './suspects.ts'
import { initialWords, isRecentlyCleared, timesCleared } from './trial.ts'
import { marksOf, saidBy } from './variants.ts'

/** What a page adds to those before it: something new, only other numbers and dates, or nothing. */
export type PageNews = 'new' | 'alike' | 'copy'

export interface TrapJudgement {
  findings: HazardFinding[]
  news: PageNews
  probe: boolean
  follow: boolean
  lists: boolean
  invention: Invention | undefined
}

/** `memory` has already counted the page; `traps` counts it here, as `weight` pages (`quiet.ts`). */
export function judgeTraps(
  memory: SiteMemory,
  traps: OpenTraps,
  page: PageFacts,
  weight: number,
  trusted: (rule: string) => boolean,
): TrapJudgement {
  const observed = observe(traps, page, weight, trusted)
  const { pattern, via, content, census, isHome, soft, seen, alias } = observed
  const families: Family[] = []
  const { form, folders, base, site, isNew } = countFamilies(
    observed,
    countedOf(observed, page, weight, memory, traps),
    traps,
    families,
  )
  const isAlone = via === undefined || via.form === pattern.form || isNamedBySuspect(page.via, traps.suspects)
  const partner = isAlone ? undefined : (traps.families.get(via.form) ?? freshFamily(via.form))
  evictFamilies(traps, families, memory.fetched)
  learnPage(traps, observed, page, weight, isNew)
  if (traps.redirects.length > 0 || page.outcome === 'moved') countRedirect(traps.redirects, page, pattern)
  const { bareForms } = traps
  const isBare = content !== undefined && isLost({ count: census.fresh }, census, page.crossSite)
  countBare(traps, isBare, weight, pattern)

  const [novel, closing] = traps.novel
  const context: PageContext = { page, pattern, content, census, form, folders, partner, novel, closing }
  const before = traps.suspects
  if (!isHome) suspect(memory, traps, findingsOf(observed, traps, base, site, context), page, trusted)
  const isSuspect = traps.suspects !== before
  const echo = seen && !isHome && isEchoing(memory, traps) && isEcho(content!, census) && !trusted('copies')
  const isLostHere = isFormLost(form, context) && isLost(census.form, census, page.crossSite)
  const isLostAnywhere = isBare && isSiteLost(traps.bare, context) && isCircling(census, bareForms)
  const drift = content === undefined || isHome ? undefined : judgeDrift(traps.drift, page, census, weight)
  const shape = drift && kindOfShape(page.path)
  const adrift = shape === undefined || isLibrary(traps, shape) ? undefined : drift
  const isLostForm = (isLostHere || isLostAnywhere) && !isLibrary(traps, pattern.form)
  const newest = isSuspect ? traps.suspects.at(-1) : undefined
  const mayEnd = newest
    ? newest.pattern === pattern.form && isDoubted(newest, pattern.form)
    : isLostForm || isGrowing(form, pattern)
  const kind = adrift ? shape : mayEnd ? pattern.form : undefined
  const invention = kind === undefined || trusted('maze') ? undefined : inventionFor(traps, kind, page, pattern)
  // The answer may be what the site gives for any missing page.
  const probe = traps.probe === undefined && (invention !== undefined || shouldProbe(traps))
  if (probe) traps.probe = {}
  const lost = (isLostForm || adrift !== undefined) && invention === undefined && !trusted('maze')
  const findings: HazardFinding[] = []
  const report = (rule: string, evidence: string) =>
    reportOnce(traps, findings, { rule, evidence, examples: [page.path.slice(0, 200)] })
  if (soft) report('soft-404', 'a name that cannot exist was answered with a page, and other URLs give the same page')
  if (observed.empty && !trusted('few-contents'))
    report('few-contents', `${observed.common!.urls} URLs of several patterns gave one text, letter by letter`)
  if (echo) {
    const before = `${traps.echoes} of ${memory.fetched} pages had a text that was there before`
    report('copies', `${before}: links of such pages are not followed`)
  }
  if (lost && !isSuspect) {
    const { pattern, examples } = form
    const many = isLostHere ? form.lost : traps.bare
    const evidence =
      adrift ?? `links of pages ${pattern} that lead only to fresh ones are not followed, after ${many} such pages`
    reportOnce(traps, findings, {
      rule: 'maze',
      evidence,
      examples: examples.length > 0 ? [...examples] : [shorten(page.path)],
    })
  }
  const lists = !alias && !seen && (isList(observed, form) || (isNew && observed.template?.isCommon !== true))
  const follow = !soft && !lost && !echo
  const news = seen ? 'copy' : isNew && !alias ? 'new' : 'alike'
  return { findings, news, probe, follow, lists: lists && !observed.hollow && !isSuspect, invention }
}

/** A page compared with what the site has shown, before its families count it. */
interface Observation {
  pattern: UrlPattern
  /** Of the page that named it. */
  namer: UrlPattern | undefined
  /** The same, unless a page lists it. */
  via: UrlPattern | undefined
  content: Content | undefined
  census: LinkCensus
  common: Commonness | undefined
  isHome: boolean
  /**
   * Empty of content. `soft`: like the answer to a name that cannot exist; `empty`: a text that too many URLs gave;
   * `hollow`: either.
   */
  soft: boolean
  empty: boolean
  hollow: boolean
  /** Hash of its text and pictures if those are certain, and whether it was seen before. */
  text: number | undefined
  seen: boolean
  stale: boolean | undefined
  /** The page at the same URL without one part (or without repeated segments) says the same. */
  aliases: Aliases | undefined
  repeats: number
  repeated: boolean
  alias: boolean
  template: TemplateCount | undefined
}

function observe(traps: OpenTraps, page: PageFacts, weight: number, trusted: (rule: string) => boolean): Observation {
  const pattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const certain = isCertain(page)
  const namer = page.via === undefined ? undefined : patternOfVia(traps, page.via)
  const via = page.generation > 0 ? namer : undefined
  const { suspects } = traps
  // What is held back for an idle parameter is asked for without it, so that is what the page leads to.
  const plain = (link: string) => (suspects.length === 0 ? link : (withoutIdleParameters(suspects, link) ?? link))
  const census = countLinks(page, pattern, traps.navigation, namer, plain)
  const common = content && countContent(traps.contents, content, mark(pattern.form) | 0, certain)
  const isHome = page.depth === 0 || page.path === '/'
  const soft = !isHome && isSoft404(traps.probe, page, content) && !trusted('soft-404')
  const empty = common?.common === true && !isLinkedText(content!, census) && hasRest(traps.novel[0], 1)
  const hollow = soft || (!isHome && ((empty && !trusted('few-contents')) || redirectsIntoTrap(page, traps, trusted)))
  const text = content !== undefined && certain ? textMark(content) : undefined
  const stale = isStale(traps, page)
  const seen = text !== undefined && traps.texts.has(text)
  const compared = text !== undefined && !isHome
  const aliases = compared
    ? countAliases(traps, page.path, pattern, content!, page.links, !seen, stale === true)
    : undefined
  const repeats = repeatsIn(page.path)
  const repeated = content !== undefined && isAliasOfRepeats(traps.known, page.path, repeats, content)
  const alias = aliases?.isAlias === true || repeated || stale === true
  const template = compared ? countTemplate(traps.templates, content!, census, weight) : undefined
  return {
    pattern,
    namer,
    via,
    content,
    census,
    common,
    isHome,
    soft,
    empty,
    hollow,
    text,
    seen,
    stale,
    aliases,
    repeats,
    repeated,
    alias,
    template,
  }
}

function countedOf(
  observed: Observation,
  page: PageFacts,
  weight: number,
  { fetched }: SiteMemory,
  traps: OpenTraps,
): Counted {
  const { content, template, pattern } = observed
  const isKnown = content !== undefined && pattern.names.length > 1 && traps.known.hasLike(page.path, content)
  return {
    words: undefined,
    ordinal: undefined,
    ahead: undefined,
    page,
    listed: page.generation === 0 && !(template !== undefined && isEndless(template)),
    content,
    census: observed.census,
    slow: isSlow(page),
    hollow: observed.hollow,
    missing: observed.soft,
    seen: observed.seen,
    alias: observed.alias || isKnown,
    short: content !== undefined && isShort(content, traps.novel),
    isTemplated: template?.isOne === true,
    now: fetched,
    weight,
  }
}

/** Remembers the page, for comparison with later ones. */
function learnPage(traps: OpenTraps, observed: Observation, page: PageFacts, weight: number, isNew: boolean): void {
  const { content, census, common, template, text, seen, alias, aliases } = observed
  if (isNew && !seen && !alias) {
    const closes = census.known + census.navigation > 0 || census.homeward
    traps.novel[0]++
    if (closes) traps.novel[1]++
    traps.novel[2] += content!.length
  }
  traps.pace[isSlow(page) ? 1 : 0] += weight
  const nothingNew = content !== undefined && (!isNew || common?.seen === true || observed.repeated)
  traps.repeats = countRepeats(traps.repeats, observed.repeats, !nothingNew)
  if (content === undefined) return
  // Pages that differ only in a name may be error pages that repeat the name.
  if ((common?.seen === true || template?.isOne === true) && content.words < LONGEST_ERROR) traps.alike++
  if (seen && !observed.isHome) traps.echoes++
  if (aliases !== undefined) traps.aliases = aliases.rows
  if (text === undefined) return
  if (!seen) traps.texts.add(text)
  traps.known.add(page.path, content)
  traps.variants.add(marksOf(page.path), saidBy(content))
}

/** The last families whose pages lead only to fresh ones. */
const MAX_BARE_FORMS = 8

function countBare(traps: OpenTraps, isBare: boolean, weight: number, { form }: UrlPattern): void {
  if (!isBare) {
    traps.bare = Math.max(0, traps.bare - 2 * weight)
    return
  }
  traps.bare++
  const one = mark(form)
  if (!traps.bareForms.includes(one)) traps.bareForms = [...traps.bareForms.slice(1 - MAX_BARE_FORMS), one]
}

/** Each level of a tree leads into a new family; a maze returns to families it had before. */
function isCircling({ elsewhere }: LinkCensus, bareForms: readonly number[]): boolean {
  return [...elsewhere].some((form) => bareForms.includes(mark(form)))
}

/** Lists look alike, too. Those that don't lead from one to the next (categories, an index from A to Z) end. */
function isList({ content, hollow, census }: Observation, form: Family): boolean {
  const oneKind = census.elsewhere.size <= 2 && census.form.count === 0
  return content !== undefined && !hollow && oneKind && form.growing * 2 < form.pages
}

function findingsOf(
  { aliases, repeats, repeated, template, pattern }: Observation,
  traps: OpenTraps,
  base: Family | undefined,
  site: Family | undefined,
  context: PageContext,
): readonly PatternFinding[] {
  const distinguishes = (name: string) => isDistinguishing(traps.aliases, name)
  const toKnown = judgeRedirects(traps.redirects, context)
  if (toKnown.length > 0) return toKnown
  const found: PatternFinding[] = aliases?.isAlias ? [...judgeAliases(aliases, context)] : []
  const folders = aliases?.isAlias ? judgeFolders(traps.suspects, context.page.path) : undefined
  if (folders !== undefined) found.push(folders)
  if (found.length === 0) {
    const first =
      judgeRepeats(traps.repeats, repeats, repeated, context) ?? judgeFamilies(context, traps.pace, template)
    if (first !== undefined) found.push(first)
    else if (base !== undefined) found.push(...judgeParameters(base, pattern.base, context, distinguishes))
  }
  // A parameter already stopped here must not hide another.
  if (site !== undefined) found.push(...judgeSiteParameters(site, context, distinguishes))
  return found
}

/** A text trial also needs the probe: error pages that repeat the missing name would seem to have new words. */
function shouldProbe({ alike, novel, suspects }: OpenTraps): boolean {
  if (alike >= ALIKE_BEFORE_PROBE[hasRest(novel[0], 0) ? 'beside' : 'alone']) return true
  return suspects.some(({ proof }) => proof === 'text')
}

/** Each rule without a pattern is reported once per site. */
function reportOnce(traps: OpenTraps, findings: HazardFinding[], finding: HazardFinding): void {
  if (traps.reported.includes(finding.rule)) return
  findings.push(finding)
  traps.reported = [...traps.reported, finding.rule]
}

/** After this many similar short pages, a probe for a missing name is worth a request. */
const ALIKE_BEFORE_PROBE = { beside: 2, alone: 8 }

/** Enough pages, and a large enough share, whose texts were seen before: their links bring more of the same. */
const MIN_ECHOES = 60
const MIN_ECHO_SHARE = 0.85
/** Shorter pages with different links may well have the same text. */
const MIN_ECHO_WORDS = 20

function isEchoing({ fetched }: SiteMemory, { echoes, novel }: OpenTraps): boolean {
  return echoes >= MIN_ECHOES && echoes >= fetched * MIN_ECHO_SHARE && hasRest(novel[0], 0)
}

function isEcho(content: Content, census: LinkCensus): boolean {
  return content.words >= MIN_ECHO_WORDS && !isLinkedText(content, census)
}

interface PageFamilies {
  form: Family
  folders: Family[]
  /** All URLs of this page with any parameters. */
  base: Family | undefined
  /** All URLs of the site with any parameters. */
  site: Family | undefined
  /** Its form had not shown this content before. */
  isNew: boolean
}

/** `all` collects the families that the page changes. */
function countFamilies(
  { pattern, namer, stale, seen, aliases, repeated }: Observation,
  counted: Counted,
  traps: OpenTraps,
  all: Family[],
): PageFamilies {
  const { census, content } = counted
  const form = familyOf(traps, pattern.form, all)
  const isNew = countForm(form, counted)
  const folders = countFolders(pattern, namer, counted, traps, all)
  if (pattern.names.length === 0) {
    // With parameters, the page's own text is not new.
    if (census.base.count > 0 && content !== undefined) remember(familyOf(traps, `${pattern.base}?**`, all), content)
    return { form, folders, base: undefined, site: undefined, isNew }
  }
  const base = familyOf(traps, `${pattern.base}?**`, all)
  const site = familyOf(traps, `${ANYWHERE}?**`, all)
  const { kinds } = base
  countPage(base, census.base, counted)
  if (content !== undefined) {
    const { path } = counted.page
    const isMade = stale === true && !seen && !repeated && aliases?.isAlias !== true
    if (!isMade) countParameters(base, path, pattern.names, base.kinds > kinds)
    const idle = counted.seen || (counted.alias && !isMade)
    const distinguishes = (name: string) => isDistinguishing(traps.aliases, name)
    countSiteParameters(site, pattern.base, path, !idle, stale, distinguishes)
    site.pages++
    site.at = counted.now
    if (idle) withExample(site, counted.page.path)
  }
  return { form, folders, base, site, isNew }
}

function countForm(form: Family, counted: Counted): boolean {
  if (counted.listed) return countListed(form, counted)
  countPage(form, counted.census.form, counted)
  return counted.content !== undefined && form.streak === 0 && !counted.hollow
}

/** Shallowest first. A deeper folder counts only if the one above shows too much to be stopped as a whole. */
function countFolders(
  { folders }: UrlPattern,
  namer: UrlPattern | undefined,
  counted: Counted,
  traps: OpenTraps,
  all: Family[],
): Family[] {
  const shallowestFirst: Family[] = []
  const { listed } = counted
  const from = namer === undefined ? NOWHERE : namer.folders
  for (let at = folders.length - 1; at >= 0; at--) {
    const family = familyOf(traps, folders[at], all)
    // Pages that are named from outside the folder are listed.
    if (!listed || from.includes(folders[at])) countPage(family, counted.census.folders[at], counted)
    else countListed(family, counted)
    shallowestFirst.push(family)
    if (family.kinds <= MAX_FOLDER_KINDS) break
  }
  return shallowestFirst.reverse()
}

const NOWHERE: readonly string[] = []

const MAX_CLEARINGS = 4

/** Puts patterns that may be stopped on trial. */
function suspect(
  memory: SiteMemory,
  traps: OpenTraps,
  proven: readonly PatternFinding[],
  page: PageFacts,
  trusted: (rule: string) => boolean,
): void {
  if (proven.length === 0) return
  const { form } = patternOf(page.path)
  const isInLibrary = isLibrary(traps, form)
  for (const finding of proven) {
    const { rule } = finding
    const pattern = siteWide(finding.pattern, traps.suspects)
    if (!mayStop(pattern) || trusted(rule) || isCovered(pattern, traps.suspects)) continue
    if (isRecentlyCleared(traps, pattern, memory) || (isInLibrary && isDoubted(finding, form))) continue
    // Chance words cleared it this often while near-identical pages go on: only growth decides now.
    const proof = timesCleared(traps, pattern) >= MAX_CLEARINGS ? 'growth' : finding.proof
    // A site-wide parameter may have examples of other patterns.
    const own = finding.examples.filter((example) => isOfPattern(pattern, example))
    const examples = own.length > 0 ? own : [shorten(page.path)]
    const suspects = addSuspect(traps.suspects, { ...finding, pattern, proof, examples }, page.at, initialWords(page))
    if (suspects === undefined) continue
    traps.suspects = suspects
    // Its counts are in the evidence now, so its row is freed.
    forget(traps, pattern)
  }
}
