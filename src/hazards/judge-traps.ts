/** A page in the light of all that the site's memory has of its families: counted, then judged by each detector. */
import type { SiteMemory } from '../visit/site-memory.ts'
import type { TrapMemory } from '../visit/trap-memory.ts'
import { countAliases, judgeAliases } from './aliases.ts'
import { type Cast, countCast, judgeCast } from './casts.ts'
import { type Content, contentOf, mark, mix } from './content.ts'
import {
  type Counted,
  countPage,
  isCertain,
  isLinkedText,
  isLost,
  MOST_KINDS_OF_A_FOLDER,
  ordinalOf,
  remember,
} from './count-page.ts'
import type { TrapVerdict } from './detect.ts'
import { isSlow, judgePace } from './drip-feed.ts'
import { type Family, type OpenFamilies, openFamilies, withExample } from './family.ts'
import { isAhead, judgeFuture } from './far-future.ts'
import { type Commonness, countContent } from './few-contents.ts'
import { judgeWords, wordsOf } from './few-words.ts'
import { type Finding, hasRest, type Sight } from './finding.ts'
import { judgeGrowth } from './growing-url.ts'
import { addKnown, isKnown } from './known-pages.ts'
import { countLinks, type LinkCensus } from './link-census.ts'
import { judgeFolder, judgeForm } from './near-duplicates.ts'
import type { PageFacts } from './page-facts.ts'
import { countParameters, countSiteParameters, judgeParameters, judgeSiteParameters } from './parameters.ts'
import { patternOf, type UrlPattern } from './pattern.ts'
import { countRepeats, judgeRepeats } from './repeats.ts'
import { isSoft404, judgeHollow } from './soft-404.ts'
import { ANYWHERE, addStopped, findStopped, isCovered, mayStop } from './stopped.ts'
import { suspicionOf } from './suspicion.ts'
import { isLostForGood, judgeMaze } from './tarpit.ts'

export interface TrapJudgement {
  traps: TrapMemory
  verdicts: TrapVerdict[]
  probe: boolean
  follow: boolean
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
  const census = countLinks(page.path, pattern, page.links, traps.navigation ?? [])
  const common = content && countContent(traps.contents, content, mark(pattern.form), isCertain(page))
  const isHome = page.depth === 0 || page.path === '/'
  const soft = !isHome && isSoft404(traps.probe, page, content) && !trusted('soft-404')
  const [novel, closing, length] = traps.novel ?? [0, 0, 0]
  const empty = content !== undefined && common?.common === true && !isLinkedText(content, census) && hasRest(novel, 1)
  const hollow = soft || (!isHome && ((empty && !trusted('few-contents')) || isSentIntoATrap(page, traps, trusted)))
  const text = content !== undefined && isCertain(page) ? textMark(content) : undefined
  const seen = text !== undefined && traps.texts?.includes(text) === true
  const slow = isSlow(page)
  const compared = content !== undefined && isCertain(page) && !isHome
  const aliases = compared ? countAliases(traps, page.path, pattern, content, page.links, !seen) : undefined

  const now = memory.fetched
  const families = openFamilies(traps, now)
  const short = content !== undefined && isShort(content, traps.novel)
  const alias = aliases?.isAlias === true
  const known = content !== undefined && pattern.names.length > 1 && isKnown(traps.known ?? '', page.path, content)
  const cast = compared ? countCast(traps, content, census) : undefined
  const isOfACast = cast?.isOne === true
  const ahead = isAhead(page.path, page.at)
  const ordinal = ordinalOf(page.path)
  const words = wordsOf(page.path)
  const counted: Counted = {
    words,
    page,
    content,
    census,
    ordinal,
    slow,
    hollow,
    seen,
    alias: alias || known,
    short,
    isOfACast,
    ahead,
    now,
  }
  const { form, folders, place, site } = countFamilies(pattern, counted, families)
  const isNew = content !== undefined && form.streak === 0 && !hollow
  // Lists look alike, too; those that do not lead from one to the next (categories, an index from A to Z) have an end.
  const oneKind = census.elsewhere.size <= 2 && census.form.count === 0
  const isList = content !== undefined && !hollow && oneKind && form.growing * 2 < form.pages
  if (!alias && (isList || (isNew && cast?.isCommon !== true))) vouch(census, now, families)
  const isNovel = isNew && !seen && !alias
  const closes = census.known + census.navigation > 0 || census.homeward

