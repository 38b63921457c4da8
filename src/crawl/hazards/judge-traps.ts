/** A page in the light of all that the site's memory has of its families: counted, then judged by each detector. */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import { type Aliases, countAliases, judgeAliases } from './aliases.ts'
import { type Cast, countCast, isEndless, judgeCast } from './casts.ts'
import { type Content, contentOf, textMark } from './content.ts'
import {
  type Counted,
  countListed,
  countPage,
  isCertain,
  isLinkedText,
  isLost,
  MAX_KINDS_OF_A_FOLDER,
  remember,
} from './count-page.ts'
import type { TrapFindings } from './detect.ts'
import { isSlow, judgePace } from './drip-feed.ts'
import { type Family, freshFamily, shorten, withExample } from './family.ts'
import { judgeFuture } from './far-future.ts'
import { type Commonness, countContent } from './few-contents.ts'
import { judgeWords } from './few-words.ts'
import { hasRest, type PatternFinding, type Sight } from './finding.ts'
import { judgeGrowth } from './growing-url.ts'
import { countLinks, type LinkCensus } from './link-census.ts'
import { mark } from './marks.ts'
import { judgeFolder, judgeForm } from './near-duplicates.ts'
import { familyOf, forget, makeRoom } from './open-families.ts'
import type { OpenTraps } from './open-traps.ts'
import type { PageFacts } from './page-facts.ts'
import { countParameters, countSiteParameters, judgeParameters, judgeSiteParameters } from './parameters.ts'
import { foldersOf, patternOf, type UrlPattern } from './pattern.ts'
import { countRepeats, isAliasOfRepeats, judgeRepeats } from './repeats.ts'
import { isSoft404, judgeHollow } from './soft-404.ts'
import { ANYWHERE, addSuspect, findSuspect, isCovered, isNamedBySuspect, isOfPattern, mayStop } from './suspects.ts'
import { suspicionOf } from './suspicion.ts'
import { isBareForGood, isLostForGood, judgeMaze } from './tarpit.ts'
import { isAtTruce, timesCleared, wordsOfFinding } from './trial.ts'

export interface TrapJudgement {
  findings: TrapFindings[]
  probe: boolean
  follow: boolean
  lists: boolean
}

/** `memory` has counted the page already; `traps` counts it now. */
export function judgeTraps(
  memory: SiteMemory,
  traps: OpenTraps,
  page: PageFacts,
  trusted: (rule: string) => boolean,
): TrapJudgement {
  const suspicion = suspicionOf(memory, traps)
  const look = lookAt(traps, page, trusted)
  const { pattern, via, content, census, isHome, soft, seen, alias } = look
  const families: Family[] = []
  const { form, folders, place, site, isNew } = countFamilies(
    look,
    countedOf(look, page, memory, traps),
    traps,
    families,
  )
  const isAlone = via === undefined || via.form === pattern.form || isNamedBySuspect(page.via, traps.suspects)
  const partner = isAlone ? undefined : (traps.families.get(via.form) ?? freshFamily(via.form))
  makeRoom(traps, families, memory.fetched)
  learnPage(traps, look, page, isNew)
  const { bareForms } = traps
  const isBare = content !== undefined && isLost({ count: census.fresh }, census, page.crossSite)
  countBare(traps, isBare, pattern)

  const [novel, closing] = traps.novel
  const sight: Sight = { page, pattern, content, census, form, folders, partner, novel, closing, suspicion }
  const before = traps.suspects
  if (!isHome) suspect(memory, traps, findingsOf(look, traps, place, site, sight), page, trusted)
  const isSuspect = traps.suspects !== before
  const probe = traps.probe === undefined && isWorthAProbe(traps)
  if (probe) traps.probe = {}
  const echo = seen && !isHome && isEchoing(memory, traps) && isEcho(content!, census) && !trusted('copies')
  const isLostHere = isLostForGood(form, sight) && isLost(census.form, census, page.crossSite)
  const isLostAnywhere = isBare && isBareForGood(traps.bare, sight) && isCircling(census, bareForms)
  const lost = (isLostHere || isLostAnywhere) && !trusted('maze')
  const findings: TrapFindings[] = []
  if (soft) tell(traps, findings, tellSoft404(page))
  if (look.empty && !trusted('few-contents')) tell(traps, findings, tellCommon(page, look.common!))
  if (echo) tell(traps, findings, tellEchoes(page, traps.echoes, memory.fetched))
  if (lost && !isSuspect) tell(traps, findings, tellLost(form, isLostHere ? form.lost : traps.bare))
  const lists = !alias && !seen && (isList(look, form) || (isNew && look.cast?.isCommon !== true))
  return { findings, probe, follow: !soft && !lost && !echo, lists: lists && !look.hollow && !isSuspect }
}

