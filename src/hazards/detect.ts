/**
 * Every page that was answered goes through here: the site's limits, then the detectors of traps, each in a file of its own.
 * A fold, (memory, page) → (memory, verdicts): nothing but the site's memory is known of what was before.
 */
import type { SiteMemory } from '../visit/site-memory.ts'
import type { TrapMemory } from '../visit/trap-memory.ts'
import { contentOf, mark } from './content.ts'
import { countPage, isCertain, ordinalOf, remember } from './count-page.ts'
import { isSlow, judgePace } from './drip-feed.ts'
import { type Family, openFamilies } from './family.ts'
import { type Commonness, countContent } from './few-contents.ts'
import type { Finding, Sight } from './finding.ts'
import { judgeGrowth } from './growing-url.ts'
import { type HazardLimits, judgeSite, refusesWaiting } from './limits.ts'
import { countLinks, type LinkCensus } from './link-census.ts'
import { judgeFolder, judgeForm } from './near-duplicates.ts'
import type { PageFacts } from './page-facts.ts'
import { countParameters, judgeParameters } from './parameters.ts'
import { patternOf } from './pattern.ts'
import { countRepeats, judgeRepeats } from './repeats.ts'
import { isSoft404, judgeHollow, learnAnswer } from './soft-404.ts'
import { addStopped, countStopped, findStopped, mayStop } from './stopped.ts'
import { suspicionOf } from './suspicion.ts'
import { judgeMaze } from './tarpit.ts'

export interface HazardOptions extends HazardLimits {
  /** The operator knows better: this rule stops nothing on this site. Site limits by the name before the number. */
  trusted(rule: string): boolean
}

export interface TrapVerdict {
  rule: string
  evidence: string
  pattern?: string
  examples: string[]
}

export interface PageJudgement {
  memory: SiteMemory
  verdicts: TrapVerdict[]
  /** Ask once, politely, for a name that cannot exist, and hand its answer to `learnProbe`. */
  probe?: 'soft-404'
  /** False: its links are not to be followed. */
  follow: boolean
}

export function judgePage(memory: SiteMemory, page: PageFacts, options: HazardOptions): PageJudgement {
  const limited = judgeSite(memory, page, options)
  const verdicts: TrapVerdict[] = []
  let next = limited.memory
  if (limited.verdict !== undefined) {
    const { rule, evidence } = limited.verdict
    // Trusted: as if the limit were not there, and told of no more.
    if (options.trusted(nameOf(rule))) next = withoutStop(next)
    else verdicts.push({ rule, evidence, examples: [page.path.slice(0, 200)] })
  }
  const traps = next.traps ?? { stopped: [] }
  // A page of a trap that was on its way when the trap was found says nothing more.
  const stopped = findStopped(traps.stopped, page.path, (rule) => !options.trusted(rule))
  if (stopped !== undefined) return { memory: next, verdicts, follow: true }
  const judged = judgeTraps(next, traps, page, options)
  verdicts.push(...judged.verdicts)
  const probe = judged.probe ? { probe: 'soft-404' as const } : {}
  return { memory: { ...next, traps: judged.traps }, verdicts, follow: judged.follow, ...probe }
}

/**
 * The rule by which a URL that waits, or a link before it is queued, is not asked for; and the pattern it belongs to, '' for
 * the whole site. What nobody linked to (seeds, home pages: depth 0) is asked for in any case.
 */
export function refusalOf(
  memory: SiteMemory,
  path: string,
  depth: number,
  options: Pick<HazardOptions, 'trusted'>,
): { rule: string; pattern: string } | undefined {
  if (depth <= 0) return undefined
  const site = refusesWaiting(memory, { depth })
  if (site !== undefined && !options.trusted(nameOf(site))) return { rule: site, pattern: '' }
  if (memory.traps === undefined) return undefined
  const stopped = findStopped(memory.traps.stopped, path, (rule) => !options.trusted(rule))
  return stopped === undefined ? undefined : { rule: stopped.rule, pattern: stopped.pattern }
}

/** What the name that cannot exist gave. */
export function learnProbe(memory: SiteMemory, answer: { status: number; content?: PageFacts['content'] }): SiteMemory {
  const traps = memory.traps ?? { stopped: [] }
  return { ...memory, traps: { ...traps, probe: learnAnswer(answer.status, answer.content) } }
}

/** A URL of a stopped pattern was not asked for. */
export function countRefused(memory: SiteMemory, pattern: string): SiteMemory {
  if (memory.traps === undefined || pattern === '') return memory
  return { ...memory, traps: countStopped(memory.traps, pattern) }
}

interface TrapJudgement {
  traps: TrapMemory
  verdicts: TrapVerdict[]
  probe: boolean
  follow: boolean
}