  const next: TrapMemory = { ...traps, pace: countPace(traps, slow), navigation: census.marks }
  const repeats = countRepeats(traps.repeats, page.path, content === undefined || (isNew && common?.seen !== true))
  if (repeats !== undefined) next.repeats = repeats
  if (isNovel) next.novel = [novel + 1, closing + (closes ? 1 : 0), length + content.length]
  if (common?.seen && content!.words < LONGEST_ERROR) next.alike = (traps.alike ?? 0) + 1
  if (common !== undefined) next.contents = common.contents
  if (text !== undefined && !seen) next.texts = [...(traps.texts ?? []).slice(1 - MOST_TEXTS), text]
  if (content !== undefined && isCertain(page)) next.known = addKnown(traps.known, page.path, content)
  if (cast !== undefined) next.casts = cast.casts
  if (aliases !== undefined && aliases.rows.length > 0) next.aliases = aliases.rows
  if (content !== undefined && page.duplicate) next.copies = (traps.copies ?? 0) + 1
  if (seen && !isHome) next.echoes = (traps.echoes ?? 0) + 1
  Object.assign(next, families.close())

  const [all, leading] = next.novel ?? [0, 0]
  const suspicion = suspicionOf(memory)
  const sight: Sight = { page, pattern, content, census, form, folders, novel: all, closing: leading, suspicion }
  const findings: Finding[] = []
  if (!isHome) {
    if (aliases !== undefined) findings.push(...judgeAliases(aliases, sight))
    const first =
      findings.length > 0 ? undefined : (judgeRepeats(repeats, sight) ?? judgeForms(sight, next.pace!, cast))
    if (first !== undefined) findings.push(first)
    else if (findings.length === 0 && place !== undefined)
      findings.push(...judgeParameters(place, pattern.place, sight))
    // A parameter that was stopped here already must not hide another.
    if (site !== undefined) findings.push(...judgeSiteParameters(site, sight))
  }
  const { stopped, verdicts } = stop(next, findings, page, trusted)
  const worthAsking = ALIKE_BEFORE_THE_PROBE[hasRest(all, 0) ? 'beside' : 'alone']
  const probe = traps.probe === undefined && (next.alike ?? 0) >= worthAsking
  if (probe) stopped.probe = {}
  const echoing = isEchoing(memory, next) && !trusted('copies')
  const echo = echoing && seen && !isHome && content !== undefined && isEcho(content, census)
  const lost = isLostForGood(form, sight) && isLost(census.form, census, page.abroad) && !trusted('maze')
  const told = [
    soft ? tellSoft404(page) : undefined,
    empty && !trusted('few-contents') ? tellCommon(page, common) : undefined,
    echo ? tellEchoes(page, next.echoes ?? 0, now) : undefined,
    lost && verdicts.length === 0 ? tellLost(form) : undefined,
  ].filter((verdict) => verdict !== undefined && !traps.told?.includes(verdict.rule)) as TrapVerdict[]
  if (told.length > 0) stopped.told = [...(traps.told ?? []), ...told.map(({ rule }) => rule)]
  return { traps: stopped, verdicts: [...verdicts, ...told], probe, follow: !soft && !lost && !echo }
}

/** Error pages are short; so many near ones, and it is worth a request to know what the site says of names that do not exist. */
const LONGEST_ERROR = 400
const ALIKE_BEFORE_THE_PROBE = { beside: 2, alone: 8 }

/** A redirect to what is followed no more, such as the page that says that nothing was found, is no better than that. */
function isSentIntoATrap(
  { outcome, links }: PageFacts,
  { stopped }: TrapMemory,
  trusted: (rule: string) => boolean,
): boolean {
  if (outcome !== 'moved' || links.length === 0 || stopped.length === 0) return false
  return links.every(({ path }) => findStopped(stopped, path, (rule) => !trusted(rule)) !== undefined)
}

/** A third of what the site's new pages have to say. */
function isShort({ length }: Content, [pages, , all]: NonNullable<TrapMemory['novel']> = [0, 0, 0]): boolean {
  return length * 3 * pages < all
}

/** Texts that are known again, whatever page they are on. */
const MOST_TEXTS = 200

/** 24 bits: by chance one text of 80,000 is taken for one of 200 others. */
function textMark({ text, embeds }: Content): number {
  return mix(text ^ mix(embeds)) >>> 8
}

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
}