/** A page beside what the site has shown, before its families count it. */
interface Look {
  pattern: UrlPattern
  /** Of the page that named it, if no page lists it. */
  via: UrlPattern | undefined
  content: Content | undefined
  census: LinkCensus
  common: Commonness | undefined
  isHome: boolean
  /** It is as good as no page: like the answer to a name that cannot exist; one that too many URLs gave; one of these. */
  soft: boolean
  empty: boolean
  hollow: boolean
  /** Of its text and pictures, when those are certain, and whether they were there before. */
  text: number | undefined
  seen: boolean
  /** The page whose URL is its own without a part, or without repeated segments, says the same. */
  aliases: Aliases | undefined
  repeated: boolean
  alias: boolean
  cast: Cast | undefined
}

function lookAt(traps: OpenTraps, page: PageFacts, trusted: (rule: string) => boolean): Look {
  const pattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const certain = isCertain(page)
  const via = page.generation > 0 && page.via !== undefined ? patternOf(page.via) : undefined
  const census = countLinks(page.path, pattern, page.links, traps.navigation, via)
  const common = content && countContent(traps.contents, content, mark(pattern.form) | 0, certain)
  const isHome = page.depth === 0 || page.path === '/'
  const soft = !isHome && isSoft404(traps.probe, page, content) && !trusted('soft-404')
  const empty = common?.common === true && !isLinkedText(content!, census) && hasRest(traps.novel[0], 1)
  const hollow = soft || (!isHome && ((empty && !trusted('few-contents')) || isSentIntoATrap(page, traps, trusted)))
  const text = content !== undefined && certain ? textMark(content) : undefined
  const seen = text !== undefined && traps.texts.has(text)
  const compared = text !== undefined && !isHome
  const aliases = compared ? countAliases(traps, page.path, pattern, content!, page.links, !seen) : undefined
  const repeated = content !== undefined && isAliasOfRepeats(traps.known, page.path, content)
  const alias = aliases?.isAlias === true || repeated
  const cast = compared ? countCast(traps.casts, content!, census) : undefined
  return {
    pattern,
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
    aliases,
    repeated,
    alias,
    cast,
  }
}

function countedOf(look: Look, page: PageFacts, { fetched }: SiteMemory, traps: OpenTraps): Counted {
  const { content, cast, pattern } = look
  const isKnown = content !== undefined && pattern.names.length > 1 && traps.known.hasLike(page.path, content)
  return {
    words: undefined,
    ordinal: undefined,
    ahead: undefined,
    page,
    listed: page.generation === 0 && !(cast !== undefined && isEndless(cast)),
    content,
    census: look.census,
    slow: isSlow(page),
    hollow: look.hollow,
    missing: look.soft,
    seen: look.seen,
    alias: look.alias || isKnown,
    short: content !== undefined && isShort(content, traps.novel),
    isOfACast: cast?.isOne === true,
    now: fetched,
  }
}

/** What the next pages are held against. */
function learnPage(traps: OpenTraps, look: Look, page: PageFacts, isNew: boolean): void {
  const { content, census, common, cast, text, seen, alias, aliases } = look
  if (isNew && !seen && !alias) {
    const closes = census.known + census.navigation > 0 || census.homeward
    traps.novel[0]++
    if (closes) traps.novel[1]++
    traps.novel[2] += content!.length
  }
  traps.pace[isSlow(page) ? 1 : 0]++
  const nothingNew = content !== undefined && (!isNew || common?.seen === true || look.repeated)
  traps.repeats = countRepeats(traps.repeats, page.path, !nothingNew)
  if (content === undefined) return
  // Pages that differ in a name only may name what was not found.
  if ((common?.seen === true || cast?.isOne === true) && content.words < LONGEST_ERROR) traps.alike++
  if (page.duplicate) traps.copies++
  if (seen && !look.isHome) traps.echoes++
  if (aliases !== undefined) traps.aliases = aliases.rows
  if (text === undefined) return
  if (!seen) traps.texts.add(text)
  traps.known.add(page.path, content)
}

/** Families whose pages lead only to fresh ones: the last of them are remembered. */
const MAX_BARE_FORMS = 8

function countBare(traps: OpenTraps, isBare: boolean, { form }: UrlPattern): void {
  if (!isBare) {
    traps.bare = Math.max(0, traps.bare - 2)
    return
  }
  traps.bare++
  const one = mark(form)
  if (!traps.bareForms.includes(one)) traps.bareForms = [...traps.bareForms.slice(1 - MAX_BARE_FORMS), one]
}

/** A tree leads from each of its levels into a family of its own; a maze comes back to those that it had. */
function isCircling({ elsewhere }: LinkCensus, bareForms: readonly number[]): boolean {
  return [...elsewhere].some((form) => bareForms.includes(mark(form)))
}

