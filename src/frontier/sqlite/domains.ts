/** A domain as its row has it: read, changed in memory, written once. */

import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import {
  addressesText,
  type DomainRow,
  type DomainView,
  deferralOf,
  domainKey,
  domainOf,
  domainView,
  EXEMPT,
  HELD,
  isOwnSite,
  MAX_HELD_AT_ONCE,
  MAX_PENDING_DOMAINS,
  MAX_RELEASED_AT_ONCE,
  newDomain,
  OPEN,
  roomIn,
} from '../rules/domains.ts'
import { type SiteRow, stateAfter } from '../rules/site.ts'
import { pageOf } from './enqueue.ts'
import { beginToWait, readSite, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'

export const READ_DOMAIN = `SELECT name, sites, unendorsed, held, wildcard, pending FROM domain WHERE key = ?`
export const READ_DOMAIN_LOOK = `
  SELECT name, sites, unendorsed, held, wildcard, addresses, probed_at FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, unendorsed, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, unendorsed = excluded.unendorsed, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
export const WRITE_WILDCARD = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY key LIMIT ?`
export const COUNT_HELD_DOMAINS = `SELECT count(*) AS n FROM domain WHERE held > 0`

/** Undefined when it is not there, or when another name has the same 64 bits. */
export function readDomain(tx: SqliteTx, name: string): DomainRow | undefined {
  const key = domainKey(name)
  const row = tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
  return row?.name === name ? Object.assign(row, { key }) : undefined
}

/** A new one has nothing yet. Of two names with the same 64 bits the second is as good as a domain without limits. */
export function domainFor(tx: SqliteTx, name: string): DomainRow | undefined {
  const key = domainKey(name)
  const row = tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
  if (row === undefined) return newDomain(name)
  return row.name === name ? Object.assign(row, { key }) : undefined
}

export function writeDomain(tx: SqliteTx, domain: DomainRow): void {
  const { key, name, sites, unendorsed, held, wildcard, pending } = domain
  tx.run(WRITE_DOMAIN, key, name, sites, unendorsed, held, wildcard, pending)
}

export function viewOfDomain(tx: SqliteTx, name: string): DomainView | undefined {
  const row = tx.get<Parameters<typeof domainView>[0]>(READ_DOMAIN_LOOK, domainKey(name))
  return row?.name === name ? domainView(row) : undefined
}

/** Sites that nobody vouches for, a row each, and a set in memory that spares all others the look-up. */

export const READ_UNENDORSED_SITE = `SELECT domain, referrer, since, hold_state FROM unendorsed_site WHERE site = ?`
export const ADD_UNENDORSED_SITE = `INSERT INTO unendorsed_site (site, domain, referrer, since, hold_state) VALUES (?, ?, ?, ?, ?)`
export const WRITE_REFERRER = `UPDATE unendorsed_site SET referrer = ? WHERE site = ?`
export const WRITE_HOLD_STATE = `UPDATE unendorsed_site SET hold_state = ? WHERE site = ?`
export const REMOVE_UNENDORSED_SITE = `DELETE FROM unendorsed_site WHERE site = ?`
export const READ_UNENDORSED = `SELECT site FROM unendorsed_site`

export interface UnendorsedRow {
  domain: bigint
  referrer: bigint | null
  since: bigint
  hold_state: bigint
}

/**
 * Who may be a stranger. Whoever ever was one in this process stays in it, so that a transaction that is taken back does
 * no harm: a row decides. 8 to 16 bytes each, so a million take 16 MB.
 */
export class UnendorsedSites {
  #sites: HashSet64 | undefined

  add(tx: SqliteTx, site: bigint): void {
    this.#loaded(tx).add(unsigned64(site))
  }

  read(tx: SqliteTx, site: bigint): UnendorsedRow | undefined {
    const sites = this.#loaded(tx)
    if (sites.size === 0 || !sites.has(unsigned64(site))) return undefined
    return tx.getExact<UnendorsedRow>(READ_UNENDORSED_SITE, site)
  }

  #loaded(tx: SqliteTx): HashSet64 {
    if (this.#sites !== undefined) return this.#sites
    this.#sites = new HashSet64()
    for (const { site } of tx.eachExact<{ site: bigint }>(READ_UNENDORSED)) this.#sites.add(unsigned64(site))
    return this.#sites
  }
}

/** Who speaks for a site, and whether that is enough: the rule of `../rules/domains.ts`. */

export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`

/** Sites by what they say of one. */
export interface Endorsement {
  endorsed: boolean
  /** The one that counts, as long as it is only one. */
  referrer: bigint | null
}

type Links = readonly Pick<Link, 'via'>[]

export function weighReferrers(
  tx: SqliteTx,
  tools: FrontierTools,
  site: bigint,
  domain: string,
  links: Links,
  before: Endorsement,
): Endorsement {
  let { referrer } = before
  const heard = new Set<bigint>()
  for (const { via } of links) {
    // No page has it: the coordinator itself wants it.
    if (via === '') return { endorsed: true, referrer }
    const { site: linkingSite, name } = pageOf(tx, via)
    if (
      linkingSite === null ||
      name === undefined ||
      linkingSite === site ||
      linkingSite === referrer ||
      heard.has(linkingSite)
    )
      continue
    heard.add(linkingSite)
    const weight = weightOf(tx, tools, linkingSite, name, domain)
    if (weight === 2 || (weight === 1 && referrer !== null)) return { endorsed: true, referrer }
    if (weight === 1) referrer = linkingSite
  }
  return { endorsed: false, referrer }
}

/** Two are enough. */
function weightOf(tx: SqliteTx, tools: FrontierTools, linkingSite: bigint, name: string, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && readDomain(tx, own)?.wildcard !== 1) return 2
  const known = tx.get<{ seed: number }>(READ_IS_SEED, linkingSite)
  if (known === undefined) return 0
  if (known.seed === 1) return 2
  return tools.unendorsed.read(tx, linkingSite) === undefined ? 1 : 0
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
function isNews(tx: SqliteTx, site: bigint, links: Links, referrer: bigint | null): boolean {
  return links.some(({ via }) => {
    const linkingSite = pageOf(tx, via).site
    return linkingSite !== site && linkingSite !== referrer
  })
}

export interface Endorsed {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`). Undefined when nothing changes: it was vouched for before,
 * or is not yet. Else it is a stranger no more, and the domain's row says so; its own row is the caller's to change.
 */
