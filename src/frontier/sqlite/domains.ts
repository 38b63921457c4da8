/** Balances a domain with a wildcard: holds its newest unendorsed sites when there are too many, releases the oldest when it may. */
import type { VisitReport } from '../../contracts/report.ts'
import {
  capacityOf,
  type DomainRow,
  domainOf,
  EXEMPT,
  HELD,
  HOLDABLE,
  holdSite,
  MAX_HELD_AT_ONCE,
  MAX_PENDING_DOMAINS,
  MAX_RELEASED_AT_ONCE,
  releaseSite,
  wildcardOf,
} from '../rules/domains.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { Work } from './work.ts'

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${HOLDABLE} ORDER BY since DESC, site DESC LIMIT ?`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${HELD} ORDER BY since, site LIMIT ?`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY key LIMIT ?`
const WRITE_WILDCARD = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
export const READ_HELD_FROM = `
  SELECT site FROM unendorsed_site WHERE site >= ? AND hold_state = ${HELD} ORDER BY site LIMIT ?`

/** The row as it is in the database; it is written again when anything changed. */
export function balanceDomain(work: Work, domain: DomainRow): void {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const capacity = capacityOf(domain)
  if (capacity < 0) domain.pending = holdNewest(work, domain) ? 1 : 0
  else if (capacity > 0 && held > 0) domain.pending = releaseOldest(work, domain, capacity) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) work.domains.change(domain)
}

/** True when there is more to do. */
function holdNewest(work: Work, domain: DomainRow): boolean {
  const rows = work.tx.allExact<{ site: bigint }>(READ_NEWEST, domain.key, MAX_HELD_AT_ONCE)
  for (const { site: key } of rows) {
    if (capacityOf(domain) >= 0) return false
    const site = readSite(work.tx, key)
    const row = work.unendorsed.get(key)
    if (row !== undefined && holdSite(work, domain, site, row)) writeSite(work.tx, site!)
  }
  return rows.length === MAX_HELD_AT_ONCE && capacityOf(domain) < 0
}

function releaseOldest(work: Work, domain: DomainRow, capacity: number): boolean {
  const atMost = Math.min(capacity, MAX_RELEASED_AT_ONCE)
  for (const { site } of work.tx.allExact<{ site: bigint }>(READ_OLDEST_HELD, domain.key, atMost))
    releaseOne(work, domain, site, HOLDABLE)
  return domain.held > 0 && capacityOf(domain) > 0
}

function releaseOne(work: Work, domain: DomainRow, key: bigint, holdState: number): void {
  const row = work.unendorsed.get(key)
  if (row === undefined) return
  const site = readSite(work.tx, key)
  releaseSite(work, domain, site, row, holdState)
  if (site !== undefined) writeSite(work.tx, site)
}

/** A visit reports that every name of its domain resolves. */
export function learnWildcard(work: Work, part: VisitReport): void {
  const wildcard = wildcardOf(part)
  const domain = wildcard && work.domains.for(wildcard.domain)
  if (wildcard === undefined || domain === undefined) return
  domain.wildcard = 1
  work.domains.change(domain)
  work.tx.run(WRITE_WILDCARD, wildcard.addresses, work.now, domain.key)
  balanceDomain(work, domain)
}

/** What was too much for one transaction. */
export function balancePending(work: Work): void {
  for (const { name } of work.tx.all<{ name: string }>(READ_PENDING_DOMAINS, MAX_PENDING_DOMAINS)) {
    const domain = work.domains.get(name)
    if (domain !== undefined) balanceDomain(work, domain)
  }
}

const MAX_AT_ONCE = 1000

/** Releases held sites that the operator does not want held any more, some at a time. Returns the key to continue with. */
export function releaseTrusted(work: Work, from: bigint): bigint | undefined {
  const held = work.tx.allExact<{ site: bigint }>(READ_HELD_FROM, from, MAX_AT_ONCE)
  for (const { site: key } of held) {
    const site = readSite(work.tx, key)
    const domain = site === undefined ? undefined : work.domains.get(domainOf(site.name))
    if (site === undefined || domain === undefined || work.tools.mayHold(site.name)) continue
    releaseOne(work, domain, key, EXEMPT)
    work.domains.change(domain)
  }
  return held.length < MAX_AT_ONCE ? undefined : held[held.length - 1].site + 1n
}
