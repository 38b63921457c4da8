import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { ANYWHERE } from '../affinity.ts'
import { bringsSomething } from '../caution.ts'
import type { Verdict } from '../ledger.ts'
import { markOf, NOT_FOUND, WAITING } from '../mark.ts'
import { learnNearness } from '../nearness.ts'
import { atOriginal } from '../rename.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, type SiteRow } from '../site-row.ts'
import { sitesOf } from '../sites-of.ts'
import { verdictOn } from '../verdict.ts'
import { enterLinks, finish, readForLinks, type Sifted, sift, sitesTouched } from './admit.ts'
import { learnWildcards } from './balance-domain.ts'
import { endVisit } from './end-visit.ts'
import { enqueue } from './enqueue.ts'
import { learnAliases } from './learn-aliases.ts'
import { type MissingPage, markPages } from './mark-pages.ts'
import { dropNamesOf, moveRested } from './move-waiting.ts'
import { reviveUnderNames } from './replaced.ts'
import { keyOf, type Sheaf } from './sheaf.ts'
import { readSites, type SharedSite } from './site-rows.ts'
import { enterSpelling, placesOfLinks, waitingIndex } from './spellings.ts'
import type { UrlPlace } from './url-rows.ts'

/** The parts of a site in their order, those that are to be applied apart. */
interface Group {
  key: bigint
  members: readonly VisitReport[]
  verdicts: ReadonlyMap<VisitReport, Verdict>
  applied: readonly VisitReport[]
}

/** Of what a visit found, the links that its site itself is asked for. */
type OwnLinks = ReadonlyMap<VisitReport, readonly Link[]>

/**
 * Parts of a site in their order, links abroad of all of them in one go. What the sites were a moment ago tells which parts
 * will be applied and so which other sites they lead to: thus all are locked at once, in their order. When that turns out
 * to have changed meanwhile, which is rare, it is told anew.
 */
export async function settle(sheaf: Sheaf, parts: readonly VisitReport[]): Promise<Verdict[]> {
  const grouped = sitesOf(parts)
  for (const { members } of grouped) members.sort((a, b) => a.fence - b.fence || a.part - b.part)
  const keys = grouped.map(({ key }) => key)
  const judgeAll = (siteOf: (key: bigint) => SiteRow | undefined) =>
    grouped.map((group) => judge(group, siteOf(group.key)))
  const [sites] = await Promise.all([readSites(sheaf.tx, keys), sheaf.readNames()])
  const expected = judgeAll((key) => sites.get(key))
  await learnAliases(sheaf, appliedOf(expected))
  let own = ownOf(sheaf, expected)
  const early = await sift(sheaf, abroadOf(expected, own), false)
  await sheaf.sites.lock([...keys, ...sitesTouched(early), ...namesTouched(sheaf, expected)])
  const groups = judgeAll((key) => sheaf.sites.get(key))
  const isExpected = sameParts(expected, groups)
  if (!isExpected) {
    sheaf.names.takeBack()
    await learnAliases(sheaf, appliedOf(groups))
    own = ownOf(sheaf, groups)
  }
  const sifted = isExpected ? early : await sift(sheaf, abroadOf(groups, own), false)
  await sheaf.sites.make(sifted.groups, sheaf.now)
  // Before links are judged by it.
  await learnWildcards(sheaf, appliedOf(groups))
  await Promise.all([
    sheaf.readUrls(placesOf(sheaf, groups)),
    readForLinks(sheaf, sifted, false),
    ...groups.filter(hasWithdrawn).map(({ key }) => sheaf.urls.readHeld(key)),
  ])
  await sheaf.readUrls(placesOfWaiting(sheaf, groups))
  return applyAll(sheaf, parts, groups, own, sifted)
}

async function applyAll(
  sheaf: Sheaf,
  parts: readonly VisitReport[],
  groups: readonly Group[],
  own: OwnLinks,
  sifted: Sifted,
): Promise<Verdict[]> {
  const resting: SiteRow[] = []
  const missing: MissingPage[] = []
  for (const { key, applied } of groups) {
    const site = sheaf.sites.get(key)
    let memory: MemoryNews | undefined
    if (site === undefined) continue
    for (const part of applied) {
      missing.push(...applyPart(sheaf, site, part, own.get(part) ?? []))
      memory = laterNews(memory, part.memory)
    }
    if (memory === undefined) continue
    sheaf.memory.tell(key, memory)
    if (site.worker === null) resting.push(site)
  }
  await enterLinks(sheaf, sifted, false)
  if (!sheaf.names.isEmpty) await reviveUnderNames(sheaf, missing)
  await finish(sheaf, sifted)
  // Last, for the rows of all sites are as they will be.
  if (!sheaf.names.isEmpty) await settleNames(sheaf, resting)
  const verdicts = new Map(groups.flatMap((group) => [...group.verdicts]))
  return parts.map((part) => verdicts.get(part)!)
}

