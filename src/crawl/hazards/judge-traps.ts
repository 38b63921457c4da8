/** A page in the light of all that the site's memory has of its families: counted, then judged by each detector. */
import type { SiteMemory } from '../../contracts/site-memory.ts'
import type { TrapMemory } from '../../contracts/trap-memory.ts'
import { countAliases, judgeAliases } from './aliases.ts'
import { type Cast, countCast, isEndless, judgeCast } from './casts.ts'
import { appended } from './columns.ts'
import { type Content, contentOf, textMark } from './content.ts'
import {
  type Counted,
  countListed,
  countPage,
  isCertain,
  isLinkedText,
  isLost,
  MAX_KINDS_OF_A_FOLDER,
  ordinalOf,
  remember,
} from './count-page.ts'
import type { TrapFindings } from './detect.ts'
import { isSlow, judgePace } from './drip-feed.ts'
import { type Family, freshFamily, openRow, shorten, withExample } from './family.ts'
import { isAhead, judgeFuture } from './far-future.ts'
import { type Commonness, countContent } from './few-contents.ts'
import { judgeWords } from './few-words.ts'
import { hasRest, type PatternFinding, type Sight } from './finding.ts'
import { judgeGrowth } from './growing-url.ts'
import { addKnown, isKnown } from './known-pages.ts'
import { countLinks, type LinkCensus } from './link-census.ts'
import { mark } from './marks.ts'
import { judgeFolder, judgeForm } from './near-duplicates.ts'
import { type OpenFamilies, openFamilies, takenBy } from './open-families.ts'
import type { PageFacts } from './page-facts.ts'
import { countParameters, countSiteParameters, judgeParameters, judgeSiteParameters } from './parameters.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { countRepeats, isAliasOfRepeats, judgeRepeats } from './repeats.ts'
import { isSoft404, judgeHollow } from './soft-404.ts'
import { ANYWHERE, addSuspect, findSuspect, isCovered, isNamedBySuspect, isOfPattern, mayStop } from './suspects.ts'
import { suspicionOf } from './suspicion.ts'
import { isBareForGood, isLostForGood, judgeMaze } from './tarpit.ts'
import { isAtTruce, timesCleared, wordsOfFinding } from './trial.ts'

export interface TrapJudgement {
  traps: TrapMemory
  findings: TrapFindings[]
  probe: boolean
  follow: boolean
  lists: boolean
}

