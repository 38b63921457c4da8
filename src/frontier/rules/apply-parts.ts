/** Applies report parts: what they say about pages, links and their sites. */
import { signed64 } from '../../base/digest.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { isOwnLink, learntAlias } from '../aliases.ts'
import type { PartResult } from '../contract.ts'
import {
  enqueue,
  enterLinks,
  enterSpelling,
  keepReplaced,
  readForLinks,
  renamingOf,
  requeue,
  sift,
  sitesTouched,
} from './admit.ts'
import { dropAliasesOf, moveRested } from './alias-moves.ts'
import { learnWildcards } from './domains.ts'
import { planSites } from './known-pages.ts'
import { markOf, NOT_FOUND } from './mark.ts'
import { type MissingPage, markPages, reviveAtAliases } from './mark-pages.ts'
import type { Rows, Sifted } from './rows.ts'
import { ALL_PARTS, isGivenUp, restAfter, type SiteRow, sitesOf } from './site.ts'
import { rowsOfLinks, waitingIndex } from './spellings.ts'
import { readHeldBack } from './statements.ts'
import type { UrlAt } from './url-rows.ts'
import { endVisit, isQueued, partResultOf } from './visit.ts'

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
export async function applyParts(rows: Rows, parts: readonly VisitReport[]): Promise<PartResult[]> {
  const grouped = sitesOf(parts)
  for (const { members } of grouped) members.sort((a, b) => a.fence - b.fence || a.part - b.part)
  const keys = grouped.map(({ key }) => key)
  const changing = new Set(keys)
  const judgeAll = (siteOf: (key: bigint) => SiteRow | undefined) =>
    grouped.map((group) => judge(group, siteOf(group.key)))
  const [siteOf] = await Promise.all([rows.peekSites(keys), rows.readNames()])
  const expected = judgeAll(siteOf)
  await learnAliases(rows, appliedOf(expected))
  let own = ownOf(rows, expected)
  const expectedLinks = await sift(rows, crossSiteOf(expected, own), false, changing)
  await rows.breathe()
  await rows.lockSites([...keys, ...sitesTouched(expectedLinks), ...namesTouched(rows, expected)])
  const groups = judgeAll((key) => rows.sites.get(key))
  const isExpected = sameParts(expected, groups)
  if (!isExpected) {
    rows.names.takeBack()
    await learnAliases(rows, appliedOf(groups))
    own = ownOf(rows, groups)
  }
  const sifted = isExpected ? expectedLinks : await sift(rows, crossSiteOf(groups, own), false, changing)
  await rows.makeSites(sifted.groups)
  // Before the links that depend on it.
  await learnWildcards(rows, appliedOf(groups))
  await Promise.all([
    rows.readUrls(() => rowsOf(rows, groups)),
    rows.tools.refresh && rows.looks.read(keys.map((site) => ({ site }))),
    readForLinks(rows, sifted, false),
    ...groups.filter(hasWithdrawn).map(({ key }) => readHeldBack(rows, key)),
  ])
  await rows.breathe()
  await rows.readUrls(() => rowsOfWaiting(rows, groups))
  await applyAll(rows, groups, own, sifted)
  const results = new Map(groups.flatMap((group) => [...group.results]))
  return parts.map((part) => results.get(part)!)
}

async function applyAll(rows: Rows, groups: readonly Group[], own: OwnLinks, sifted: Sifted): Promise<void> {
  const resting: SiteRow[] = []
  const missing: MissingPage[] = []
  for (const { key, applied } of groups) {
    const pause = rows.breathe()
    if (pause !== undefined) await pause
    const site = rows.sites.get(key)
    let memory: MemoryNews | undefined
    if (site === undefined) continue
    for (const part of applied) {
      missing.push(...markPages(rows, site, part.pages))
      rows.applied?.(site, part)
      applyPart(rows, site, part, own.get(part) ?? [])
      memory = laterNews(memory, part.memory)
    }
    if (memory === undefined) continue
    rows.memory.record(key, memory)
    if (site.worker === null) resting.push(site)
  }
  await enterLinks(rows, sifted, false)
  if (!rows.names.isEmpty) await reviveAtAliases(rows, missing)
  await keepReplaced(rows, sifted.replaced)
  await rows.breathe()
  await rows.flush()
  const { refresh } = rows.tools
  if (refresh?.policy === 'psp') {
    await planSites(rows, refresh, resting)
    await rows.flush()
  }
  // Last, when the rows of all sites are final.
  if (!rows.names.isEmpty) await moveOrDropAliases(rows, resting)
}

/**
 * Applies what a part says about its site, after its pages are marked. `own`: the links that it found into the site
 * itself.
 */