function countFamilies(pattern: UrlPattern, counted: Counted, families: OpenFamilies): PageFamilies {
  const { census } = counted
  const form = families.of(pattern.form)
  countPage(form, census.form, counted)
  const folders = countFolders(pattern, counted, families)
  if (pattern.names.length === 0) {
    // What the page says without parameters is nothing new with them.
    if (census.place.count > 0 && counted.content !== undefined) {
      remember(families.of(`${pattern.place}?**`), counted.content)
    }
    return { form, folders, place: undefined, site: undefined }
  }
  const place = families.of(`${pattern.place}?**`)
  const site = families.of(`${ANYWHERE}?**`)
  const { kinds } = place
  countPage(place, census.place, counted)
  if (counted.content !== undefined) {
    countParameters(place, counted.page.path, pattern.names, place.kinds > kinds)
    const idle = counted.seen || counted.alias
    countSiteParameters(site, pattern.place, counted.page.path, !idle)
    site.pages++
    site.at = counted.now
    if (idle) withExample(site, counted.page.path)
  }
  return { form, folders, place, site }
}

/** From the shallowest on; a deeper one only when the one above it shows too much to be stopped as a whole. */
function countFolders({ folders }: UrlPattern, counted: Counted, families: OpenFamilies): Family[] {
  const deepestFirst: Family[] = []
  for (let at = folders.length - 1; at >= 0; at--) {
    const family = families.of(folders[at])
    countPage(family, counted.census.folders[at], counted)
    deepestFirst.unshift(family)
    if (family.kinds <= MOST_KINDS_OF_A_FOLDER) break
  }
  return deepestFirst
}

function judgeForms(sight: Sight, pace: [number, number], cast: Cast | undefined): Finding | undefined {
  const { form, folders } = sight
  const quick = (family: Family) => judgePace(family, pace, sight) ?? judgeHollow(family)
  const endless = (family: Family) =>
    judgeGrowth(family, sight) ??
    judgeFuture(family, sight) ??
    judgeWords(family, sight) ??
    (cast && judgeCast(family, cast, sight))
  const byForm = quick(form) ?? judgeForm(sight) ?? endless(form) ?? judgeMaze(sight)
  if (byForm !== undefined) return byForm
  for (const folder of folders) {
    const found = quick(folder) ?? judgeFolder(folder, sight) ?? endless(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/** So many fresh links into one family make a list, and the families of a page's few largest lists are remembered. */
const LEAST_LIST = 3
const MOST_LISTS = 4

/** What a new page lists is meant to be read, as long as it is not of its own kind. */
function vouch({ elsewhere }: LinkCensus, now: number, families: OpenFamilies): void {
  const lists = [...elsewhere].filter(([, links]) => links >= LEAST_LIST)
  for (const [pattern, links] of lists.sort((a, b) => b[1] - a[1]).slice(0, MOST_LISTS)) {
    const family = families.of(pattern)
    family.vouched += links
    family.at = now
  }
}

function countPace({ pace: [usual, slow] = [0, 0] }: TrapMemory, isSlow: boolean): [number, number] {
  return isSlow ? [usual, slow + 1] : [usual + 1, slow]
}

/** What may be stopped is; what was counted of it is told, so that its row makes room. */
function stop(
  traps: TrapMemory,
  findings: readonly Finding[],
  page: PageFacts,
  trusted: (rule: string) => boolean,
): { stopped: TrapMemory; verdicts: TrapVerdict[] } {
  let stopped = traps
  const verdicts: TrapVerdict[] = []
  for (const finding of findings) {
    const { pattern, rule, evidence, examples } = finding
    if (!mayStop(pattern) || trusted(rule) || isCovered(pattern, stopped.stopped)) continue
    stopped = addStopped(stopped, finding, page.at)
    stopped.families = stopped.families?.filter(([name]) => name !== pattern)
    verdicts.push({ rule, evidence, pattern, examples: [...examples] })
  }
  return { stopped, verdicts }
}

function tellSoft404(page: PageFacts): TrapVerdict {
  const evidence = 'a name that cannot exist was answered with a page, and other URLs give the same page'
  return { rule: 'soft-404', evidence, examples: [page.path.slice(0, 200)] }
}

function tellCommon(page: PageFacts, { urls }: Commonness): TrapVerdict {
  const evidence = `${urls} URLs of several patterns gave one text, letter by letter`
  return { rule: 'few-contents', evidence, examples: [page.path.slice(0, 200)] }
}

function tellEchoes(page: PageFacts, echoes: number, fetched: number): TrapVerdict {
  const evidence = `${echoes} of ${fetched} pages had a text that was there before: links of such pages are not followed`
  return { rule: 'copies', evidence, examples: [page.path.slice(0, 200)] }
}

function tellLost({ lost, pattern, examples }: Family): TrapVerdict {
  const evidence = `links of pages ${pattern} that lead only to fresh ones are not followed, after ${lost} such pages`
  return { rule: 'maze', evidence, examples: [...examples] }
}