/** What becomes of each part when they are applied one after the other. */
function judge({ key, members }: { key: bigint; members: readonly VisitReport[] }, site: SiteRow | undefined): Group {
  const verdicts = new Map<VisitReport, Verdict>()
  const applied: VisitReport[] = []
  const stand = site === undefined ? undefined : { key, fence: site.fence, part: site.part }
  for (const part of members) {
    const verdict = stand === undefined ? 'stale' : verdictOn(stand, part)
    verdicts.set(part, verdict)
    if (stand === undefined || verdict !== 'applied') continue
    applied.push(part)
    stand.part = part.ended === undefined ? part.part : ALL_PARTS
  }
  return { key, members, verdicts, applied }
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
function namesTouched(sheaf: Sheaf, groups: readonly Group[]): bigint[] {
  if (sheaf.names.isEmpty) return []
  const sites = appliedOf(groups).flatMap(({ site, pages, ended }) => {
    const isMissing = pages.some(({ outcome }) => markOf(outcome) === NOT_FOUND)
    const original = ended === undefined ? undefined : sheaf.names.originalOf(site)?.site
    return [...(isMissing ? sheaf.names.learntNamesOf(site) : []), ...(original === undefined ? [] : [original])]
  })
  return sites.map(keyOf)
}

/** Told once: names that others learn meanwhile would make a link neither the site's own nor one abroad. */
function ownOf(sheaf: Sheaf, groups: readonly Group[]): OwnLinks {
  const parts = appliedOf(groups)
  return new Map(parts.map((part) => [part, part.found.filter((link) => isOwn(sheaf, part.site, link))]))
}

/** What a worker calls its own and is not goes where it belongs: under the courtesy of its own site. */
function abroadOf(groups: readonly Group[], own: OwnLinks): Link[] {
  return appliedOf(groups).flatMap((part) => {
    const owned = new Set(own.get(part))
    return [...part.found.filter((link) => !owned.has(link)), ...part.abroad]
  })
}

/** To be asked for at the site itself, not at one whose other name it is. */
function isOwn(sheaf: Sheaf, site: SiteName, link: Link): boolean {
  if (link.site !== site) return false
  const original = sheaf.names.originalOf(site)
  return original === undefined || atOriginal(sheaf.rules, link, original) === undefined
}

function placesOf(sheaf: Sheaf, groups: readonly Group[]): UrlPlace[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages, found }) => placesOfLinks(sheaf, site, [...pages.filter(isQueued), ...found])),
  )
}

/** Where what waits under another name of the page's folder may be entered, now that it has been read. */
function placesOfWaiting(sheaf: Sheaf, groups: readonly Group[]): UrlPlace[] {
  return groups.flatMap(({ key: site, applied }) =>
    applied.flatMap(({ pages }) =>
      pages.filter(isQueued).flatMap((page) => {
        const other = waitingIndex(sheaf, sheaf.urls.get(site, signed64(page.key)), page)
        return other === undefined ? [] : placesOfLinks(sheaf, site, [{ url: other.url, key: page.key }])
      }),
    ),
  )
}

const isQueued = ({ errand }: PageReport) => !errand

function applyPart(sheaf: Sheaf, site: SharedSite, part: VisitReport, own: readonly Link[]): MissingPage[] {
  const missing = markPages(sheaf, site, part.pages)
  const { courtesy } = part
  site.part = part.part
  if (bringsSomething(part.pages)) site.losses = 0
  site.pause = sheaf.rules.learntPause(site, courtesy.pause)
  site.polite_at = Math.max(site.polite_at, sheaf.rules.time.of(courtesy.notBefore))
  if (courtesy.address !== undefined && courtesy.address !== site.address) {
    sheaf.addresses.learn(site, courtesy.address)
    site.holder = ''
  }
  // Others come first, whatever the order says.
  if (part.learnt?.slow !== undefined) site.crowd = Math.max(site.crowd, 1)
  const plain = own.filter(({ spelling }) => !spelling)
  const areNew = enqueue(sheaf, site, plain) === plain.length
  // After them, and after the pages: whether another text is wanted depends on what became of the first. What the visit took
  // for new may be known by now under another name of its folder's index.
  for (const link of own)
    if (link.spelling || (!areNew && sheaf.rules.urls.keyApart(link.url) !== undefined))
      enterSpelling(sheaf, site, link)
  // Of a visit that was given up for lost nobody knows from where it asked.
  if (part.ended !== undefined && site.worker !== null && site.region !== ANYWHERE && courtesy.connectMs !== undefined)
    learnNearness(site, site.region, courtesy.connectMs)
  if (part.learnt?.requeue) requeue(sheaf, site)
  if (part.ended !== undefined) endVisit(sheaf, site, part)
  else if (site.worker === null) goOnWaiting(sheaf, site)
  return missing
}

/** What a finding held back that was withdrawn: behind what was never asked for. */
function requeue(sheaf: Sheaf, site: SharedSite): void {
  for (const row of sheaf.urls.heldOf(site.key)) {
    row.mark = WAITING
    row.due_at = Math.max(1, sheaf.now)
    site.waiting++
    sheaf.urls.change(row)
  }
  sheaf.sites.change(site)
}

const hasWithdrawn = ({ applied }: Group) => applied.some(({ learnt }) => learnt?.requeue)

/** A part of a visit that was given up for lost, in time: what it did counts, and its site waits on. */
function goOnWaiting(sheaf: Sheaf, site: SiteRow): void {
  site.lease_until = null
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') sheaf.beginToWait(site)
}

/** After a visit: what waits in another name goes to the original; an original that was given up loses its names. */
async function settleNames(sheaf: Sheaf, resting: readonly SiteRow[]): Promise<void> {
  await moveRested(
    sheaf,
    resting.map(({ name }) => name),
  )
  for (const { name, state } of resting)
    if (state === 'barred' && sheaf.names.originalOf(name) === undefined) await dropNamesOf(sheaf, name)
  await sheaf.flush()
}
