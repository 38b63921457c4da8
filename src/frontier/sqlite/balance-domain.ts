/** Strangers of a domain with a wildcard: the newest are held when there are too many, the oldest released when there is room. */

import type { VisitReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
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
import { beginToWait } from './begin-to-wait.ts'
import { domainFor, READ_PENDING_DOMAINS, readDomain, WRITE_WILDCARD, writeDomain } from './domain-row.ts'
import { readSite } from './read-site.ts'
import { mayHold } from './register-in-domain.ts'
import type { FrontierTools } from './tools.ts'
import { WRITE_STATUS } from './unendorsed.ts'
import { writeSite } from './write-site.ts'

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND status = ${OPEN} ORDER BY since DESC, site DESC LIMIT ?`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND status = ${HELD} ORDER BY since, site LIMIT ?`

/** The row as it is in the database; it is written again when anything changed. */
export function balanceDomain(tx: SqliteTx, tools: FrontierTools, domain: DomainRow): void {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const room = roomIn(domain)
  if (room < 0) domain.pending = holdNewest(tx, tools, domain) ? 1 : 0
  else if (room > 0 && held > 0) domain.pending = releaseOldest(tx, tools, domain, room) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) writeDomain(tx, domain)
}

/** True when there is more to do. */
function holdNewest(tx: SqliteTx, tools: FrontierTools, domain: DomainRow): boolean {
  const rows = tx.allExact<{ site: bigint }>(READ_NEWEST, domain.key, MAX_HELD_AT_ONCE)
  for (const { site: key } of rows) {
    if (roomIn(domain) >= 0) return false
    const site = readSite(tx, key)
    if (site !== undefined && isUnvisited(site) && mayHold(tools, site, domain)) {
      site.state = stateAfter(site.state, { kind: 'held' })
      writeSite(tx, site)
      tx.run(WRITE_STATUS, HELD, key)
      domain.held++
    } else tx.run(WRITE_STATUS, STAYS, key)
  }
  return rows.length === MAX_HELD_AT_ONCE && roomIn(domain) < 0
}

function isUnvisited({ fence, state }: SiteRow): boolean {
  return fence === 0 && (state === 'waiting' || state === 'free')
}

function releaseOldest(tx: SqliteTx, tools: FrontierTools, domain: DomainRow, room: number): boolean {
  const atMost = Math.min(room, MAX_RELEASED_AT_ONCE)
  for (const { site: key } of tx.allExact<{ site: bigint }>(READ_OLDEST_HELD, domain.key, atMost)) {
    const site = readSite(tx, key)
    tx.run(WRITE_STATUS, OPEN, key)
    domain.held--
    if (site === undefined) continue
    release(tx, tools, site)
    writeSite(tx, site)
  }
  return domain.held > 0 && roomIn(domain) > 0
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  site.state = stateAfter(site.state, { kind: 'released', left: site.waiting })
  site.since = tools.time.now()
  if (site.state === 'waiting') beginToWait(tx, tools, site)
}

/** A visit says that every name of its domain resolves. It can speak of its own domain only. */
export function learnWildcard(
  tx: SqliteTx,
  tools: FrontierTools,
  { site, learnt }: Pick<VisitReport, 'site' | 'learnt'>,
): void {
  const name = domainOf(site)
  if (learnt?.wildcard?.domain !== name) return
  const domain = domainFor(tx, name)
  if (domain === undefined) return
  domain.wildcard = 1
  writeDomain(tx, domain)
  tx.run(WRITE_WILDCARD, addressesText(learnt.wildcard.addresses), tools.time.now(), domain.key)
  balanceDomain(tx, tools, domain)
}

/** What was too much at once. */
export function balancePending(tx: SqliteTx, tools: FrontierTools): void {
  for (const { name } of tx.all<{ name: string }>(READ_PENDING_DOMAINS, MAX_PENDING_DOMAINS)) {
    const domain = readDomain(tx, name)
    if (domain !== undefined) balanceDomain(tx, tools, domain)
  }
}