/** Lists look alike, too; those that do not lead from one to the next (categories, an index from A to Z) have an end. */
function isList({ content, hollow, census }: Look, form: Family): boolean {
  const oneKind = census.elsewhere.size <= 2 && census.form.count === 0
  return content !== undefined && !hollow && oneKind && form.growing * 2 < form.pages
}

function findingsOf(
  { aliases, repeated, cast, pattern }: Look,
  traps: OpenTraps,
  place: Family | undefined,
  site: Family | undefined,
  sight: Sight,
): readonly PatternFinding[] {
  const found: PatternFinding[] = aliases?.isAlias ? [...judgeAliases(aliases, sight)] : []
  if (found.length === 0) {
    const first = judgeRepeats(traps.repeats, repeated, sight) ?? judgeForms(sight, traps.pace, cast)
    if (first !== undefined) found.push(first)
    else if (place !== undefined) found.push(...judgeParameters(place, pattern.place, sight))
  }
  // A parameter that was stopped here already must not hide another.
  if (site !== undefined) found.push(...judgeSiteParameters(site, sight))
  return found
}

/** In a trial, pages that echo the name they did not find would seem to have words of their own. */
function isWorthAProbe({ alike, novel, suspects }: OpenTraps): boolean {
  if (alike >= ALIKE_BEFORE_THE_PROBE[hasRest(novel[0], 0) ? 'beside' : 'alone']) return true
  return suspects.some(({ proof }) => proof === 'text')
}

/** Once a site. */
function tell(traps: OpenTraps, findings: TrapFindings[], finding: TrapFindings): void {
  if (traps.told.includes(finding.rule)) return
  findings.push(finding)
  traps.told = [...traps.told, finding.rule]
}

/** Error pages are short; so many near ones, and it is worth a request to know what the site says of names that do not exist. */
const LONGEST_ERROR = 400
const ALIKE_BEFORE_THE_PROBE = { beside: 2, alone: 8 }

/** A redirect to what is followed no more, such as the page that says that nothing was found, is no better than that. */
function isSentIntoATrap(
  { outcome, links }: PageFacts,
  { suspects }: OpenTraps,
  trusted: (rule: string) => boolean,
): boolean {
  if (outcome !== 'moved' || links.length === 0 || suspects.length === 0) return false
  return links.every(({ path }) => findSuspect(suspects, path, trusted)?.stopped)
}

/** A third of what the site's new pages have to say. */
function isShort({ length }: Content, [pages, , all]: OpenTraps['novel']): boolean {
  return length * 3 * pages < all
}

/** So many pages, and such a share of the site's, whose texts were there before: more of their links bring more of them. */
const ECHOES = 60
const SHARE_OF_ECHOES = 0.85
/** Below, pages with different links may well have one text. */
const FEWEST_WORDS_OF_AN_ECHO = 20

function isEchoing({ fetched }: SiteMemory, { echoes, novel }: OpenTraps): boolean {
  return echoes >= ECHOES && echoes >= fetched * SHARE_OF_ECHOES && hasRest(novel[0], 0)
}

function isEcho(content: Content, census: LinkCensus): boolean {
  return content.words >= FEWEST_WORDS_OF_AN_ECHO && !isLinkedText(content, census)
}

interface PageFamilies {
  form: Family
  folders: Family[]
  /** All URLs of the page with parameters, whichever. */
  place: Family | undefined
  /** All URLs of the site with parameters. */
  site: Family | undefined
  /** Its form had not shown such a page before. */
  isNew: boolean
}

/** `all`: the families that the page changes. */
function countFamilies({ pattern }: Look, counted: Counted, traps: OpenTraps, all: Family[]): PageFamilies {
  const { census, content } = counted
  const form = familyOf(traps, pattern.form, all)
  const isNew = countForm(form, counted)
  const folders = countFolders(pattern, counted, traps, all)
  if (pattern.names.length === 0) {
    // What the page says without parameters is nothing new with them.
    if (census.place.count > 0 && content !== undefined) remember(familyOf(traps, `${pattern.place}?**`, all), content)
    return { form, folders, place: undefined, site: undefined, isNew }
  }
  const place = familyOf(traps, `${pattern.place}?**`, all)
  const site = familyOf(traps, `${ANYWHERE}?**`, all)
  const { kinds } = place
  countPage(place, census.place, counted)
  if (content !== undefined) {
    countParameters(place, counted.page.path, pattern.names, place.kinds > kinds)
    const idle = counted.seen || counted.alias
    countSiteParameters(site, pattern.place, counted.page.path, !idle)
    site.pages++
    site.at = counted.now
    if (idle) withExample(site, counted.page.path)
  }
  return { form, folders, place, site, isNew }
}

function countForm(form: Family, counted: Counted): boolean {
  if (counted.listed) return countListed(form, counted)
  countPage(form, counted.census.form, counted)
  return counted.content !== undefined && form.streak === 0 && !counted.hollow
}

