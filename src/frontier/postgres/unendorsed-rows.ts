/** Unendorsed sites. A row belongs to the transaction that has locked its site. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { columnTypes } from '../../database/schema/columns.ts'
import { type DomainRow, UNENDORSED_SITE, type UnendorsedRow, type UnendorsedRows } from '../rules/domain-rows.ts'
import { domainOf, HELD, HOLDABLE, hasNewReferrer } from '../rules/domains.ts'
import type { Rows, Target, UnendorsedSites } from '../rules/rows.ts'
import type { SiteRows } from '../rules/site-rows.ts'
import { readBy, runBy, selected, writeAll } from './by-bucket.ts'
import { readDomains } from './domain-rows.ts'
import { lockIdle, readSeeds, type SharedSite } from './site-rows.ts'

export const READ_UNENDORSED = `
  SELECT ${selected(columnTypes('unendorsed_site'), 'u')} FROM unendorsed_site u WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const WRITE_UNENDORSED = UNENDORSED_SITE.postgres
export const REMOVE_UNENDORSED = `DELETE FROM unendorsed_site WHERE bucket = $1 AND site = ANY($2::bigint[])`

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${HOLDABLE} ORDER BY since DESC, site DESC LIMIT $2`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${HELD} ORDER BY since, site LIMIT $2`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY shard, key LIMIT $1`
export const READ_HELD_AFTER = `
  SELECT site FROM unendorsed_site WHERE (bucket, site) > ($1, $2) AND hold_state = ${HELD} ORDER BY bucket, site LIMIT $3`

/** Reads them without a lock. */
export async function readUnendorsed(tx: PostgresTx, sites: Iterable<bigint>): Promise<Map<bigint, UnendorsedRow>> {
  const rows = await readBy<UnendorsedRow>(tx, READ_UNENDORSED, new Set(sites))
  return new Map(rows.map((row) => [row.site, row]))
}

/** Of locked sites. */
async function readLocked(tx: PostgresTx, unendorsed: UnendorsedRows, sites: Iterable<bigint>): Promise<void> {
  const missing = [...sites].filter((site) => !unendorsed.isRead(site))
  for (const site of missing) unendorsed.keep(site, null)
  for (const row of (await readUnendorsed(tx, missing)).values()) unendorsed.keep(row.site, row)
}

/** Of sites that are not locked. */
async function peek(tx: PostgresTx, unendorsed: UnendorsedRows, sites: readonly bigint[]): Promise<void> {
  const missing = sites.filter((site) => !unendorsed.isSeen(site))
  const found = await readUnendorsed(tx, missing)
  for (const site of missing) unendorsed.see(site, found.has(site))
}

export function writeUnendorsed(tx: PostgresTx, unendorsed: UnendorsedRows): Promise<unknown>[] {
  const { removed, written } = unendorsed.take()
  return [runBy(tx, REMOVE_UNENDORSED, removed), writeAll(tx, UNENDORSED_SITE, written)]
}

/** Those that no other transaction has locked, in their order, as they are once this transaction has locked them. */
export async function unendorsedBy(
  working: Weighing,
  sql: typeof READ_NEWEST | typeof READ_OLDEST_HELD,
  domain: DomainRow,
  atMost: number,
): Promise<UnendorsedSites> {
  const { tx, unendorsed } = working
  await Promise.all(writeUnendorsed(tx, unendorsed))
  const keys = (await tx.allExact<{ site: bigint }>(sql, domain.key, atMost)).map(({ site }) => site)
  const sites = new Map((await lockIdle(tx, working.sites, keys)).map((site) => [site.key, site]))
  await readLocked(tx, unendorsed, sites.keys())
  const holdState = sql === READ_NEWEST ? HOLDABLE : HELD
  const idle = keys.flatMap((key) => {
    const site = sites.get(key)
    const row = unendorsed.get(key)
    return site === undefined || row?.hold_state !== holdState ? [] : [{ site, row }]
  })
  return { found: keys.length, idle }
}

interface Weighing extends Rows {
  readonly tx: PostgresTx
  readonly sites: SiteRows<SharedSite>
}

/** What `endorse` and `register` ask for: in one round trip when no site is new or unendorsed, otherwise in two or three. */
export async function readToWeigh(working: Weighing, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !working.sites.isMade(key))
  await readLocked(
    working.tx,
    working.unendorsed,
    known.map(({ key }) => key),
  )
  const domains = new Set<string>()
  const linkingSites = new Map<bigint, { domain: string; isNear: boolean }>()
  for (const { key, name, members } of targets) {
    const row = working.unendorsed.get(key)
    const matters = row !== undefined && (named || hasNewReferrer(working, key, members, row.referrer))
    if (!matters && !working.sites.isMade(key)) continue
    const domain = domainOf(name)
    domains.add(domain)
    if (named) continue
    for (const { via } of members) {
      const page = working.tools.pageOf(via)
      if (page.site === null || page.name === undefined || page.site === key) continue
      const linkingSite = linkingSites.get(page.site) ?? { domain: domainOf(page.name), isNear: false }
      if (linkingSite.domain === domain) linkingSite.isNear = true
      linkingSites.set(page.site, linkingSite)
    }
  }
  if (domains.size === 0) return
  const others = [...linkingSites.values()].map(({ domain }) => domain)
  await readDomains(working.tx, working.domains, domains, others)
  // A link from another domain without a wildcard is enough, whatever its site is.
  const doubtful = [...linkingSites].filter(([, { domain, isNear }]) => isNear || working.domains.isWild(domain))
  const keys = doubtful.map(([key]) => key)
  await Promise.all([readSeeds(working.tx, working.sites, keys), peek(working.tx, working.unendorsed, keys)])
}

/** Of sites that are not locked: the unendorsed ones, and of them those that a link is news to. */
export async function unendorsedAmong(
  working: Pick<Weighing, 'tx' | 'tools'>,
  targets: readonly Target[],
): Promise<{ unendorsed: ReadonlyMap<bigint, UnendorsedRow>; concerned: ReadonlySet<bigint> }> {
  const keys = targets.map(({ key }) => key)
  const unendorsed = await readUnendorsed(working.tx, keys)
  const concerned = targets.filter(({ key, members }) => {
    const row = unendorsed.get(key)
    return row !== undefined && hasNewReferrer(working, key, members, row.referrer)
  })
  return { unendorsed, concerned: new Set(concerned.map(({ key }) => key)) }
}