/** `memory` has counted the page already. */
export function judgeTraps(
  memory: SiteMemory,
  traps: TrapMemory,
  page: PageFacts,
  trusted: (rule: string) => boolean,
): TrapJudgement {
  const pattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const certain = isCertain(page)
  const via = page.generation > 0 && page.via !== undefined ? patternOf(page.via) : undefined
  const census = countLinks(page.path, pattern, page.links, traps.navigation ?? NO_MARKS, via)
  const common = content && countContent(traps.contents, content, mark(pattern.form), certain)
  const isHome = page.depth === 0 || page.path === '/'
  const soft = !isHome && isSoft404(traps.probe, page, content) && !trusted('soft-404')
  const [novel, closing, length] = traps.novel ?? NOTHING_NEW
  const empty = content !== undefined && common?.common === true && !isLinkedText(content, census) && hasRest(novel, 1)
  const hollow = soft || (!isHome && ((empty && !trusted('few-contents')) || isSentIntoATrap(page, traps, trusted)))
  const text = content !== undefined && certain ? textMark(content) : undefined
  const seen = text !== undefined && traps.texts?.includes(text) === true
  const slow = isSlow(page)
  const compared = content !== undefined && certain && !isHome
  const aliases = compared ? countAliases(traps, page.path, pattern, content, page.links, !seen) : undefined

  const now = memory.fetched
  const families = openFamilies(traps, now)
  const repeated = content !== undefined && isAliasOfRepeats(traps.known ?? '', page.path, content)
  const alias = aliases?.isAlias === true || repeated
  const known = content !== undefined && pattern.names.length > 1 && isKnown(traps.known ?? '', page.path, content)
  const cast = compared ? countCast(traps, content, census) : undefined
  const counted: Counted = {
    words: undefined,
    page,
    listed: page.generation === 0 && !(cast !== undefined && isEndless(cast)),
    content,
    census,
    ordinal: ordinalOf(page.path),
    slow,
    hollow,
    missing: soft,
    seen,
    alias: alias || known,
    short: content !== undefined && isShort(content, traps.novel),
    isOfACast: cast?.isOne === true,
    ahead: isAhead(page.path, page.at),
    now,
  }
  const { form, folders, place, site, isNew } = countFamilies(pattern, counted, families)
  // Lists look alike, too; those that do not lead from one to the next (categories, an index from A to Z) have an end.
  const oneKind = census.elsewhere.size <= 2 && census.form.count === 0
  const isList = content !== undefined && !hollow && oneKind && form.growing * 2 < form.pages
  const lists = !alias && !seen && (isList || (isNew && cast?.isCommon !== true))
  const isNovel = isNew && !seen && !alias
  const closes = census.known + census.navigation > 0 || census.homeward
  // Pages that differ in a name only may name what was not found.
  const isNearError = (common?.seen === true || cast?.isOne === true) && content!.words < LONGEST_ERROR
  const repeats = countRepeats(
    traps.repeats,
    page.path,
    content === undefined || (isNew && common?.seen !== true && !repeated),
  )

  const isBare = content !== undefined && isLost({ count: census.fresh }, census, page.crossSite)
  const [bareBefore, ...bareForms] = traps.bare ?? [0]
  const bare = isBare ? bareBefore + 1 : Math.max(0, bareBefore - 2)
  const formMark = mark(pattern.form)

  const closed = families.close()
  // Every field, each time in this order: thousands of these are in memory, and all have one shape.
  const next: TrapMemory = {
    suspects: traps.suspects,
    cleared: traps.cleared,
    novel: isNovel ? [novel + 1, closing + (closes ? 1 : 0), length + content!.length] : traps.novel,
    casts: cast === undefined ? traps.casts : cast.casts,
    alike: isNearError ? (traps.alike ?? 0) + 1 : traps.alike,
    pace: countPace(traps, slow),
    families: closed.families,
    taken: closed.taken,
    forgotten: closed.forgotten,
    contents: common === undefined ? traps.contents : common.contents,
    texts: text === undefined || seen ? traps.texts : appended(traps.texts ?? NO_MARKS, text, MAX_TEXTS),
    copies: content !== undefined && page.duplicate ? (traps.copies ?? 0) + 1 : traps.copies,
    known: content !== undefined && certain ? addKnown(traps.known, page.path, content) : traps.known,
    aliases: aliases !== undefined && aliases.rows.length > 0 ? aliases.rows : traps.aliases,
    echoes: seen && !isHome ? (traps.echoes ?? 0) + 1 : traps.echoes,
    navigation: census.marks,
    repeats,
    bare:
      isBare && !bareForms.includes(formMark)
        ? [bare, ...appended(bareForms, formMark, MAX_BARE_FORMS)]
        : bare === bareBefore
          ? traps.bare
          : [bare, ...bareForms],
    probe: traps.probe,
    reportedRules: traps.reportedRules,
  }

  const [all, leading] = next.novel ?? NOTHING_NEW
  const suspicion = suspicionOf(memory)
  const isAlone = via === undefined || via.form === pattern.form || isNamedBySuspect(page.via, traps.suspects)
  const partner = isAlone ? undefined : familyOf(traps, via.form)
  const sight: Sight = {
    page,
    pattern,
    content,
    census,
    form,
    folders,
    partner,
    novel: all,
    closing: leading,
    suspicion,
  }
  const proven: PatternFinding[] = []
  if (!isHome) {
    if (aliases?.isAlias) proven.push(...judgeAliases(aliases, sight))
    const first =
      proven.length > 0 ? undefined : (judgeRepeats(repeats, repeated, sight) ?? judgeForms(sight, next.pace!, cast))
    if (first !== undefined) proven.push(first)
    else if (proven.length === 0 && place !== undefined) proven.push(...judgeParameters(place, pattern.place, sight))
    // A parameter that was stopped here already must not hide another.
    if (site !== undefined) proven.push(...judgeSiteParameters(site, sight))
  }
  suspect(memory, next, proven, page, trusted)
  const findings: TrapFindings[] = []
  const worthAsking = ALIKE_BEFORE_THE_PROBE[hasRest(all, 0) ? 'beside' : 'alone']
  // In a trial, pages that echo the name they did not find would seem to have words of their own.
  const isAlike = (next.alike ?? 0) >= worthAsking || next.suspects.some(({ proof }) => proof === 'text')
  const probe = traps.probe === undefined && isAlike
  if (probe) next.probe = {}
  const echo =
    seen && !isHome && content !== undefined && isEchoing(memory, next) && isEcho(content, census) && !trusted('copies')
  const isLostHere = isLostForGood(form, sight) && isLost(census.form, census, page.crossSite)
  // A tree leads from each of its levels into a family of its own; a maze comes back to those that it had.
  const isCircling = () => [...census.elsewhere].some((form) => bareForms.includes(mark(form)))
  const isLostAnywhere = isBare && isBareForGood(bare, sight) && isCircling()
  const lost = (isLostHere || isLostAnywhere) && !trusted('maze')
  const isSuspect = next.suspects !== traps.suspects
  const tell = (finding: TrapFindings) => {
    if (traps.reportedRules?.includes(finding.rule)) return
    findings.push(finding)
    next.reportedRules = [...(next.reportedRules ?? []), finding.rule]
  }
  if (soft) tell(tellSoft404(page))
  if (empty && !trusted('few-contents')) tell(tellCommon(page, common))
  if (echo) tell(tellEchoes(page, next.echoes ?? 0, now))
  if (lost && !isSuspect) tell(tellLost(form, isLostHere ? form.lost : bare))
  return { traps: next, findings, probe, follow: !soft && !lost && !echo, lists: lists && !hollow && !isSuspect }
}

