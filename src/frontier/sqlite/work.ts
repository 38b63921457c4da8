/** A transaction on SQLite as the rules of `../rules` see it: rows are read when they are asked for, and written at once. */
import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions } from '../contract.ts'
import { KnownTexts } from '../known-url-cache.ts'
import { type DomainWork, deferralOf } from '../rules/domains.ts'
import { rankWaiting, type SiteRow, stateAfter } from '../rules/site.ts'
import type { PartWork } from '../rules/visit.ts'
import { type SharedTools, sharedTools } from '../tools.ts'
import { AliasTable } from './aliases.ts'
import { DomainRows, seedOf, UnendorsedRows, UnendorsedSites } from './domain-rows.ts'
import { readQueueHead } from './site-rows.ts'

export interface FrontierTools extends SharedTools {
  aliases: AliasTable
  unendorsed: UnendorsedSites
  texts: KnownTexts
}

export function toolsOf(options: FrontierOptions): FrontierTools {
  return {
    ...sharedTools(options),
    aliases: new AliasTable(options.urls),
    unendorsed: new UnendorsedSites(),
    texts: new KnownTexts(),
  }
}

export const MARK_REST_GONE = `UPDATE url SET mark = 4 WHERE site = ? AND mark = 0`
const FORGET_SPELLINGS_OF_SITE = `DELETE FROM url_spelling WHERE site = ?`

export class Work implements PartWork, DomainWork {
  readonly tx: SqliteTx
  readonly tools: FrontierTools
  readonly now: Instant
  readonly addresses: AddressRows
  readonly domains: DomainRows
  readonly unendorsed: UnendorsedRows
  readonly linkingSites = { seedOf: (site: bigint) => seedOf(this.tx, site) }

  constructor(tx: SqliteTx, tools: FrontierTools) {
    this.tx = tx
    this.tools = tools
    this.now = tools.time.now()
    this.addresses = new AddressRows(tx)
    this.domains = new DomainRows(tx)
    this.unendorsed = new UnendorsedRows(tx, tools.unendorsed)
  }

  /** A site that need not wait is free at once. */
  beginToWait(site: SiteRow): void {
    rankWaiting(this.tools.order, site, readQueueHead(this.tx, site.key))
    if (site.not_before <= this.now) site.state = stateAfter(site.state, { kind: 'due' })
  }

  giveUp(site: SiteRow): void {
    this.tx.run(MARK_REST_GONE, site.key)
    this.tx.run(FORGET_SPELLINGS_OF_SITE, site.key)
  }
}

export const RELEASE_ADDRESS = `
  UPDATE address SET visits = max(0, visits - 1), until = max(until, ?) WHERE address = ?`
export const LEAVE_ADDRESS = `UPDATE address_sites SET sites = sites - 1 WHERE address = ?`
export const JOIN_ADDRESS = `
  INSERT INTO address_sites (address, sites) VALUES (?, 1) ON CONFLICT (address) DO UPDATE SET sites = sites + 1`
export const READ_ADDRESS_SITES = `SELECT sites FROM address_sites WHERE address = ?`

class AddressRows {
  readonly #tx: SqliteTx

  constructor(tx: SqliteTx) {
    this.#tx = tx
  }

  release(address: string, until: Instant): void {
    this.#tx.run(RELEASE_ADDRESS, until, address)
  }

  /** Where a site was found. A site at an address with very many others is deferred. */
  learn(site: SiteRow, address: string): void {
    if (address === site.address) return
    if (site.address !== null) this.#tx.run(LEAVE_ADDRESS, site.address)
    this.#tx.run(JOIN_ADDRESS, address)
    site.address = address
    if (site.seed === 1) return
    const sites = this.#tx.get<{ sites: number }>(READ_ADDRESS_SITES, address)?.sites ?? 1
    site.deferral = Math.max(site.deferral, deferralOf(sites))
  }
}
