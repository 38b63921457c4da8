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
import { enqueue, freshen } from './enqueue.ts'
import { enrol } from './enrol.ts'
import { prepareToHear, strangersAmong } from './hear.ts'
import { readNews } from './read-news.ts'
import { keepReplaced } from './replaced.ts'
import { keyOf, type Sheaf } from './sheaf.ts'
import { enterSpelling, placesOfLinks } from './spellings.ts'
import { vouch } from './vouch.ts'

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

export async function admit(sheaf: Sheaf, given: readonly Link[], asSeeds = false): Promise<Admitted> {
  await sheaf.readNames()
  const sifted = await sift(sheaf, given, asSeeds)
  await sheaf.sites.lock(sitesTouched(sifted))
  await sheaf.sites.make(sifted.groups, sheaf.now)
  await readForLinks(sheaf, sifted, asSeeds)
  const admitted = await enterLinks(sheaf, sifted, asSeeds)
  await finish(sheaf, sifted)
  return admitted
}

/**
 * What of the links matters. Most links abroad are known by now: that is asked without a lock, and what turns out to be news
 * is looked at again when its site is locked.
 */
export async function sift(sheaf: Sheaf, given: readonly Link[], asSeeds: boolean): Promise<Sifted> {
  const { links, replaced } = renamed(sheaf.renaming, given)
  const all = sitesOf(links)
  const { texts } = sheaf.rules
  const isKnown = (link: Link) => texts.has(link.key, link.url)
  const doubtful = all.filter((site) => !isTrusted(sheaf, site))
  // In this order: where a link is known, the site is a stranger by then, or never will be.
  const [{ news, known }, elsewhere, { strangers, hearing }] = await Promise.all([
    readNews(sheaf.tx, all, isKnown, sheaf.rules.urls),
    readNews(sheaf.tx, sitesOf(replaced.map(({ link }) => link)), isKnown, sheaf.rules.urls),
    strangersAmong(sheaf, doubtful),
  ])
  // Rows that this transaction has not written itself: they stay, whatever becomes of it.
  if (!sheaf.rules.writers.has(sheaf.tx)) {
    for (const link of known) texts.note(link.key, link.url)
    for (const site of doubtful) if (!strangers.has(site.key) && site.members.some(isKnown)) trust(sheaf, site)
  }
  const groups = all.map((site): SiteLinks => ({ ...site, news: site.members.filter((link) => news.has(link)) }))
  return {
    groups: groups.filter(({ key, news }) => asSeeds || news.length > 0 || hearing.has(key)),
    replaced: replaced.filter(({ link }) => elsewhere.news.has(link)),
  }
}

function isTrusted(sheaf: Sheaf, { key, name }: Pick<SiteLinks, 'key' | 'name'>): boolean {
  return sheaf.rules.trusted.has(unsigned64(key), name)
}

function trust(sheaf: Sheaf, { key, name }: Pick<SiteLinks, 'key' | 'name'>): void {
  sheaf.rules.trusted.note(unsigned64(key), name)
}

/** All that are to be locked. */
export function sitesTouched({ groups, replaced }: Sifted): bigint[] {
  return [...groups.map(({ key }) => key), ...replaced.map(({ link }) => keyOf(link.site))]
}

/** The rows that `enterLinks` will look at; the sites are locked. */
export async function readForLinks(sheaf: Sheaf, { groups }: Sifted, asSeeds: boolean): Promise<void> {
  const places = groups.flatMap(({ key, news }) => placesOfLinks(sheaf, key, news))
  const doubtful = groups.filter((site) => sheaf.sites.isMade(site.key) || !isTrusted(sheaf, site))
  await Promise.all([sheaf.readUrls(places), prepareToHear(sheaf, doubtful, asSeeds)])
}

/** `asSeeds` remembers that the operator named the sites. */
export async function enterLinks(sheaf: Sheaf, { groups }: Sifted, asSeeds: boolean): Promise<Admitted> {
  const admitted: Admitted = { fresh: 0, sites: 0 }
  for (const group of groups) {
    const { key, name, members: all } = group
    const site = sheaf.sites.get(key)
    // Two names with the same 64 bits: the second is never crawled, rather than asked under the courtesy of the first.
    if (site === undefined || site.name !== name) continue
    const { members, spellings } = sorted(sheaf, group)
    const isNew = sheaf.sites.isMade(key)
    const vouched = isNew ? undefined : vouch(sheaf, group, all, asSeeds)
    const fresh = enqueue(sheaf, site, members)
    const again = spellings.filter((link) => enterSpelling(sheaf, site, link) === 'again').length
    if (asSeeds && site.seed === 0) nameSeed(sheaf, site)
    const domain = isNew ? enrol(sheaf, site, all, asSeeds) : vouched?.domain
    if (vouched?.wasHeld) release(sheaf, site)
    if (fresh + again > 0) sheaf.wake(site)
    // Last, for the site itself may be among those that there is room for.
    if (domain?.wildcard === 1) await balanceDomain(sheaf, domain)
    admitted.fresh += fresh
    if (isNew) admitted.sites++
  }
  return admitted
}

/** After what is entered: the site of a name may be new with its home page. */
export async function finish(sheaf: Sheaf, { replaced }: Sifted): Promise<void> {
  if (replaced.length > 0) await keepReplaced(sheaf, replaced)
  await sheaf.flush()
}

function nameSeed(sheaf: Sheaf, site: SiteRow): void {
  site.seed = 1
  site.crowd = 0
  sheaf.sites.change(site)
}

/** What is not known, and what is known under another text; what is known as it is has at most a newer `lastmod`. */
function sorted(sheaf: Sheaf, { key: site, news }: SiteLinks): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of news) {
    const known = sheaf.urls.get(site, signed64(link.key))
    const before = texts.get(link.key)
    if (known === undefined && before === undefined) {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (known === undefined ? !isSameText(before ?? '', link.url) : isNewText(known, link.url))
      spellings.push(link)
    else if (known !== undefined && sheaf.rules.urls.areTwoIndexes(known.url, link.url)) spellings.push(link)
    else if (known !== undefined) freshen(sheaf, known, link)
  }
  return { members, spellings }
}