export function endorse(
  tx: SqliteTx,
  tools: FrontierTools,
  site: { key: bigint; name: string },
  links: Links,
  named: boolean,
): Endorsed | undefined {
  const unendorsedSite = tools.unendorsed.read(tx, site.key)
  if (unendorsedSite === undefined || !(named || isNews(tx, site.key, links, unendorsedSite.referrer))) return undefined
  const domain = readDomain(tx, domainOf(site.name))
  if (domain === undefined || domain.key !== unendorsedSite.domain) return undefined
  const { endorsed, referrer } = named
    ? { endorsed: true, referrer: unendorsedSite.referrer }
    : weighReferrers(tx, tools, site.key, domain.name, links, { endorsed: false, referrer: unendorsedSite.referrer })
  if (!endorsed) {
    if (referrer !== unendorsedSite.referrer) tx.run(WRITE_REFERRER, referrer, site.key)
    return undefined
  }
  const wasHeld = Number(unendorsedSite.hold_state) === HELD
  tx.run(REMOVE_UNENDORSED_SITE, site.key)
  domain.unendorsed--
  if (wasHeld) domain.held--
  writeDomain(tx, domain)
  return { domain, wasHeld }
}

/**
 * A new site takes its place in its domain: behind others where there are many, held where there are too many that nobody
 * vouches for. Changes the site's row, which the caller writes; says in which domain there may be room for others now.
 */
export function registerInDomain(
  tx: SqliteTx,
  tools: FrontierTools,
  site: SiteRow,
  links: readonly Pick<Link, 'via'>[],
  named: boolean,
): DomainRow | undefined {
  const domain = domainFor(tx, domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.deferral = Math.max(site.deferral, deferralOf(domain.sites))
  const nobody = { endorsed: named, referrer: null }
  const { endorsed, referrer } = named ? nobody : weighReferrers(tx, tools, site.key, domain.name, links, nobody)
  if (!endorsed) {
    domain.unendorsed++
    const hold_state = !mayHold(tools, site, domain)
      ? EXEMPT
      : domain.wildcard === 1 && roomIn(domain) < 0
        ? HELD
        : OPEN
    tx.run(ADD_UNENDORSED_SITE, site.key, domain.key, referrer, tools.time.now(), hold_state)
    tools.unendorsed.add(tx, site.key)
    if (hold_state === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  writeDomain(tx, domain)
  return endorsed ? domain : undefined
}

export function mayHold(tools: FrontierTools, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && tools.mayHold(site.name)
}

/** Strangers of a domain with a wildcard: the newest are held when there are too many, the oldest released when there is room. */

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${OPEN} ORDER BY since DESC, site DESC LIMIT ?`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${HELD} ORDER BY since, site LIMIT ?`

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
      tx.run(WRITE_HOLD_STATE, HELD, key)
      domain.held++
    } else tx.run(WRITE_HOLD_STATE, EXEMPT, key)
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
    tx.run(WRITE_HOLD_STATE, OPEN, key)
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