function familyOf({ families }: TrapMemory, pattern: string): Family {
  const row = families?.find(([name]) => name === pattern)
  return row === undefined ? freshFamily(pattern) : openRow(row)
}

const NO_MARKS: readonly number[] = []
const NOTHING_NEW: NonNullable<TrapMemory['novel']> = [0, 0, 0]

/** Error pages are short; so many near ones, and it is worth a request to know what the site says of names that do not exist. */
const LONGEST_ERROR = 400
const ALIKE_BEFORE_THE_PROBE = { beside: 2, alone: 8 }

/** A redirect to what is followed no more, such as the page that says that nothing was found, is no better than that. */
function isSentIntoATrap(
  { outcome, links }: PageFacts,
  { suspects }: TrapMemory,
  trusted: (rule: string) => boolean,
): boolean {
  if (outcome !== 'moved' || links.length === 0 || suspects.length === 0) return false
  return links.every(({ path }) => findSuspect(suspects, path, trusted)?.stopped)
}

/** A third of what the site's new pages have to say. */
function isShort({ length }: Content, [pages, , all]: NonNullable<TrapMemory['novel']> = [0, 0, 0]): boolean {
  return length * 3 * pages < all
}

/** Families whose pages lead only to fresh ones: the last of them are remembered. */
const MAX_BARE_FORMS = 8

/** Texts that are known again, whatever page they are on. */
const MAX_TEXTS = 200

/** So many pages, and such a share of the site's, whose texts were there before: more of their links bring more of them. */
const ECHOES = 60
const SHARE_OF_ECHOES = 0.85
/** Below, pages with different links may well have one text. */
const FEWEST_WORDS_OF_AN_ECHO = 20

function isEchoing({ fetched }: SiteMemory, { echoes = 0, novel: [novel] = [0, 0, 0] }: TrapMemory): boolean {
  return echoes >= ECHOES && echoes >= fetched * SHARE_OF_ECHOES && hasRest(novel, 0)
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

function countFamilies(pattern: UrlPattern, counted: Counted, families: OpenFamilies): PageFamilies {
  const { census, content } = counted
  const form = families.of(pattern.form)
  const isNew = countForm(form, counted)
  const folders = countFolders(pattern, counted, families)
  if (pattern.names.length === 0) {
    // What the page says without parameters is nothing new with them.
    if (census.place.count > 0 && content !== undefined) remember(families.of(`${pattern.place}?**`), content)
    return { form, folders, place: undefined, site: undefined, isNew }
  }
  const place = families.of(`${pattern.place}?**`)
  const site = families.of(`${ANYWHERE}?**`)
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
function countFolders({ folders }: UrlPattern, counted: Counted, families: OpenFamilies): Family[] {
  const shallowestFirst: Family[] = []
  const { listed } = counted
  const { via } = counted.page
  const from = !listed || via === undefined || folders.length === 0 ? NOWHERE : patternOf(via).folders
  for (let at = folders.length - 1; at >= 0; at--) {
    const family = families.of(folders[at])
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

function countPace({ pace: [usual, slow] = [0, 0] }: TrapMemory, isSlow: boolean): [number, number] {
  return isSlow ? [usual, slow + 1] : [usual + 1, slow]
}

const MAX_CLEARINGS = 4

/** What may be stopped is put on trial. `traps` is still being made. */
function suspect(
  memory: SiteMemory,
  traps: TrapMemory,
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
    traps.families = traps.families?.filter(([name]) => name !== pattern)
    traps.taken = takenBy(traps.families ?? [])
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
