import { signed64, unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { isSameText } from '../../web/url/web-url.ts'
import type { Admitted } from '../ledger.ts'
import { type Replaced, renamed } from '../rename.ts'
import type { SiteRow } from '../site-row.ts'
import { sitesOf } from '../sites-of.ts'
import { isNewText } from '../spellings.ts'
import { balanceDomain, release } from './balance-domain.ts'
import { endorse } from './endorse.ts'
import { enqueue, freshen } from './enqueue.ts'
import { readNews } from './read-news.ts'
import { registerInDomain } from './register-in-domain.ts'
import { keepReplaced } from './replaced.ts'
import { enterSpelling, placesOfLinks } from './spellings.ts'
import { prepareToWeigh, unendorsedAmong } from './weigh-referrers.ts'
import { keyOf, type WorkingSet } from './working-set.ts'

/** Links into one site: all of them, and those that may change something in it. */
export interface SiteLinks {
  readonly key: bigint
  readonly name: SiteName
  readonly members: readonly Link[]
  news: readonly Link[]
}

export interface Sifted {
  /** Sites with something to change; only those need be locked. */
  groups: readonly SiteLinks[]
  /** What is entered elsewhere, and not yet remembered where it was linked. */
  replaced: readonly Replaced[]
}

export async function admit(working: WorkingSet, given: readonly Link[], asSeeds = false): Promise<Admitted> {
  await working.readNames()
  const sifted = await sift(working, given, asSeeds)
  await working.sites.lock(sitesTouched(sifted))
  await working.sites.make(sifted.groups, working.now)
  await readForLinks(working, sifted, asSeeds)
  const admitted = await enterLinks(working, sifted, asSeeds)
  await finish(working, sifted)
  return admitted
}

/**
 * What of the links matters. Most links abroad are known by now: that is asked without a lock, and what turns out to be news
 * is looked at again when its site is locked.
 */
export async function sift(working: WorkingSet, given: readonly Link[], asSeeds: boolean): Promise<Sifted> {
  const { links, replaced } = renamed(working.renaming, given)
  const all = sitesOf(links)
  const { texts } = working.tools
  const isKnown = (link: Link) => texts.has(link.key, link.url)
  const doubtful = all.filter((site) => !isTrusted(working, site))
  // In this order: where a link is known, the site is a stranger by then, or never will be.
  const [{ news, known }, elsewhere, { unendorsed, hearing }] = await Promise.all([
    readNews(working.tx, all, isKnown, working.tools.urls),
    readNews(working.tx, sitesOf(replaced.map(({ link }) => link)), isKnown, working.tools.urls),
    unendorsedAmong(working, doubtful),
  ])
  // Rows that this transaction has not written itself: they stay, whatever becomes of it.
  if (!working.tools.writers.has(working.tx)) {
    for (const link of known) texts.note(link.key, link.url)
    for (const site of doubtful) if (!unendorsed.has(site.key) && site.members.some(isKnown)) trust(working, site)
  }
  const groups = all.map((site): SiteLinks => ({ ...site, news: site.members.filter((link) => news.has(link)) }))
  return {
    groups: groups.filter(({ key, news }) => asSeeds || news.length > 0 || hearing.has(key)),
    replaced: replaced.filter(({ link }) => elsewhere.news.has(link)),
  }
}

function isTrusted(working: WorkingSet, { key, name }: Pick<SiteLinks, 'key' | 'name'>): boolean {
  return working.tools.trusted.has(unsigned64(key), name)
}

function trust(working: WorkingSet, { key, name }: Pick<SiteLinks, 'key' | 'name'>): void {
  working.tools.trusted.note(unsigned64(key), name)
}

/** All that are to be locked. */
export function sitesTouched({ groups, replaced }: Sifted): bigint[] {
  return [...groups.map(({ key }) => key), ...replaced.map(({ link }) => keyOf(link.site))]
}

/** The rows that `enterLinks` will look at; the sites are locked. */
export async function readForLinks(working: WorkingSet, { groups }: Sifted, asSeeds: boolean): Promise<void> {
  const places = groups.flatMap(({ key, news }) => placesOfLinks(working, key, news))
  const doubtful = groups.filter((site) => working.sites.isMade(site.key) || !isTrusted(working, site))
  await Promise.all([working.readUrls(places), prepareToWeigh(working, doubtful, asSeeds)])
}

/** `asSeeds` remembers that the operator named the sites. */
export async function enterLinks(working: WorkingSet, { groups }: Sifted, asSeeds: boolean): Promise<Admitted> {
  const admitted: Admitted = { fresh: 0, sites: 0 }
  for (const group of groups) {
    const { key, name, members: all } = group
    const site = working.sites.get(key)
    // Two names with the same 64 bits: the second is never crawled, rather than asked under the courtesy of the first.
    if (site === undefined || site.name !== name) continue
    const { members, spellings } = sorted(working, group)
    const isNew = working.sites.isMade(key)
    const endorsed = isNew ? undefined : endorse(working, group, all, asSeeds)
    const fresh = enqueue(working, site, members)
    const again = spellings.filter((link) => enterSpelling(working, site, link) === 'again').length
    if (asSeeds && site.seed === 0) nameSeed(working, site)
    const domain = isNew ? registerInDomain(working, site, all, asSeeds) : endorsed?.domain
    if (endorsed?.wasHeld) release(working, site)
    if (fresh + again > 0) working.wake(site)
    // Last, for the site itself may be among those that there is room for.
    if (domain?.wildcard === 1) await balanceDomain(working, domain)
    admitted.fresh += fresh
    if (isNew) admitted.sites++
  }
  return admitted
}

/** After what is entered: the site of a name may be new with its home page. */
export async function finish(working: WorkingSet, { replaced }: Sifted): Promise<void> {
  if (replaced.length > 0) await keepReplaced(working, replaced)
  await working.flush()
}

function nameSeed(working: WorkingSet, site: SiteRow): void {
  site.seed = 1
  site.deferral = 0
  working.sites.change(site)
}

/** What is not known, and what is known under another text; what is known as it is has at most a newer `lastmod`. */
function sorted(working: WorkingSet, { key: site, news }: SiteLinks): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of news) {
    const known = working.urls.get(site, signed64(link.key))
    const before = texts.get(link.key)
    if (known === undefined && before === undefined) {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (known === undefined ? !isSameText(before ?? '', link.url) : isNewText(known, link.url))
      spellings.push(link)
    else if (known !== undefined && working.tools.urls.areTwoIndexes(known.url, link.url)) spellings.push(link)
    else if (known !== undefined) freshen(working, known, link)
  }
  return { members, spellings }
}
