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
  MOST_HELD_AT_ONCE,
  MOST_PENDING_DOMAINS,
  MOST_RELEASED_AT_ONCE,
  OPEN,
  roomIn,
  STAYS,
} from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { mayHold } from './enrol.ts'
import type { Sheaf } from './sheaf.ts'
import type { StrangerRow } from './stranger-rows.ts'

export const READ_NEWEST = `
  SELECT site FROM stranger WHERE domain = $1 AND standing = ${OPEN} ORDER BY since DESC, site DESC LIMIT $2`
export const READ_OLDEST_HELD = `
  SELECT site FROM stranger WHERE domain = $1 AND standing = ${HELD} ORDER BY since, site LIMIT $2`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY shard, key LIMIT $1`

/** Of a domain that was read for this transaction. */
export async function balanceDomain(sheaf: Sheaf, domain: DomainRow): Promise<void> {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const room = roomIn(domain)
  if (room < 0) domain.pending = (await holdNewest(sheaf, domain)) ? 1 : 0
  else if (room > 0 && held > 0) domain.pending = (await releaseOldest(sheaf, domain, room)) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) sheaf.domains.change(domain)
}

/** True when there is more to do. */
async function holdNewest(sheaf: Sheaf, domain: DomainRow): Promise<boolean> {
  for (let left = MOST_HELD_AT_ONCE; left > 0; ) {
    const wanted = Math.min(left, -roomIn(domain))
    if (wanted <= 0) return false
    const { found, idle } = await strangersBy(sheaf, READ_NEWEST, domain, wanted, OPEN)
    for (const { site, stranger } of idle) {
      if (isUnvisited(site) && mayHold(sheaf.rules, site, domain)) {
        site.state = stateAfter(site.state, { kind: 'held' })
        sheaf.sites.change(site)
        stranger.standing = HELD
        domain.held++
      } else stranger.standing = STAYS
      sheaf.strangers.change(stranger)
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

async function releaseOldest(sheaf: Sheaf, domain: DomainRow, room: number): Promise<boolean> {
  const atMost = Math.min(room, MOST_RELEASED_AT_ONCE)
  const { idle } = await strangersBy(sheaf, READ_OLDEST_HELD, domain, atMost, HELD)
  for (const { site, stranger } of idle) {
    stranger.standing = OPEN
    sheaf.strangers.change(stranger)
    domain.held--
    release(sheaf, site)
  }
  return domain.held > 0 && roomIn(domain) > 0
}

interface Stranger {
  site: SiteRow
  stranger: StrangerRow
}

/** Those that nobody else has now, in their order, as they are once they are this transaction's. */
async function strangersBy(
  sheaf: Sheaf,
  sql: string,
  domain: DomainRow,
  atMost: number,
  standing: number,
): Promise<{ found: number; idle: Stranger[] }> {
  await Promise.all(sheaf.strangers.write())
  const keys = (await sheaf.tx.allExact<{ site: bigint }>(sql, domain.key, atMost)).map(({ site }) => site)
  const sites = new Map((await sheaf.sites.lockIdle(keys)).map((site) => [site.key, site]))
  await sheaf.strangers.read(sites.keys())
  const idle = keys.flatMap((key): Stranger[] => {
    const site = sites.get(key)
    const stranger = sheaf.strangers.get(key)
    return site === undefined || stranger?.standing !== standing ? [] : [{ site, stranger }]
  })
  return { found: keys.length, idle }
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(sheaf: Sheaf, site: SiteRow): void {
  site.state = stateAfter(site.state, { kind: 'released', left: site.waiting })
  site.since = sheaf.now
  if (site.state === 'waiting') sheaf.beginToWait(site)
  else sheaf.sites.change(site)
}

/** Visits say that every name of their domain resolves. They can speak of their own domain only. */
export async function learnWildcards(
  sheaf: Sheaf,
  parts: readonly Pick<VisitReport, 'site' | 'learnt'>[],
): Promise<void> {
  const own = parts.filter(({ site, learnt }) => learnt?.wildcard?.domain === domainOf(site))
  if (own.length === 0) return
  await sheaf.domains.lock(own.map(({ site }) => domainOf(site)))
  for (const { site, learnt } of own) {
    const domain = sheaf.domains.for(domainOf(site))
    if (domain === undefined) continue
    domain.wildcard = 1
    sheaf.domains.change(domain, { addresses: addressesText(learnt?.wildcard?.addresses), at: sheaf.now })
    await balanceDomain(sheaf, domain)
  }
}

/** What was too much at once, or not to be had. */
export async function balancePending(sheaf: Sheaf): Promise<void> {
  const pending = await sheaf.tx.all<{ name: string }>(READ_PENDING_DOMAINS, MOST_PENDING_DOMAINS)
  const names = pending.map(({ name }) => name)
  if (names.length === 0) return
  await sheaf.domains.read(names)
  for (const name of names) {
    const domain = sheaf.domains.get(name)
    if (domain !== undefined) await balanceDomain(sheaf, domain)
  }
}
