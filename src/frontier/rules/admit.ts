/** Links into the queues of their sites. */
import { signed64 } from '../../base/digest.ts'
import { generationOf, isByForm, linkedPath } from '../../contracts/generation.ts'
import type { Link } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { LEARNT, type Renaming, type Replaced, renamed } from '../aliases.ts'
import type { Admitted } from '../contract.ts'
import type { DomainRow } from './domain-rows.ts'
import { balanceDomain, endorse, register, release } from './domains.ts'
import { GONE, HELD_BACK, lastmodOf, REPLACED, WAITING } from './mark.ts'
import type { Rows, Sifted, SiteLinks } from './rows.ts'
import { compareBigints, isGivenUp, nameSeed, type SiteRow, sitesOf, wake } from './site.ts'
import { enterKnown, freshen, kindOfLink, rowsOfLinks, textOf } from './spellings.ts'
import { newUrl, type UrlAt, type UrlRow } from './url-rows.ts'

/** `asSeeds` remembers that the operator named the sites. */
export async function admit(rows: Rows, given: readonly Link[], asSeeds = false): Promise<Admitted> {
  await rows.readNames()
  const sifted = await sift(rows, given, asSeeds)
  await rows.lockSites(sitesTouched(sifted))
  await rows.makeSites(sifted.groups)
  await readForLinks(rows, sifted, asSeeds)
  const admitted = await enterLinks(rows, sifted, asSeeds)
  await keepReplaced(rows, sifted.replaced)
  await rows.flush()
  return admitted
}

export function renamingOf({ tools, names }: Rows): Renaming {
  return { urls: tools.urls, aliases: names, mayReplace: tools.mayReplace }
}

/** The links that matter, where they are to be entered. `changing`: sites whose rows this transaction is about to change. */
export async function sift(
  rows: Rows,
  given: readonly Link[],
  asSeeds: boolean,
  changing: ReadonlySet<bigint> = NO_SITES,
): Promise<Sifted> {
  const { links, replaced } = renamed(renamingOf(rows), given)
  return rows.sift(sitesOf(links), replaced, asSeeds, changing)
}

const NO_SITES: ReadonlySet<bigint> = new Set()

/** All sites to lock. */
export function sitesTouched({ groups, replaced }: Sifted): bigint[] {
  return [...groups.map(({ key }) => key), ...replaced.map(({ link }) => siteKeyOf(link.site))]
}

/** Reads the rows that `enterLinks` needs; the sites are locked. */
export async function readForLinks(rows: Rows, { groups }: Sifted, asSeeds: boolean): Promise<void> {
  const { urls } = rows.tools
  await Promise.all([
    rows.readUrls(() => groups.flatMap(({ key, members, news = members }) => rowsOfLinks(urls, key, news))),
    rows.readToWeigh(groups, asSeeds),
  ])
}

export async function enterLinks(rows: Rows, { groups }: Sifted, asSeeds: boolean): Promise<Admitted> {
  const admitted: Admitted = { fresh: 0, sites: 0 }
  for (const group of groups) {
    const pause = rows.breathe()
    if (pause !== undefined) await pause
    const domain = enterSite(rows, group, asSeeds, admitted)
    // Last, because the site itself may be among those that are released.
    if (domain?.wildcard === 1) await balanceDomain(rows, domain)
  }
  return admitted
}

/**
 * Most cross-site links are known: they are sorted out before their site's row is asked for. Returns the domain when it may
 * have other sites held or released now.
 */
function enterSite(rows: Rows, group: SiteLinks, asSeeds: boolean, admitted: Admitted): DomainRow | undefined {
  const { key, name, members: all } = group
  const { members, spellings } = sorted(rows, group)
  const endorsed = endorse(rows, group, all, asSeeds)
  if (members.length === 0 && spellings.length === 0 && !asSeeds && endorsed === undefined) return undefined
  const site = rows.sites.for(key, name)
  if (site === undefined) return undefined
  const isNew = rows.sites.isMade(key)
  const fresh = enqueue(rows, site, members)
  for (const link of members) rows.noteText(link.key, link.url)
  const again = spellings.filter((link) => enterSpelling(rows, site, link) === 'again').length
  if (asSeeds && site.seed === 0) {
    nameSeed(site)
    rows.sites.change(site)
  }
  const domain = isNew ? register(rows, site, all, asSeeds) : endorsed?.domain
  if (endorsed?.wasHeld) release(rows, site)
  if (fresh + again > 0) wake(rows, site)
  admitted.fresh += fresh
  if (isNew) admitted.sites++
  return domain
}

/** Unknown links, and links known under another text. A link known under its own text has at most a newer `lastmod`. */
function sorted(
  rows: Rows,
  { key: site, members: all, news = all }: SiteLinks,
): { members: Link[]; spellings: Link[] } {
  const { texts, urls } = rows.tools
  const members: Link[] = []
  const spellings: Link[] = []
  const seen = new Map<bigint, string>()
  for (const link of news) {
    if (link.lastmod === undefined && texts.has(link.key, link.url)) continue
    const known = rows.urls.textAt(site, signed64(link.key))
    const kind = kindOfLink(known, seen.get(link.key), link.url, urls)
    if (kind === 'new') {
      members.push(link)
      seen.set(link.key, link.url)
    } else if (kind === 'spelling') spellings.push(link)
    else if (link.lastmod !== undefined) freshen(rows, rows.urls.get(site, signed64(link.key)), link)
    if (known?.url === link.url) rows.noteText(link.key, link.url)
  }
  return { members, spellings }
}

