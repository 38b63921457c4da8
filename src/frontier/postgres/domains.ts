/**
 * Domains on PostgreSQL: reads what the rules of `../rules/domains.ts` ask about, and balances domains with a wildcard. The
 * sites that are held or released can be in any bucket, out of the order of locks: those that another transaction has locked
 * are left to the next `reap`.
 */
import type { VisitReport } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import {
  capacityOf,
  type DomainRow,
  domainOf,
  EXEMPT,
  HELD,
  HOLDABLE,
  hasNewReferrer,
  holdSite,
  MAX_HELD_AT_ONCE,
  MAX_PENDING_DOMAINS,
  MAX_RELEASED_AT_ONCE,
  registerInDomain,
  releaseSite,
  type UnendorsedRow,
  type Vias,
  wildcardOf,
} from '../rules/domains.ts'
import type { SiteRow } from '../rules/site.ts'
import { bucketFor } from './by-bucket.ts'
import { readUnendorsed } from './unendorsed-rows.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${HOLDABLE} ORDER BY since DESC, site DESC LIMIT $2`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${HELD} ORDER BY since, site LIMIT $2`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY shard, key LIMIT $1`
export const READ_HELD_FROM = `
  SELECT site FROM unendorsed_site WHERE (bucket, site) > ($1, $2) AND hold_state = ${HELD} ORDER BY bucket, site LIMIT $3`

/** A locked site, and the links into it. */
export interface Target {
  readonly key: bigint
  readonly name: SiteName
  readonly members: Vias
}

/**
 * Reads what `endorse` and `register` ask for: in one round trip when no site is new or unendorsed, otherwise in two or three.
 * `named`: by the operator.
 */
export async function prepareToWeigh(working: WorkingSet, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !working.sites.isMade(key))
  await working.unendorsed.read(known.map(({ key }) => key))
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
  await working.domains.read(domains, others)
  // A link from another domain without a wildcard is enough, whatever its site is.
  const doubtful = [...linkingSites].filter(([, { domain, isNear }]) => isNear || working.domains.isWild(domain))
  const keys = doubtful.map(([key]) => key)
  await Promise.all([working.linkingSites.peek(keys), working.unendorsed.peek(keys)])
}

/** Of sites that are not locked: the unendorsed ones, and of them those that a link is news to. */
export async function unendorsedAmong(
  working: WorkingSet,
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

/** Counts a site that was just made in its domain. `prepareToWeigh` has read what it needs. */
export function register(working: WorkingSet, site: SiteRow, links: Vias, named: boolean): DomainRow | undefined {
  working.sites.change(site)
  working.sites.registered(site.key)
  return registerInDomain(working, site, links, named)
}

/** For a domain that was read in this transaction. */
export async function balanceDomain(working: WorkingSet, domain: DomainRow): Promise<void> {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const capacity = capacityOf(domain)
  if (capacity < 0) domain.pending = (await holdNewest(working, domain)) ? 1 : 0
  else if (capacity > 0 && held > 0) domain.pending = (await releaseOldest(working, domain, capacity)) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) working.domains.change(domain)
}

/** True when there is more to do. */
async function holdNewest(working: WorkingSet, domain: DomainRow): Promise<boolean> {
  for (let left = MAX_HELD_AT_ONCE; left > 0; ) {
    const wanted = Math.min(left, -capacityOf(domain))
    if (wanted <= 0) return false
    const { found, idle } = await unendorsedBy(working, READ_NEWEST, domain, wanted, HOLDABLE)
    for (const { site, row } of idle) if (holdSite(working, domain, site, row)) working.sites.change(site)
    if (idle.length < found) return true
    if (found < wanted) return false
    left -= found
  }
  return capacityOf(domain) < 0
}

async function releaseOldest(working: WorkingSet, domain: DomainRow, capacity: number): Promise<boolean> {
  const atMost = Math.min(capacity, MAX_RELEASED_AT_ONCE)
  const { idle } = await unendorsedBy(working, READ_OLDEST_HELD, domain, atMost, HELD)
  for (const { site, row } of idle) {
    releaseSite(working, domain, site, row, HOLDABLE)
    working.sites.change(site)
  }
  return domain.held > 0 && capacityOf(domain) > 0
}

/** Those that no other transaction has locked, in their order, as they are once this transaction has locked them. */
async function unendorsedBy(
  working: WorkingSet,
  sql: string,
  domain: DomainRow,
  atMost: number,
  holdState: number,
): Promise<{ found: number; idle: { site: SiteRow; row: UnendorsedRow }[] }> {
  await Promise.all(working.unendorsed.write())
  const keys = (await working.tx.allExact<{ site: bigint }>(sql, domain.key, atMost)).map(({ site }) => site)
  const sites = new Map((await working.sites.lockIdle(keys)).map((site) => [site.key, site]))
  await working.unendorsed.read(sites.keys())
  const idle = keys.flatMap((key) => {
    const site = sites.get(key)
    const row = working.unendorsed.get(key)
    return site === undefined || row?.hold_state !== holdState ? [] : [{ site, row }]
  })
  return { found: keys.length, idle }
}

/** Visits report that every name of their domain resolves. */
export async function learnWildcards(working: WorkingSet, parts: readonly VisitReport[]): Promise<void> {
  const wildcards = parts.flatMap((part) => wildcardOf(part) ?? [])
  if (wildcards.length === 0) return
  await working.domains.lock(wildcards.map(({ domain }) => domain))
  for (const { domain: name, addresses } of wildcards) {
    const domain = working.domains.for(name)
    if (domain === undefined) continue
    domain.wildcard = 1
    working.domains.change(domain, { addresses, at: working.now })
    await balanceDomain(working, domain)
  }
}

/** What was too much for one transaction, or locked by another. */
export async function balancePending(working: WorkingSet): Promise<void> {
  const pending = await working.tx.all<{ name: string }>(READ_PENDING_DOMAINS, MAX_PENDING_DOMAINS)
  const names = pending.map(({ name }) => name)
  if (names.length === 0) return
  await working.domains.read(names)
  for (const name of names) {
    const domain = working.domains.get(name)
    if (domain !== undefined) await balanceDomain(working, domain)
  }
}

const MAX_AT_ONCE = 1000

/** Releases held sites that the operator does not want held any more, some at a time, after `last`. Returns the new last key. */
export async function releaseTrusted(working: WorkingSet, last: bigint | undefined): Promise<bigint | undefined> {
  const from = last === undefined ? [-1, 0n] : [bucketFor(last), last]
  const rows = await working.tx.allExact<{ site: bigint }>(READ_HELD_FROM, ...from, MAX_AT_ONCE)
  const keys = rows.map(({ site }) => site)
  await working.sites.lock(keys)
  const trusted = keys.flatMap((key) => {
    const site = working.sites.get(key)
    return site === undefined || working.tools.mayHold(site.name) ? [] : [site]
  })
  await Promise.all([
    working.unendorsed.read(trusted.map(({ key }) => key)),
    working.domains.read(trusted.map(({ name }) => domainOf(name))),
  ])
  for (const site of trusted) {
    const row = working.unendorsed.get(site.key)
    const domain = working.domains.get(domainOf(site.name))
    if (row?.hold_state !== HELD || domain === undefined) continue
    releaseSite(working, domain, site, row, EXEMPT)
    working.sites.change(site)
    working.domains.change(domain)
  }
  return keys.length < MAX_AT_ONCE ? undefined : keys[keys.length - 1]
}
