/**
 * The domains of a transaction. Their rows count sites of every bucket, so they are not locked for long: counts are added at
 * the end. Only domains with a wildcard, where a limit depends on the counts, are locked from the first read on. A domain
 * that gets its wildcard meanwhile is balanced by the next `reap`.
 */

import { column, eachBucket, readBy } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type DomainRow, type DomainRows, domainKey } from '../rules/domain-rows.ts'
import { domainOf, hasNewReferrer } from '../rules/domains.ts'
import type { Rows, Target } from '../rules/rows.ts'
import type { SiteRows } from '../rules/site-rows.ts'
import { readSeeds, type SharedSite } from './site-rows.ts'

const COLUMNS = `key, name, sites::float8 AS sites, unendorsed::float8 AS unendorsed, held::float8 AS held,
    wildcard::float8 AS wildcard, pending::float8 AS pending`
export const READ_DOMAINS = `SELECT ${COLUMNS} FROM domain WHERE shard = $1 AND key = ANY($2::bigint[])`
export const LOCK_DOMAINS = `
  SELECT ${COLUMNS} FROM domain WHERE shard = $1 AND key = ANY($2::bigint[]) ORDER BY key FOR UPDATE`
export const WRITE_DOMAINS = `
  INSERT INTO domain (shard, key, name, sites, unendorsed, held, wildcard, pending, addresses, probed_at)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::bigint[]) AS n (key, name, sites, unendorsed, held, wildcard, pending, addresses, probed_at)
  ORDER BY n.key
  ON CONFLICT (shard, key) DO UPDATE SET sites = domain.sites + excluded.sites,
    unendorsed = domain.unendorsed + excluded.unendorsed, held = domain.held + excluded.held,
    wildcard = greatest(domain.wildcard, excluded.wildcard),
    pending = CASE WHEN domain.wildcard > excluded.wildcard THEN 1 ELSE excluded.pending END,
    addresses = coalesce(excluded.addresses, domain.addresses), probed_at = coalesce(excluded.probed_at, domain.probed_at)`

const COUNTS = ['sites', 'unendorsed', 'held'] as const

/** `names` may be changed; of the `others` only the wildcard is read. */
export async function readDomains(
  tx: PostgresTx,
  domains: DomainRows,
  names: Iterable<string>,
  others: Iterable<string> = [],
): Promise<void> {
  const wanted = keysOf(names).filter((key) => !domains.isKept(key))
  const seen = keysOf(others).filter((key) => !domains.isSeen(key))
  const keep = new Set(wanted)
  for (const row of await readBy<DomainRow>(tx, READ_DOMAINS, new Set([...wanted, ...seen])))
    if (keep.has(row.key)) domains.keep(row)
    else domains.see(row)
  await lockDomains(
    tx,
    domains,
    [...names].filter((name) => keep.has(domainKey(name)) && domains.isWild(name)),
  )
  domains.keepAbsent(names)
}

/** As `readDomains`, and locks them. */
export async function lockDomains(tx: PostgresTx, domains: DomainRows, names: Iterable<string>): Promise<void> {
  for (const row of await readBy<DomainRow>(tx, LOCK_DOMAINS, keysOf(names))) domains.keep(row)
  domains.keepAbsent(names)
}

/** Counts are added to what the database has. */
export function writeDomains(tx: PostgresTx, domains: DomainRows): Promise<unknown> {
  return eachBucket(
    domains.take(),
    ({ row }) => row.key,
    (shard, all) => {
      const rows = column(all, 'row')
      return tx.run(
        WRITE_DOMAINS,
        shard,
        column(rows, 'key'),
        column(rows, 'name'),
        ...COUNTS.map((name) => all.map(({ row, before }) => row[name] - before[name])),
        column(rows, 'wildcard'),
        column(rows, 'pending'),
        all.map(({ probe }) => probe?.addresses ?? null),
        all.map(({ probe }) => probe?.at ?? null),
      )
    },
  )
}

function keysOf(names: Iterable<string>): bigint[] {
  return [...new Set(names)].map(domainKey)
}

interface Weighing extends Rows {
  readonly tx: PostgresTx
  readonly sites: SiteRows<SharedSite>
  /** Of sites that are not locked. */
  peekUnendorsed(sites: readonly bigint[]): Promise<void>
}

/** What `endorse` and `register` ask for: in one round trip when no site is new or unendorsed, otherwise in two or three. */
export async function readToWeigh(working: Weighing, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !working.sites.isMade(key))
  await working.unendorsed.read(known.map(({ key: site }) => ({ site })))
  const domains = new Set<string>()
  const linkingSites = new Map<bigint, { domain: string; isNear: boolean }>()
  for (const { key, name, members } of targets) {
    const row = working.unendorsed.get({ site: key })
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
  await Promise.all([readSeeds(working.tx, working.sites, keys), working.peekUnendorsed(keys)])
}