/** From the shallowest on; a deeper one only when the one above it shows too much to be stopped as a whole. */
function countFolders({ folders }: UrlPattern, counted: Counted, traps: OpenTraps, all: Family[]): Family[] {
  const shallowestFirst: Family[] = []
  const { listed } = counted
  const { via } = counted.page
  const from = !listed || via === undefined || folders.length === 0 ? NOWHERE : foldersOf(via)
  for (let at = folders.length - 1; at >= 0; at--) {
    const family = familyOf(traps, folders[at], all)
    // Of a folder, what pages outside of it name is listed.
    if (!listed || from.includes(folders[at])) countPage(family, counted.census.folders[at], counted)
    else countListed(family, counted)
    shallowestFirst.push(family)
    if (family.kinds <= MAX_KINDS_OF_A_FOLDER) break
  }
  return shallowestFirst.reverse()
}

function judgeForms(sight: Sight, pace: [number, number], cast: Cast | undefined): PatternFinding | undefined {
  const { form, folders } = sight
  const byForm = isQuiet(form)
    ? undefined
    : (judgePace(form, pace, sight) ?? judgeHollow(form) ?? judgeForm(sight) ?? judgeEndless(form, sight, cast))
  const found = byForm ?? judgeMaze(sight)
  if (found !== undefined) return found
  for (const folder of folders) {
    if (isQuiet(folder)) continue
    const found =
      judgePace(folder, pace, sight) ??
      judgeHollow(folder) ??
      judgeFolder(folder, sight) ??
      judgeEndless(folder, sight, cast)
    if (found !== undefined) return found
  }
  return undefined
}

function judgeEndless(family: Family, sight: Sight, cast: Cast | undefined): PatternFinding | undefined {
  return (
    judgeGrowth(family, sight) ??
    judgeFuture(family, sight) ??
    judgeWords(family, sight) ??
    (cast && judgeCast(family, cast, sight))
  )
}

/** None of the detectors but that of mazes finds anything below: what each counts first has not come so far. Most families of most sites. */
const SLOW_OR_HOLLOW = 4
const MIN_PAGES = 5

function isQuiet(family: Family): boolean {
  return (
    family.streak < MIN_PAGES &&
    family.same < MIN_PAGES &&
    family.longer < MIN_PAGES &&
    family.ahead < MIN_PAGES &&
    family.combined < MIN_PAGES &&
    family.slow < SLOW_OR_HOLLOW &&
    family.hollow < SLOW_OR_HOLLOW &&
    family.cast < 2
  )
}

const NOWHERE: readonly string[] = []

const MAX_CLEARINGS = 4

/** What may be stopped is put on trial. */
function suspect(
  memory: SiteMemory,
  traps: OpenTraps,
  proven: readonly PatternFinding[],
  page: PageFacts,
  trusted: (rule: string) => boolean,
): void {
  for (const finding of proven) {
    const { pattern, rule } = finding
    if (!mayStop(pattern) || trusted(rule) || isCovered(pattern, traps.suspects)) continue
    if (isAtTruce(traps, pattern, memory)) continue
    // Chance words have cleared it so often, and near-identical pages go on: their growth alone decides.
    const proof = timesCleared(traps, pattern) >= MAX_CLEARINGS ? 'growth' : finding.proof
    // Of a parameter of the whole site other pages are remembered, too.
    const own = finding.examples.filter((example) => isOfPattern(pattern, example))
    const examples = own.length > 0 ? own : [shorten(page.path)]
    const suspects = addSuspect(traps.suspects, { ...finding, proof, examples }, page.at, wordsOfFinding(page))
    if (suspects === undefined) continue
    traps.suspects = suspects
    // What was counted of it is told in the evidence: its row makes room.
    forget(traps, pattern)
  }
}

function tellSoft404(page: PageFacts): TrapFindings {
  const evidence = 'a name that cannot exist was answered with a page, and other URLs give the same page'
  return { rule: 'soft-404', evidence, examples: [page.path.slice(0, 200)] }
}

function tellCommon(page: PageFacts, { urls }: Commonness): TrapFindings {
  const evidence = `${urls} URLs of several patterns gave one text, letter by letter`
  return { rule: 'few-contents', evidence, examples: [page.path.slice(0, 200)] }
}

function tellEchoes(page: PageFacts, echoes: number, fetched: number): TrapFindings {
  const evidence = `${echoes} of ${fetched} pages had a text that was there before: links of such pages are not followed`
  return { rule: 'copies', evidence, examples: [page.path.slice(0, 200)] }
}

function tellLost({ pattern, examples }: Family, lost: number): TrapFindings {
  const evidence = `links of pages ${pattern} that lead only to fresh ones are not followed, after ${lost} such pages`
  return { rule: 'maze', evidence, examples: [...examples] }
}
