import { signed64, unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { type Replaced, renamed } from '../aliases.ts'
import type { Admitted } from '../contract.ts'
import { endorse, release } from '../rules/domains.ts'
import { lastmodOf } from '../rules/mark.ts'
import { keyOf, nameSeed, sitesOf, wake } from '../rules/site.ts'
import { isNewText, kindOfLink, type UrlAt } from '../rules/spellings.ts'
import { bySite, column, eachBucket } from './by-bucket.ts'
import { balanceDomain, prepareToWeigh, register, unendorsedAmong } from './domains.ts'
import { enqueue, freshen, isNewer } from './enqueue.ts'
import { keepReplaced } from './replaced.ts'
import { READ_SPELLINGS, type SpellingRow } from './spelling-rows.ts'
import { enterSpelling, rowsOfLinks } from './spellings.ts'
import type { WorkingSet } from './working-set.ts'

/** Links into one site, and those of them that may change something. */
export interface SiteLinks {
  readonly key: bigint
  readonly name: SiteName
  readonly members: readonly Link[]
  news: readonly Link[]
}

export interface Sifted {
  /** Sites with something to change: only those are locked. */
  groups: readonly SiteLinks[]
  /** Links that are entered at an original, and not yet remembered at the alias. */
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
 * The links that matter. Most cross-site links are known: that is asked without a lock, and what turns out to be news is read
 * again when its site is locked.
 */
export async function sift(working: WorkingSet, given: readonly Link[], asSeeds: boolean): Promise<Sifted> {
  const { links, replaced } = renamed(working.renaming, given)
  const all = sitesOf(links)
  const { texts } = working.tools
  const isKnown = (link: Link) => texts.has(link.key, link.url)
  const doubtful = all.filter((site) => !isTrusted(working, site))
  // In this order: where a link is known, its site is unendorsed by then, or never will be.
  const [{ news, known }, elsewhere, { unendorsed, concerned }] = await Promise.all([
    readNews(working.tx, all, isKnown, working.tools.urls),
    readNews(working.tx, sitesOf(replaced.map(({ link }) => link)), isKnown, working.tools.urls),
    unendorsedAmong(working, doubtful),
  ])
  // Only rows that this transaction has not written itself: they stay, even if it is rolled back.
  if (!working.tools.writers.has(working.tx)) {
    for (const link of known) texts.note(link.key, link.url)
    for (const site of doubtful) if (!unendorsed.has(site.key) && site.members.some(isKnown)) trust(working, site)
  }
  const groups = all.map((site): SiteLinks => ({ ...site, news: site.members.filter((link) => news.has(link)) }))
  return {
    groups: groups.filter(({ key, news }) => asSeeds || news.length > 0 || concerned.has(key)),
    replaced: replaced.filter(({ link }) => elsewhere.news.has(link)),
  }
}

function isTrusted(working: WorkingSet, { key, name }: Pick<SiteLinks, 'key' | 'name'>): boolean {
  return working.tools.trusted.has(unsigned64(key), name)
}

function trust(working: WorkingSet, { key, name }: Pick<SiteLinks, 'key' | 'name'>): void {
  working.tools.trusted.note(unsigned64(key), name)
}

/** All sites to lock. */
export function sitesTouched({ groups, replaced }: Sifted): bigint[] {
  return [...groups.map(({ key }) => key), ...replaced.map(({ link }) => keyOf(link.site))]
}

/** Reads the rows that `enterLinks` needs; the sites are locked. */
export async function readForLinks(working: WorkingSet, { groups }: Sifted, asSeeds: boolean): Promise<void> {
  const rows = groups.flatMap(({ key, news }) => rowsOfLinks(working, key, news))
  const doubtful = groups.filter((site) => working.sites.isMade(site.key) || !isTrusted(working, site))
  await Promise.all([working.readUrls(rows), prepareToWeigh(working, doubtful, asSeeds)])
}

/** `asSeeds` remembers that the operator named the sites. */
export async function enterLinks(working: WorkingSet, { groups }: Sifted, asSeeds: boolean): Promise<Admitted> {
  const admitted: Admitted = { fresh: 0, sites: 0 }
  for (const group of groups) {
    const { key, name, members: all } = group
    const site = working.sites.get(key)
    // Two names with the same 64 bits: the second is never crawled, rather than visited under the pause of the first.
    if (site === undefined || site.name !== name) continue
    const { members, spellings } = sorted(working, group)
    const isNew = working.sites.isMade(key)
    const endorsed = isNew ? undefined : endorse(working, group, all, asSeeds)
    const fresh = enqueue(working, site, members)
    const again = spellings.filter((link) => enterSpelling(working, site, link) === 'again').length
    if (asSeeds && site.seed === 0) {
      nameSeed(site)
      working.sites.change(site)
    }
    const domain = isNew ? register(working, site, all, asSeeds) : endorsed?.domain
    if (endorsed?.wasHeld) {
      release(working, site)
      working.sites.change(site)
    }
    if (fresh + again > 0) wake(working, site)
    // Last, because the site itself may be among those that are released.
    if (domain?.wildcard === 1) await balanceDomain(working, domain)
    admitted.fresh += fresh
    if (isNew) admitted.sites++
  }
  return admitted
}

/** After what is entered: the alias's site may be new with its home page. */
export async function finish(working: WorkingSet, { replaced }: Sifted): Promise<void> {
  if (replaced.length > 0) await keepReplaced(working, replaced)
  await working.flush()
}

/** What is not known, and what is known under another text. What is known as it is has at most a newer `lastmod`. */
function sorted(working: WorkingSet, { key: site, news }: SiteLinks): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of news) {
    const known = working.urls.get(site, signed64(link.key))
    const kind = kindOfLink(known, texts.get(link.key), link.url, working.tools.urls)
    if (kind === 'new') {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (kind === 'spelling') spellings.push(link)
    else if (known !== undefined) freshen(working, known, link)
  }
  return { members, spellings }
}

export const READ_TEXTS = `
  SELECT u.site, u.key, u.url, u.mark::float8 AS mark, u.lastmod::float8 AS lastmod
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url u ON u.bucket = $1 AND u.site = n.site AND u.key = n.key`

interface TextRow extends UrlAt {
  url: string
  mark: number
  lastmod: number | null
}

/** Links with the key of their site. */
interface Placed {
  readonly key: bigint
  readonly members: readonly Link[]
}

/**
 * Of links into sites that are not locked, those that may change something: unknown, known under another text, or with a
 * newer `lastmod`. The others, most cross-site links, lock nothing. `known`: links whose text is in the table.
 */
async function readNews(
  tx: PostgresTx,
  groups: readonly Placed[],
  isKnown: (link: Link) => boolean,
  urls: UrlReader,
): Promise<{ news: Set<Link>; known: Link[] }> {
  const bySiteAndKey = new Map<bigint, Map<bigint, Link[]>>()
  for (const { key: site, members } of groups)
    for (const link of members) {
      if (link.lastmod === undefined && isKnown(link)) continue
      const links = bySiteAndKey.get(site) ?? new Map<bigint, Link[]>()
      bySiteAndKey.set(site, links)
      const key = signed64(link.key)
      links.set(key, [...(links.get(key) ?? []), link])
    }
  const asked = [...bySiteAndKey].flatMap(([site, links]) => [...links.keys()].map((key): UrlAt => ({ site, key })))
  const news = new Set([...bySiteAndKey.values()].flatMap((links) => [...links.values()].flat()))
  const known: Link[] = []
  await eachBucket(asked, bySite, async (bucket, some) => {
    const rows = await tx.allExact<TextRow>(READ_TEXTS, bucket, column(some, 'site'), column(some, 'key'))
    const indexes: { row: TextRow; link: Link }[] = []
    for (const row of rows)
      for (const link of bySiteAndKey.get(row.site)?.get(row.key) ?? []) {
        if (row.url === link.url) known.push(link)
        const lastmod = lastmodOf(link)
        if (isNewText(row, link.url)) continue
        if (urls.areTwoIndexes(row.url, link.url)) indexes.push({ row, link })
        else if (lastmod === null || !isNewer(lastmod, row.lastmod)) news.delete(link)
      }
    for (const link of await indexesKnown(tx, bucket, indexes)) news.delete(link)
  })
  return { news, known }
}

/** Links that name a folder's index as an earlier one did, which is kept beside the folder's own text. */
async function indexesKnown(
  tx: PostgresTx,
  bucket: number,
  pairs: readonly { row: TextRow; link: Link }[],
): Promise<Link[]> {
  if (pairs.length === 0) return []
  const rows = pairs.map(({ row }) => row)
  const texts = await tx.allExact<SpellingRow>(READ_SPELLINGS, bucket, column(rows, 'site'), column(rows, 'key'))
  const isKept = ({ row, link }: { row: TextRow; link: Link }) =>
    link.lastmod === undefined &&
    texts.some(({ site, key, url }) => site === row.site && key === row.key && url === link.url)
  return pairs.filter(isKept).map(({ link }) => link)
}