function judgeTraps(memory: SiteMemory, traps: TrapMemory, page: PageFacts, options: HazardOptions): TrapJudgement {
  const pattern = patternOf(page.path)
  const content = page.content === undefined ? undefined : contentOf(page.content)
  const census = countLinks(page.path, pattern, page.links, traps.navigation ?? [])
  const common = content && countContent(traps.contents, content, mark(pattern.form), isCertain(page))
  const isHome = page.depth === 0 || page.path === '/'
  const soft = !isHome && isSoft404(traps.probe, page, content) && !options.trusted('soft-404')
  const hollow = soft || (!isHome && common?.common === true && !options.trusted('few-contents'))
  const slow = isSlow(page)
  const pace = countPace(traps, slow)

  const now = memory.fetched
  const families = openFamilies(traps, now)
  const counted = { page, content, census, ordinal: ordinalOf(page.path), slow, hollow, now }
  const form = families.of(pattern.form)
  countPage(form, census.form, counted)
  const folders = pattern.folders.map((folder) => families.of(folder))
  for (let at = 0; at < folders.length; at++) countPage(folders[at], census.folders[at], counted)
  const place = placeFamily(pattern, census, families.of)
  if (place !== undefined) countInPlace(place, counted, pattern.names)
  const isNew = content !== undefined && form.streak === 0 && !hollow
  if (isNew) vouch(census, now, families.of)
  const repeats = countRepeats(traps.repeats, page.path, content === undefined || (isNew && common?.seen !== true))

  const sight: Sight = { page, pattern, content, census, form, folders, suspicion: suspicionOf(memory) }
  const findings: Finding[] = []
  if (!isHome) {
    const first = judgeRepeats(repeats, sight) ?? judgeForms(sight, pace)
    if (first !== undefined) findings.push(first)
    else if (place !== undefined && pattern.names.length > 0)
      findings.push(...judgeParameters(place, pattern.place, sight))
  }
  const known = new Set(traps.stopped.map((one) => one.pattern))
  const stops = findings.filter(
    ({ pattern, rule }) => mayStop(pattern) && !known.has(pattern) && !options.trusted(rule),
  )
  const verdicts: TrapVerdict[] = stops.map((one) => ({ ...one, examples: [...one.examples] }))
  let next: TrapMemory = { ...traps, families: families.close(), pace, navigation: census.marks }
  if (repeats !== undefined) next.repeats = repeats
  if (common !== undefined) next.contents = common.contents
  for (const stop of stops) next = forget(addStopped(next, stop, page.at), stop.pattern)

  const probe = traps.probe === undefined && (common?.seen === true || sight.suspicion > 0)
  if (probe) next.probe = {}
  if (soft && traps.probe?.told !== true) {
    next.probe = { ...traps.probe, told: true }
    verdicts.push(tellSoft404(page))
  }
  if (common?.becameCommon && !options.trusted('few-contents')) verdicts.push(tellCommon(page, common))
  return { traps: next, verdicts, probe, follow: !soft }
}

function judgeForms(sight: Sight, pace: [number, number]): Finding | undefined {
  const { form, folders } = sight
  const byForm =
    judgePace(form, pace) ?? judgeHollow(form) ?? judgeForm(sight) ?? judgeGrowth(form, sight) ?? judgeMaze(sight)
  if (byForm !== undefined) return byForm
  for (const folder of folders) {
    const found =
      judgePace(folder, pace) ?? judgeHollow(folder) ?? judgeFolder(folder, sight) ?? judgeGrowth(folder, sight)
    if (found !== undefined) return found
  }
  return undefined
}

/** All URLs of the page with parameters, whichever: counted on those that have some, and on the page without if it links to them. */
function placeFamily(
  { place, names }: { place: string; names: readonly string[] },
  census: LinkCensus,
  of: (pattern: string) => Family,
): Family | undefined {
  return names.length > 0 || census.place.count > 0 ? of(`${place}?**`) : undefined
}

function countInPlace(family: Family, counted: Parameters<typeof countPage>[2], names: readonly string[]): void {
  if (names.length === 0) {
    if (counted.content !== undefined) remember(family, counted.content)
    return
  }
  const kinds = family.kinds
  countPage(family, counted.census.place, counted)
  if (counted.content !== undefined) countParameters(family, counted.page.path, names, family.kinds > kinds)
}

/** So many fresh links into one family make a list, and the families of a page's few largest lists are remembered. */
const LEAST_LIST = 3
const MOST_LISTS = 4

/** What a new page lists is meant to be read, as long as it is not of its own kind. */
function vouch({ elsewhere }: LinkCensus, now: number, of: (pattern: string) => Family): void {
  const lists = [...elsewhere].filter(([, links]) => links >= LEAST_LIST)
  for (const [pattern, links] of lists.sort((a, b) => b[1] - a[1]).slice(0, MOST_LISTS)) {
    const family = of(pattern)
    family.vouched += links
    family.at = now
  }
}

function countPace({ pace: [usual, slow] = [0, 0] }: TrapMemory, isSlow: boolean): [number, number] {
  return isSlow ? [usual, slow + 1] : [usual + 1, slow]
}

/** What was counted of a stopped pattern is told; its row makes room. */
function forget(traps: TrapMemory, pattern: string): TrapMemory {
  return { ...traps, families: traps.families?.filter(([name]) => name !== pattern) }
}

function tellSoft404(page: PageFacts): TrapVerdict {
  const evidence = 'a name that cannot exist was answered with a page, and other URLs give the same page'
  return { rule: 'soft-404', evidence, examples: [page.path.slice(0, 200)] }
}

function tellCommon(page: PageFacts, { urls }: Commonness): TrapVerdict {
  const evidence = `${urls} URLs of several patterns gave one text, letter by letter`
  return { rule: 'few-contents', evidence, examples: [page.path.slice(0, 200)] }
}

/** `site-urls>=5000` is the rule `site-urls`. */
function nameOf(rule: string): string {
  return rule.split(/[<>=]/, 1)[0]
}

function withoutStop({ stopped: _, ...memory }: SiteMemory): SiteMemory {
  return memory
}