/**
 * Links of one site into its queue, in the order given (breadth first), but by key: sorted batches go in twice as fast. URLs of
 * a site that was given up are known and gone. Returns how many are new.
 */
export function enqueue(
  rows: Rows,
  site: SiteRow,
  links: readonly Link[],
  mark = isGivenUp(site) ? GONE : WAITING,
): number {
  const queued = links.map((link) => ({ link, key: signed64(link.key), seq: ++site.seq }))
  if (queued.length > 1) queued.sort((a, b) => compareBigints(a.key, b.key) || a.seq - b.seq)
  let fresh = 0
  for (const { link, key, seq } of queued) {
    const at = { site: site.key, key }
    const more = { seq, enqueued_at: rows.now, mark, lastmod: lastmodOf(link) }
    if (rows.urls.addNew(newUrl(at, textOf(rows, link), more))) {
      fresh++
      if (more.lastmod !== null) rows.tools.refresh?.onHint?.('new')
    } else update(rows, site, at, link)
  }
  if (fresh === 0) return 0
  site.known += fresh
  if (mark === WAITING) site.waiting += fresh
  rows.sites.grow(site)
  return fresh
}

/** What another link says of a known URL. */
function update(rows: Rows, site: SiteRow, { site: at, key }: UrlAt, link: Link): void {
  const known = rows.urls.get(at, key)
  if (known === undefined) return
  freshen(rows, known, link)
  relink(rows, known, link)
  if (generationOf(link.path) === 0) list(rows, site, known, link)
}

/**
 * A page lists the URL: it is no offspring any more. If a finding held it back, it waits again, behind what was never
 * visited.
 */
function list(rows: Rows, site: SiteRow, row: UrlRow, link: Link): void {
  if ((row.mark !== WAITING && row.mark !== HELD_BACK) || generationOf(row.path) === 0) return
  const { via_site, via_key, path } = textOf(rows, link)
  Object.assign(row, { via_site, via_key, path })
  if (row.mark === HELD_BACK) requeue(rows, site, row)
  rows.urls.change(row)
}

/** URLs that a finding had held back wait again, behind those never visited. */
export function requeue(rows: Rows, site: SiteRow, row: UrlRow): void {
  row.mark = WAITING
  row.due_at = Math.max(1, rows.now)
  site.waiting++
  rows.urls.change(row)
  rows.sites.grow(site)
}

/** A link to a URL that only a form led to so far. */
function relink({ urls }: Rows, row: UrlRow, { path }: Link): void {
  if (row.mark !== WAITING || !isByForm(row.path) || isByForm(path)) return
  row.path = linkedPath(row.path)
  urls.change(row)
}

/** A link that may be another text of a known URL. */
export function enterSpelling(rows: Rows, site: SiteRow, link: Link): 'fresh' | 'again' | 'of no use' {
  rows.tools.texts.forget(link.key)
  const known = rows.urls.get(site.key, signed64(link.key))
  if (known === undefined) return enqueue(rows, site, [link]) === 1 ? 'fresh' : 'of no use'
  return enterKnown(rows, site, known, link) ? 'again' : 'of no use'
}

/**
 * Links into an alias are entered at the original, and remembered where they were found. When the alias is dropped they wait
 * there again; what a learnt original does not have is fetched there, once. After what is entered: the alias's site may be
 * new with its home page.
 */
export async function keepReplaced(rows: Rows, replaced: readonly Replaced[]): Promise<void> {
  if (replaced.length === 0) return
  const groups = sitesOf(replaced.map((each) => ({ ...each, site: each.link.site })))
  await rows.lockSites(groups.map(({ key }) => key))
  const open = groups.flatMap(({ key, name, members }) => {
    const site = rows.sites.open(key, name)
    return site === undefined ? [] : [{ site, members }]
  })
  const learnt = open.flatMap(({ members }) => members.filter(({ how }) => how === LEARNT))
  const [names, isMissing] = await Promise.all([
    rows.aliasesAmong(open.map(({ site }) => site.key)),
    rows.readMissing(learnt.map(({ there }) => rowAt(there))),
    rows.readUrls(() => open.flatMap(({ members }) => members.map(({ link }) => rowAt(link)))),
  ])
  for (const { site, members } of open) {
    const elsewhere: Link[] = []
    const here: Link[] = []
    for (const { link, there, how } of members) {
      const known = rows.urls.get(site.key, signed64(link.key))
      if (known !== undefined) freshen(rows, known, link)
      else if (how === LEARNT && isMissing(rowAt(there))) here.push({ ...link, via: there.url })
      else if (names.has(site.key) || rows.names.isNew(site.name)) elsewhere.push(link)
      else here.push(link)
    }
    enqueue(rows, site, elsewhere, REPLACED)
    if (enqueue(rows, site, here) > 0) wake(rows, site)
  }
}

function rowAt({ site, key }: Link): UrlAt {
  return { site: siteKeyOf(site), key: signed64(key) }
}
