/**
 * Strangers of a domain with a wildcard: the newest are held when there are too many, the oldest released when there is
 * room. They are sites of any bucket, met out of the order of locks: those that another transaction has now are left to the
 * next `reap`.
 */
import type { VisitReport } from '../../contracts/report.ts'
import {
  addressesText,
  type DomainRow,
  domainOf,
  HELD,
  MAX_HELD_AT_ONCE,
  MAX_PENDING_DOMAINS,
  MAX_RELEASED_AT_ONCE,
  OPEN,
  roomIn,
  STAYS,
} from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { mayHold } from './register-in-domain.ts'
import type { UnendorsedRow } from './unendorsed-rows.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND status = ${OPEN} ORDER BY since DESC, site DESC LIMIT $2`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND status = ${HELD} ORDER BY since, site LIMIT $2`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY shard, key LIMIT $1`

/** Of a domain that was read for this transaction. */
export async function balanceDomain(working: WorkingSet, domain: DomainRow): Promise<void> {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const room = roomIn(domain)
  if (room < 0) domain.pending = (await holdNewest(working, domain)) ? 1 : 0
  else if (room > 0 && held > 0) domain.pending = (await releaseOldest(working, domain, room)) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) working.domains.change(domain)
}

/** True when there is more to do. */
async function holdNewest(working: WorkingSet, domain: DomainRow): Promise<boolean> {
  for (let left = MAX_HELD_AT_ONCE; left > 0; ) {
    const wanted = Math.min(left, -roomIn(domain))
    if (wanted <= 0) return false
    const { found, idle } = await unendorsedBy(working, READ_NEWEST, domain, wanted, OPEN)
    for (const { site, unendorsedSite } of idle) {
      if (isUnvisited(site) && mayHold(working.tools, site, domain)) {
        site.state = stateAfter(site.state, { kind: 'held' })
        working.sites.change(site)
        unendorsedSite.status = HELD
        domain.held++
      } else unendorsedSite.status = STAYS
      working.unendorsed.change(unendorsedSite)
    }
    if (idle.length < found) return true
    if (found < wanted) return false
    left -= found
  }
  return roomIn(domain) < 0
}

function isUnvisited({ fence, state }: SiteRow): boolean {
  return fence === 0 && (state === 'waiting' || state === 'free')
}

async function releaseOldest(working: WorkingSet, domain: DomainRow, room: number): Promise<boolean> {
  const atMost = Math.min(room, MAX_RELEASED_AT_ONCE)
  const { idle } = await unendorsedBy(working, READ_OLDEST_HELD, domain, atMost, HELD)
  for (const { site, unendorsedSite } of idle) {
    unendorsedSite.status = OPEN
    working.unendorsed.change(unendorsedSite)
    domain.held--
    release(working, site)
  }
  return domain.held > 0 && roomIn(domain) > 0
}

interface UnendorsedSite {
  site: SiteRow
  unendorsedSite: UnendorsedRow
}

/** Those that nobody else has now, in their order, as they are once they are this transaction's. */
async function unendorsedBy(
  working: WorkingSet,
  sql: string,
  domain: DomainRow,
  atMost: number,
  status: number,
): Promise<{ found: number; idle: UnendorsedSite[] }> {
  await Promise.all(working.unendorsed.write())
  const keys = (await working.tx.allExact<{ site: bigint }>(sql, domain.key, atMost)).map(({ site }) => site)
  const sites = new Map((await working.sites.lockIdle(keys)).map((site) => [site.key, site]))
  await working.unendorsed.read(sites.keys())
  const idle = keys.flatMap((key): UnendorsedSite[] => {
    const site = sites.get(key)
    const unendorsedSite = working.unendorsed.get(key)
    return site === undefined || unendorsedSite?.status !== status ? [] : [{ site, unendorsedSite }]
  })
  return { found: keys.length, idle }
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(working: WorkingSet, site: SiteRow): void {
  site.state = stateAfter(site.state, { kind: 'released', left: site.waiting })
  site.since = working.now
  if (site.state === 'waiting') working.beginToWait(site)
  else working.sites.change(site)
}

/** Visits say that every name of their domain resolves. They can speak of their own domain only. */
export async function learnWildcards(
  working: WorkingSet,
  parts: readonly Pick<VisitReport, 'site' | 'learnt'>[],
): Promise<void> {
  const own = parts.filter(({ site, learnt }) => learnt?.wildcard?.domain === domainOf(site))
  if (own.length === 0) return
  await working.domains.lock(own.map(({ site }) => domainOf(site)))
  for (const { site, learnt } of own) {
    const domain = working.domains.for(domainOf(site))
    if (domain === undefined) continue
    domain.wildcard = 1
    working.domains.change(domain, { addresses: addressesText(learnt?.wildcard?.addresses), at: working.now })
    await balanceDomain(working, domain)
  }
}

/** What was too much at once, or not to be had. */
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
