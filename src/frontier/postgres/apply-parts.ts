import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { ANYWHERE } from '../affinity.ts'
import { atOriginal, LONGEST_HOW } from '../aliases.ts'
import type { PartResult } from '../ledger.ts'
import { learnNearness } from '../nearness.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import { ALL_PARTS, type SiteRow, sitesOf, stateAfter } from '../rules/site.ts'
import { bringsSomething, partResultOf } from '../rules/visit.ts'
import { enterLinks, finish, readForLinks, type Sifted, sift, sitesTouched } from './admit.ts'
import { learnWildcards } from './domains.ts'
import { enqueue } from './enqueue.ts'
import { endVisit } from './leases.ts'
import { type MissingPage, markPages } from './mark-pages.ts'
import { dropNamesOf, moveRested } from './move-waiting.ts'
import { reviveUnderNames } from './replaced.ts'
import { readSites, type SharedSite } from './site-rows.ts'
import { enterSpelling, placesOfLinks, waitingIndex } from './spellings.ts'
import type { UrlPlace } from './url-rows.ts'
import { keyOf, type WorkingSet } from './working-set.ts'

/** The parts of a site in their order, those that are to be applied apart. */
interface Group {
  key: bigint
  members: readonly VisitReport[]
  results: ReadonlyMap<VisitReport, PartResult>
  applied: readonly VisitReport[]
}

/** Of what a visit found, the links that its site itself is asked for. */
type OwnLinks = ReadonlyMap<VisitReport, readonly Link[]>

/**
 * Parts of a site in their order, links abroad of all of them in one go. What the sites were a moment ago tells which parts
 * will be applied and so which other sites they lead to: thus all are locked at once, in their order. When that turns out
 * to have changed meanwhile, which is rare, it is told anew.
 */
export async function applyParts(working: WorkingSet, parts: readonly VisitReport[]): Promise<PartResult[]> {
  const grouped = sitesOf(parts)
  for (const { members } of grouped) members.sort((a, b) => a.fence - b.fence || a.part - b.part)
  const keys = grouped.map(({ key }) => key)
  const judgeAll = (siteOf: (key: bigint) => SiteRow | undefined) =>
    grouped.map((group) => judge(group, siteOf(group.key)))
  const [sites] = await Promise.all([readSites(working.tx, keys), working.readNames()])
  const expected = judgeAll((key) => sites.get(key))
  await learnAliases(working, appliedOf(expected))
  let own = ownOf(working, expected)
  const early = await sift(working, crossSiteOf(expected, own), false)
  await working.sites.lock([...keys, ...sitesTouched(early), ...namesTouched(working, expected)])
  const groups = judgeAll((key) => working.sites.get(key))
  const isExpected = sameParts(expected, groups)
  if (!isExpected) {
    working.names.takeBack()
    await learnAliases(working, appliedOf(groups))
    own = ownOf(working, groups)
  }
  const sifted = isExpected ? early : await sift(working, crossSiteOf(groups, own), false)
  await working.sites.make(sifted.groups, working.now)
  // Before links are judged by it.
  await learnWildcards(working, appliedOf(groups))
  await Promise.all([
    working.readUrls(placesOf(working, groups)),
    readForLinks(working, sifted, false),
    ...groups.filter(hasWithdrawn).map(({ key }) => working.urls.readHeld(key)),
  ])
  await working.readUrls(placesOfWaiting(working, groups))
  return applyAll(working, parts, groups, own, sifted)
}

async function applyAll(
  working: WorkingSet,
  parts: readonly VisitReport[],
  groups: readonly Group[],
  own: OwnLinks,
  sifted: Sifted,
): Promise<PartResult[]> {
  const resting: SiteRow[] = []
  const missing: MissingPage[] = []
  for (const { key, applied } of groups) {
    const site = working.sites.get(key)
    let memory: MemoryNews | undefined
    if (site === undefined) continue
    for (const part of applied) {
      missing.push(...applyPart(working, site, part, own.get(part) ?? []))
      memory = laterNews(memory, part.memory)
    }
    if (memory === undefined) continue
    working.memory.tell(key, memory)
    if (site.worker === null) resting.push(site)
  }
  await enterLinks(working, sifted, false)
  if (!working.names.isEmpty) await reviveUnderNames(working, missing)
  await finish(working, sifted)
  // Last, for the rows of all sites are as they will be.
  if (!working.names.isEmpty) await settleNames(working, resting)
  const results = new Map(groups.flatMap((group) => [...group.results]))
  return parts.map((part) => results.get(part)!)
}

/** What becomes of each part when they are applied one after the other. */
function judge({ key, members }: { key: bigint; members: readonly VisitReport[] }, site: SiteRow | undefined): Group {
  const results = new Map<VisitReport, PartResult>()
  const applied: VisitReport[] = []
  const stand = site === undefined ? undefined : { key, fence: site.fence, part: site.part }
  for (const part of members) {
    const result = stand === undefined ? 'stale' : partResultOf(stand, part)
    results.set(part, result)
    if (stand === undefined || result !== 'applied') continue
    applied.push(part)
    stand.part = part.ended === undefined ? part.part : ALL_PARTS
  }
  return { key, members, results, applied }
}

function sameParts(before: readonly Group[], now: readonly Group[]): boolean {
  return now.every(({ applied }, index) => {
    const others = before[index].applied
    return applied.length === others.length && applied.every((part, at) => part === others[at])
  })
}

function appliedOf(groups: readonly Group[]): VisitReport[] {
  return groups.flatMap(({ applied }) => applied)
}

