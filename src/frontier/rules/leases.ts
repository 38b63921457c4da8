/** How leases are awaited, given back and lost, which addresses visits hold, and what happens when a process starts. */
import type { Instant } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { queries } from '../../database/queries.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Ledger, LostVisit, NoteLost, StoredPart } from '../contract.ts'
import { checkRules, RULES_RECORD, recordOf } from '../recorded-rules.ts'
import { readRecord, recordOnce, writeRecord } from '../records.ts'
import { movePending } from './alias-moves.ts'
import { balancePending } from './domains.ts'
import type { InTransaction, Rows } from './rows.ts'
import type { Lease, SiteRow } from './site.ts'
import { eachResting, endedLeases, IN_ANY_BUCKET, leasesOf, leasesOut } from './statements.ts'
import { awaitPart, isAwaited, isBegun, leaseOf, loseVisit, returnLease, visitId } from './visit.ts'

/** Locks the sites of visits. The answer is the site whose lease is this visit's. */
async function lockVisits(rows: Rows, visits: readonly VisitId[]): Promise<(visit: VisitId) => SiteRow | undefined> {
  await rows.lockSites(visits.flatMap((visit) => leaseOf(visit)?.key ?? []))
  return (visit) => {
    const lease = leaseOf(visit)
    const site = lease && rows.sites.get(lease.key)
    return site?.fence === lease?.fence ? site : undefined
  }
}

/**
 * Parts are in the inbox: their sites must not be handed out before `applyParts` has seen them. Most change nothing and lock
 * nothing: another transaction may have the site and be applying the part before.
 */
export async function awaitParts(rows: Rows, parts: readonly StoredPart[]): Promise<void> {
  const peeked = await rows.peekSites(parts.flatMap(({ visit }) => leaseOf(visit)?.key ?? []))
  const awaited = parts.filter((part) => {
    const lease = leaseOf(part.visit)
    return lease !== undefined && isAwaited(peeked(lease.key), part, rows.now)
  })
  if (awaited.length === 0) return
  const siteOf = await lockVisits(
    rows,
    awaited.map(({ visit }) => visit),
  )
  for (const part of awaited) {
    const site = siteOf(part.visit)
    if (isAwaited(site, part, rows.now)) awaitPart(rows, site, part)
  }
  await rows.flush()
}

/** No worker has seen the visit, so its fence can be used again. */
export async function giveBack(rows: Rows, visits: readonly VisitId[]): Promise<void> {
  const siteOf = await lockVisits(rows, visits)
  for (const visit of visits) {
    const site = siteOf(visit)
    // Otherwise its lease has expired meanwhile.
    if (site?.state !== 'leased' || isBegun(site)) continue
    site.fence--
    returnLease(rows, site)
  }
  await rows.flush()
}

/** The fence is not used again: the worker may still come with it. */
export async function takeBack(rows: Rows, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]> {
  const named = new Set(has)
  const taken: VisitId[] = []
  // Sites that the worker names stay unlocked: their parts may be being applied.
  for (const site of await lockLeases(rows, worker, (lease) => !named.has(visitId(lease.key, lease.fence)))) {
    const visit = visitId(site.key, site.fence)
    if (isBegun(site) || named.has(visit)) continue
    returnLease(rows, site)
    taken.push(visit)
  }
  await rows.flush()
  return taken
}

/** Of the visits of a worker, those whose last part is not in the inbox. */
async function lockLeases(
  rows: Rows,
  worker: WorkerId,
  isWanted: (lease: Lease) => boolean = () => true,
): Promise<SiteRow[]> {
  const keys = (await leasesOf(rows, worker)).filter(isWanted).map(({ key }) => key)
  await rows.lockSites(keys)
  return keys.flatMap((key) => {
    const site = rows.sites.get(key)
    return site?.state === 'leased' && site.worker === worker ? [site] : []
  })
}

/** All leases of a worker that has ended. Visits whose last part is in the inbox have ended well. */
export async function loseWorker(rows: Rows, worker: WorkerId): Promise<LostVisit[]> {
  const lost = (await lockLeases(rows, worker)).map((site) => loseVisit(rows, site, rows.now))
  await rows.flush()
  return lost
}

/**
 * Ends leases that expired. The worker made no request after their end: by its own clock they end earlier. Among them are
 * those whose last part was stored and can't be applied: the inbox is empty, so it never will be. Sites that another
 * transaction has locked are left to the next call.
 */
export async function reap(
  rows: Rows,
  now: Instant,
  settled: Parameters<Ledger['reap']>[2] = async (sites) => sites,
): Promise<LostVisit[]> {
  await rows.readNames()
  const lost: LostVisit[] = []
  const ended = await endedLeases(rows, now)
  const sites = ended.length === 0 ? [] : await settled(ended)
  for (const site of await rows.lockIdle(sites.slice(0, MAX_AT_ONCE)))
    if (site.lease_until !== null && site.lease_until <= now) lost.push(loseVisit(rows, site, site.lease_until))
  await movePending(rows)
  await balancePending(rows)
  await rows.flush()
  return lost
}