function applyPart(rows: Rows, site: SiteRow, part: VisitReport, own: readonly Link[]): void {
  const { courtesy, learnt } = part
  site.part = part.part
  if (part.pages.some(isQueued)) site.losses = 0
  site.pause = rows.tools.learntPause(site, courtesy.pause)
  site.polite_at = Math.max(site.polite_at, rows.tools.time.of(courtesy.notBefore))
  if (courtesy.address !== undefined && courtesy.address !== site.address) {
    rows.addresses.learn(site, courtesy.address)
    site.holder = ''
  }
  // Others come first, whatever the order says.
  if (learnt?.slow !== undefined) site.deferral = Math.max(site.deferral, 1)
  const plain = own.filter(({ spelling }) => !spelling)
  const areNew = enqueue(rows, site, plain) === plain.length
  // After the plain links and the pages: whether another spelling is wanted depends on what became of the first. A link that
  // the visit took for new may be known by now under another name of its folder's index.
  if (plain.length < own.length || !areNew)
    for (const link of own)
      if (link.spelling || (!areNew && rows.tools.urls.keyApart(link.url) !== undefined))
        enterSpelling(rows, site, link)
  if (learnt?.requeue) for (const row of rows.urls.heldBack(site.key)) requeue(rows, site, row)
  if (part.ended !== undefined) endVisit(rows, site, part)
  else if (site.worker === null) {
    // The visit was given up for lost, but no other worker had the site: what it did counts, and the site goes on waiting.
    site.lease_until = null
    restAfter(rows, site, 'lost')
  }
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
function namesTouched({ names }: Rows, groups: readonly Group[]): bigint[] {
  if (names.isEmpty) return []
  const sites = appliedOf(groups).flatMap(({ site, pages, ended }) => {
    const isMissing = pages.some(({ outcome }) => markOf(outcome) === NOT_FOUND)
    const original = ended === undefined ? undefined : names.originalOf(site)?.site
    return [...(isMissing ? names.learntNamesOf(site) : []), ...(original === undefined ? [] : [original])]
  })
  return sites.map(siteKeyOf)
}

/** Determined once: an alias that others learn meanwhile would make a link neither the site's own nor cross-site. */
function ownOf(rows: Rows, groups: readonly Group[]): OwnLinks {
  const renaming = renamingOf(rows)
  const parts = appliedOf(groups)
  return new Map(parts.map((part) => [part, part.found.filter((link) => isOwnLink(renaming, part.site, link))]))
}

/** A link that is not the site's own goes where it belongs, under the pause of its own site. */
function crossSiteOf(groups: readonly Group[], own: OwnLinks): Link[] {
  const links: Link[] = []
  for (const part of appliedOf(groups)) {
    const owned = own.get(part) ?? []
    if (owned.length < part.found.length) {
      const isOwned = new Set(owned)
      for (const link of part.found) if (!isOwned.has(link)) links.push(link)
    }
    for (const link of part.crossSite) links.push(link)
  }
  return links
}

function rowsOf({ tools }: Rows, groups: readonly Group[]): UrlAt[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages, found }) => rowsOfLinks(tools.urls, site, [...pages.filter(isQueued), ...found])),
  )
}

/** The rows at which what waits under another name of the page's folder may be entered. */
function rowsOfWaiting({ tools, urls }: Rows, groups: readonly Group[]): UrlAt[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages }) =>
      pages.filter(isQueued).flatMap((page) => {
        const other = waitingIndex(tools.urls, urls.get(site, signed64(page.key)), page)
        return other === undefined ? [] : rowsOfLinks(tools.urls, site, [{ url: other.url, key: page.key }])
      }),
    ),
  )
}

const hasWithdrawn = ({ applied }: Group) => applied.some(({ learnt }) => learnt?.requeue)

/** After a visit: what waits at an alias moves to the original; an original that was given up loses its aliases. */
async function moveOrDropAliases(rows: Rows, resting: readonly SiteRow[]): Promise<void> {
  await moveRested(rows, resting)
  for (const site of resting)
    if (isGivenUp(site) && rows.names.originalOf(site.name) === undefined) await dropAliasesOf(rows, site.name)
  await rows.flush()
}

/** Home pages tell that their sites are aliases. */
async function learnAliases(rows: Rows, parts: readonly VisitReport[]): Promise<void> {
  const learnt = parts
    .flatMap((part) => learntAlias(part) ?? [])
    .filter(({ name, original }) => rows.tools.mayLearn(name, original))
  if (learnt.length === 0) return
  const siteOf = await rows.peekSites(learnt.map(({ original }) => siteKeyOf(original)))
  for (const alias of learnt) {
    const original = siteOf(siteKeyOf(alias.original))
    rows.names.add(alias, rows.now, original !== undefined && isGivenUp(original))
  }
}
