import { signed64 } from '../../base/digest.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import { isOwnLink, learntAlias } from '../aliases.ts'
import type { PartResult } from '../contract.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import { ALL_PARTS, keyOf, type SiteRow, sitesOf } from '../rules/site.ts'
import type { UrlAt } from '../rules/spellings.ts'
import { applyPart, isQueued, type PartOperations, partResultOf } from '../rules/visit.ts'
import { enterLinks, finish, readForLinks, type Sifted, sift, sitesTouched } from './admit.ts'
import { ANYWHERE } from './affinity.ts'
import { learnWildcards } from './domains.ts'
import { enqueue } from './enqueue.ts'
import { type MissingPage, markPages } from './mark-pages.ts'
import { dropAliasesOf, moveRested } from './move-waiting.ts'
import { learnNearness } from './nearness.ts'
import { reviveAtAliases } from './replaced.ts'
import { readSites, type SharedSite } from './site-rows.ts'
import { enterSpelling, rowsOfLinks, waitingIndex } from './spellings.ts'
import type { WorkingSet } from './working-set.ts'

/** The parts of a site in their order, and those that are applied. */
interface Group {
  key: bigint
  members: readonly VisitReport[]
  results: ReadonlyMap<VisitReport, PartResult>
  applied: readonly VisitReport[]
}

/** Of what a visit found, the links into its own site. */
type OwnLinks = ReadonlyMap<VisitReport, readonly Link[]>

/**
 * Applies the parts of each site in their order, and all cross-site links together. The sites' rows, read without a lock,
 * tell which parts will be applied and which sites they link to, so that all sites are locked at once and in order. When the
 * rows have changed before they are locked, which is rare, this is determined again.
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
  const expectedLinks = await sift(working, crossSiteOf(expected, own), false)
  await working.sites.lock([...keys, ...sitesTouched(expectedLinks), ...namesTouched(working, expected)])
  const groups = judgeAll((key) => working.sites.get(key))
  const isExpected = sameParts(expected, groups)
  if (!isExpected) {
    working.names.takeBack()
    await learnAliases(working, appliedOf(groups))
    own = ownOf(working, groups)
  }
  const sifted = isExpected ? expectedLinks : await sift(working, crossSiteOf(groups, own), false)
  await working.sites.make(sifted.groups, working.now)
  // Before the links that depend on it.
  await learnWildcards(working, appliedOf(groups))
  await Promise.all([
    working.readUrls(rowsOf(working, groups)),
    readForLinks(working, sifted, false),
    ...groups.filter(hasWithdrawn).map(({ key }) => working.urls.readHeld(key)),
  ])
  await working.readUrls(rowsOfWaiting(working, groups))
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
      missing.push(...markPages(working, site, part.pages))
      learnConnection(site, part)
      applyPart(working, site, part, own.get(part) ?? [], OPERATIONS)
      memory = laterNews(memory, part.memory)
    }
    if (memory === undefined) continue
    working.memory.record(key, memory)
    if (site.worker === null) resting.push(site)
  }
  await enterLinks(working, sifted, false)
  if (!working.names.isEmpty) await reviveAtAliases(working, missing)
  await finish(working, sifted)
  // Last, when the rows of all sites are final.
  if (!working.names.isEmpty) await moveOrDropAliases(working, resting)
  const results = new Map(groups.flatMap((group) => [...group.results]))
  return parts.map((part) => results.get(part)!)
}

/** How long the visit took to connect from its region. Where a visit that was given up for lost ran is not known. */
function learnConnection(site: SharedSite, { ended, courtesy: { connectMs } }: VisitReport): void {
  if (ended !== undefined && site.worker !== null && site.region !== ANYWHERE && connectMs !== undefined)
    learnNearness(site, site.region, connectMs)
}

/** What becomes of each part when they are applied one after the other. */
function judge({ key, members }: { key: bigint; members: readonly VisitReport[] }, site: SiteRow | undefined): Group {
  const results = new Map<VisitReport, PartResult>()
  const applied: VisitReport[] = []
  const state = site === undefined ? undefined : { key, fence: site.fence, part: site.part }
  for (const part of members) {
    const result = state === undefined ? 'stale' : partResultOf(state, part)
    results.set(part, result)
    if (state === undefined || result !== 'applied') continue
    applied.push(part)
    state.part = part.ended === undefined ? part.part : ALL_PARTS
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

/** Learnt aliases of these sites, where a missing page may be, and their originals, which get what waits. */
function namesTouched(working: WorkingSet, groups: readonly Group[]): bigint[] {
  if (working.names.isEmpty) return []
  const sites = appliedOf(groups).flatMap(({ site, pages, ended }) => {
    const isMissing = pages.some(({ outcome }) => markOf(outcome) === NOT_FOUND)
    const original = ended === undefined ? undefined : working.names.originalOf(site)?.site
    return [...(isMissing ? working.names.learntNamesOf(site) : []), ...(original === undefined ? [] : [original])]
  })
  return sites.map(keyOf)
}

/** Determined once: an alias that others learn meanwhile would make a link neither the site's own nor cross-site. */
function ownOf(working: WorkingSet, groups: readonly Group[]): OwnLinks {
  const parts = appliedOf(groups)
  return new Map(parts.map((part) => [part, part.found.filter((link) => isOwnLink(working.renaming, part.site, link))]))
}

/** A link that is not the site's own goes where it belongs, under the pause of its own site. */
function crossSiteOf(groups: readonly Group[], own: OwnLinks): Link[] {
  return appliedOf(groups).flatMap((part) => {
    const owned = new Set(own.get(part))
    return [...part.found.filter((link) => !owned.has(link)), ...part.crossSite]
  })
}

function rowsOf(working: WorkingSet, groups: readonly Group[]): UrlAt[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages, found }) => rowsOfLinks(working, site, [...pages.filter(isQueued), ...found])),
  )
}

/** The rows at which what waits under another name of the page's folder may be entered. */
function rowsOfWaiting(working: WorkingSet, groups: readonly Group[]): UrlAt[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages }) =>
      pages.filter(isQueued).flatMap((page) => {
        const other = waitingIndex(working.tools.urls, working.urls.get(site, signed64(page.key)), page)
        return other === undefined ? [] : rowsOfLinks(working, site, [{ url: other.url, key: page.key }])
      }),
    ),
  )
}

const OPERATIONS: PartOperations<WorkingSet, SharedSite> = {
  enqueue,
  enterSpelling,
  requeue(working, site) {
    for (const row of working.urls.heldOf(site.key)) {
      row.mark = WAITING
      row.due_at = Math.max(1, working.now)
      site.waiting++
      working.urls.change(row)
    }
  },
}

const hasWithdrawn = ({ applied }: Group) => applied.some(({ learnt }) => learnt?.requeue)

/** After a visit: what waits at an alias moves to the original; an original that was given up loses its aliases. */
async function moveOrDropAliases(working: WorkingSet, resting: readonly SiteRow[]): Promise<void> {
  await moveRested(working, resting)
  for (const { name, state } of resting)
    if (state === 'barred' && working.names.originalOf(name) === undefined) await dropAliasesOf(working, name)
  await working.flush()
}

/** Home pages tell that their sites are aliases. */
async function learnAliases(working: WorkingSet, parts: readonly VisitReport[]): Promise<void> {
  const learnt = parts.flatMap((part) => learntAlias(part) ?? [])
  if (learnt.length === 0) return
  const keys = learnt.map(({ original }) => keyOf(original))
  const originals = await readSites(working.tx, keys)
  for (const alias of learnt)
    working.names.add(alias, working.now, (original) => originals.get(keyOf(original))?.state === 'barred')
}