export interface Entry {
  worker: WorkerId
  visit: VisitId
  address: string
}

interface Attempt extends Entry {
  site: SiteRow
  here: boolean
}

/**
 * One visit holds one address. An address that it may not enter is remembered: the site then goes to the holder. Each visit
 * at most once in `entries`; the answers in their order.
 */
export async function enter(rows: Rows, entries: readonly Entry[]): Promise<('here' | 'elsewhere')[]> {
  const siteOf = await lockVisits(
    rows,
    entries.map(({ visit }) => visit),
  )
  const attempts = entries.map((entry): Attempt | undefined => {
    const site = siteOf(entry.visit)
    if (site?.state !== 'leased' || site.worker !== entry.worker) return undefined
    return { ...entry, site, here: site.entered === entry.address }
  })
  const asking = attempts.flatMap((attempt) => (attempt === undefined || attempt.here ? [] : [attempt]))
  for (const [nth, here] of (await rows.hold(asking)).entries()) asking[nth].here = here
  for (const { site, address, here } of asking) {
    if (here && site.entered !== null) rows.addresses.release(site.entered, rows.now + rows.tools.addressPauseMs)
    if (here) site.entered = address
    rows.addresses.learn(site, address)
    rows.sites.change(site)
  }
  await rows.flush()
  return attempts.map((attempt) => (attempt?.here ? 'here' : 'elsewhere'))
}

/** Of two servers that begin a collection at once the second waits for the first, and must have the same rules. */
export async function agreeOnUrlRules(rows: Rows, urls: UrlReader): Promise<void> {
  const [before, opened] = await Promise.all([readRecord(rows.tx, RULES_RECORD), readRecord(rows.tx, 'opened_at')])
  checkRules(before, opened === undefined, urls)
  if (before !== undefined) return
  await recordOnce(rows.tx, RULES_RECORD, recordOf(urls.rules))
  checkRules(await readRecord(rows.tx, RULES_RECORD), false, urls)
}

/** Sites per transaction: a crawl may have millions. */
const MAX_AT_ONCE = 500

/** The last process has ended, with all its workers, and its inbox is applied: visits that are still out are lost. */
export async function loseAll(transact: InTransaction, noteLost: NoteLost = async () => {}): Promise<number> {
  let lost = 0
  for (let more = true; more; ) {
    const some = await transact((rows) => loseSome(rows, noteLost))
    lost += some
    more = some === MAX_AT_ONCE
  }
  await transact(forgetHolders)
  return lost
}

const FREE_RESERVED_SITES = `UPDATE site SET holder = '' WHERE ${IN_ANY_BUCKET} AND holder > ''`

/** No worker holds any address. */
async function forgetHolders({ tx }: Rows): Promise<void> {
  const sql = queries(tx)
  await sql.run(FREE_RESERVED_SITES)
  await sql.run('DELETE FROM address')
  if (tx.dialect === 'postgres') await sql.run('DELETE FROM address_reservation')
}

async function loseSome(rows: Rows, noteLost: NoteLost): Promise<number> {
  const out = await leasesOut(rows, MAX_AT_ONCE)
  await rows.lockSites(out)
  const lost = out.flatMap((key) => {
    const site = rows.sites.get(key)
    return site === undefined || site.lease_until === null ? [] : [loseVisit(rows, site, rows.now, true)]
  })
  await rows.flush()
  await noteLost(rows.tx, lost)
  return out.length
}

/**
 * Ranks of another order mean nothing in this one. Once, when the operator changes it. The new order is noted when all sites
 * are ranked: a process that is stopped begins again, and two servers that start at once both rank. True when there was no
 * process before this one. A command beside servers leaves their order as it is.
 */
export async function begin(transact: InTransaction, isBesideServers = false): Promise<boolean> {
  const isOther = await transact(
    async (rows) => ((await readRecord(rows.tx, 'order')) ?? rows.tools.order.name) !== rows.tools.order.name,
  )
  if (isOther && !isBesideServers)
    await eachResting(transact, MAX_AT_ONCE, (rows, site) => {
      site.state = 'waiting'
      rows.beginToWait(site)
    })
  return transact(async (rows) => {
    const first = (await readRecord(rows.tx, 'opened_at')) === undefined
    if (isBesideServers) await recordOnce(rows.tx, 'order', rows.tools.order.name)
    else await writeRecord(rows.tx, 'order', rows.tools.order.name)
    await writeRecord(rows.tx, 'opened_at', String(rows.now))
    return first
  })
}