/** Sites that are other names of these, where what is missing may be meant, or their originals, to which what waits goes. */
function namesTouched(working: WorkingSet, groups: readonly Group[]): bigint[] {
  if (working.names.isEmpty) return []
  const sites = appliedOf(groups).flatMap(({ site, pages, ended }) => {
    const isMissing = pages.some(({ outcome }) => markOf(outcome) === NOT_FOUND)
    const original = ended === undefined ? undefined : working.names.originalOf(site)?.site
    return [...(isMissing ? working.names.learntNamesOf(site) : []), ...(original === undefined ? [] : [original])]
  })
  return sites.map(keyOf)
}

/** Told once: names that others learn meanwhile would make a link neither the site's own nor one abroad. */
function ownOf(working: WorkingSet, groups: readonly Group[]): OwnLinks {
  const parts = appliedOf(groups)
  return new Map(parts.map((part) => [part, part.found.filter((link) => isOwn(working, part.site, link))]))
}

/** What a worker calls its own and is not goes where it belongs: under the courtesy of its own site. */
function crossSiteOf(groups: readonly Group[], own: OwnLinks): Link[] {
  return appliedOf(groups).flatMap((part) => {
    const owned = new Set(own.get(part))
    return [...part.found.filter((link) => !owned.has(link)), ...part.crossSite]
  })
}

/** To be asked for at the site itself, not at one whose other name it is. */
function isOwn(working: WorkingSet, site: SiteName, link: Link): boolean {
  if (link.site !== site) return false
  const original = working.names.originalOf(site)
  return original === undefined || atOriginal(working.tools, link, original) === undefined
}

function placesOf(working: WorkingSet, groups: readonly Group[]): UrlPlace[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages, found }) => placesOfLinks(working, site, [...pages.filter(isQueued), ...found])),
  )
}

/** Where what waits under another name of the page's folder may be entered, now that it has been read. */
function placesOfWaiting(working: WorkingSet, groups: readonly Group[]): UrlPlace[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages }) =>
      pages.filter(isQueued).flatMap((page) => {
        const other = waitingIndex(working, working.urls.get(site, signed64(page.key)), page)
        return other === undefined ? [] : placesOfLinks(working, site, [{ url: other.url, key: page.key }])
      }),
    ),
  )
}

const isQueued = ({ ownRequest }: PageReport) => !ownRequest

function applyPart(working: WorkingSet, site: SharedSite, part: VisitReport, own: readonly Link[]): MissingPage[] {
  const missing = markPages(working, site, part.pages)
  const { courtesy } = part
  site.part = part.part
  if (bringsSomething(part.pages)) site.losses = 0
  site.pause = working.tools.learntPause(site, courtesy.pause)
  site.polite_at = Math.max(site.polite_at, working.tools.time.of(courtesy.notBefore))
  if (courtesy.address !== undefined && courtesy.address !== site.address) {
    working.addresses.learn(site, courtesy.address)
    site.holder = ''
  }
  // Others come first, whatever the order says.
  if (part.learnt?.slow !== undefined) site.deferral = Math.max(site.deferral, 1)
  const plain = own.filter(({ spelling }) => !spelling)
  const areNew = enqueue(working, site, plain) === plain.length
  // After them, and after the pages: whether another text is wanted depends on what became of the first. What the visit took
  // for new may be known by now under another name of its folder's index.
  for (const link of own)
    if (link.spelling || (!areNew && working.tools.urls.keyApart(link.url) !== undefined))
      enterSpelling(working, site, link)
  // Of a visit that was given up for lost nobody knows from where it asked.
  if (part.ended !== undefined && site.worker !== null && site.region !== ANYWHERE && courtesy.connectMs !== undefined)
    learnNearness(site, site.region, courtesy.connectMs)
  if (part.learnt?.requeue) requeue(working, site)
  if (part.ended !== undefined) endVisit(working, site, part)
  else if (site.worker === null) goOnWaiting(working, site)
  return missing
}

/** What a finding held back that was withdrawn: behind what was never asked for. */
function requeue(working: WorkingSet, site: SharedSite): void {
  for (const row of working.urls.heldOf(site.key)) {
    row.mark = WAITING
    row.due_at = Math.max(1, working.now)
    site.waiting++
    working.urls.change(row)
  }
  working.sites.change(site)
}

const hasWithdrawn = ({ applied }: Group) => applied.some(({ learnt }) => learnt?.requeue)

/** A part of a visit that was given up for lost, in time: what it did counts, and its site waits on. */
function goOnWaiting(working: WorkingSet, site: SiteRow): void {
  site.lease_until = null
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') working.beginToWait(site)
}

/** After a visit: what waits in another name goes to the original; an original that was given up loses its names. */
async function settleNames(working: WorkingSet, resting: readonly SiteRow[]): Promise<void> {
  await moveRested(
    working,
    resting.map(({ name }) => name),
  )
  for (const { name, state } of resting)
    if (state === 'barred' && working.names.originalOf(name) === undefined) await dropNamesOf(working, name)
  await working.flush()
}

/** Home pages say whose other names their sites are. What comes from outside is checked where it is kept. */
async function learnAliases(working: WorkingSet, parts: readonly VisitReport[]): Promise<void> {
  const learnt = parts.flatMap(({ site, learnt: { alias } = {} }) =>
    alias === undefined || typeof alias.to !== 'string' ? [] : { site, ...alias },
  )
  if (learnt.length === 0) return
  const originals = await readSites(
    working.tx,
    learnt.map(({ to }) => keyOf(to)),
  )
  for (const { site, to, how, https, evidence = '' } of learnt) {
    const words = { how: String(how).slice(0, LONGEST_HOW), evidence: String(evidence) }
    const given = { name: site, original: to, https: https === true, ...words }
    working.names.add(given, working.now, (original) => originals.get(keyOf(original))?.state === 'barred')
  }
}
