/**
 * Moves what waits at an alias to the original: marked here and entered there, some at a time. Never during a visit, which
 * may be fetching it.
 */

import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import {
  type AliasAnswer,
  linksToMove,
  MAX_MOVED,
  MAX_NAMES_DROPPED,
  MAX_PENDING_NAMES,
  MAX_STAYING,
  type NewAlias,
} from '../aliases.ts'
import { linkOfRow, REPLACED } from '../rules/mark.ts'
import { keyOf, restAfter, type SiteRow, wake } from '../rules/site.ts'
import { admit } from './admit.ts'
import { aliasesAmong } from './aliases.ts'
import { bucketFor, bySite, column, eachBucket } from './by-bucket.ts'
import { readSites } from './site-rows.ts'
import { readVias, URL_COLUMNS, type UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_WAITING = `
  SELECT ${URL_COLUMNS} FROM url u WHERE u.bucket = $1 AND u.site = $2 AND u.mark = 0 ORDER BY u.due_at, u.seq LIMIT $3`
export const REVIVE_REPLACED = `
  UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE bucket = $1 AND site = $2 AND mark = ${REPLACED}`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY bucket, site LIMIT $1`
/** Most aliases have nothing to move, for they are learnt at their home pages. */
export const READ_IDLE_PENDING = `
  SELECT a.site FROM site_alias a LEFT JOIN site s ON s.bucket = a.bucket AND s.key = a.site
  WHERE a.pending = 1 AND coalesce(s.waiting, 0) = 0 LIMIT $1`
export const CLEAR_PENDING = `UPDATE site_alias SET pending = 0 WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const WRITE_PENDING = `UPDATE site_alias SET pending = $3 WHERE bucket = $1 AND site = $2 AND pending <> $3`
export const READ_NAMES_OF = `SELECT name FROM site_alias WHERE original = $1 LIMIT $2`

/** The alias's site is locked. Returns how many were moved. */
async function moveWaiting(working: WorkingSet, name: SiteName, atMost: number): Promise<number> {
  const key = keyOf(name)
  const bucket = bucketFor(key)
  const site = working.sites.get(key)
  // What a visit has on its agenda belongs to it until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  if (!(await isToBeHad(working, name))) {
    await working.flush()
    await working.tx.run(WRITE_PENDING, bucket, key, 1)
    return 0
  }
  // What waits is read from the database, with what this transaction has changed.
  await working.flush()
  if (!(await aliasesAmong(working.tx, [key])).has(key)) return 0
  const rows = site === undefined ? [] : await readWaiting(working, site, atMost + MAX_STAYING)
  const { moved, more } = linksToMove(working.renaming, await linksOf(working.tx, name, rows), atMost)
  // Other servers enter links at a new alias until they see it: it is checked once more.
  await working.tx.run(WRITE_PENDING, bucket, key, more || working.names.isNew(name) ? 1 : 0)
  if (site === undefined || moved.length === 0) return 0
  for (const { row } of moved) {
    row.mark = REPLACED
    working.urls.change(row)
    working.spellings.forget(row)
  }
  site.waiting -= moved.length
  restAfter(working, site, 'moved')
  working.sites.change(site)
  const links = moved.flatMap((each) => each.links)
  await admit(working, links)
  return moved.length
}

/** The original may come out of the order of locks: when another transaction has it, the alias stays pending. */
async function isToBeHad(working: WorkingSet, name: SiteName): Promise<boolean> {
  const original = working.names.originalOf(name)?.site
  if (original === undefined) return true
  const key = keyOf(original)
  if (working.sites.isLocked(key) || (await working.sites.lockIdle([key])).length > 0) return true
  return !(await readSites(working.tx, [key])).has(key)
}

async function readWaiting(working: WorkingSet, { key: site }: SiteRow, atMost: number): Promise<UrlRow[]> {
  const rows = await working.tx.allExact<UrlRow>(READ_WAITING, bucketFor(site), site, atMost)
  await working.readUrls(rows)
  return rows.flatMap(({ key }) => working.urls.get(site, key) ?? [])
}

async function linksOf(
  tx: PostgresTx,
  site: SiteName,
  rows: readonly UrlRow[],
): Promise<{ row: UrlRow; link: Link }[]> {
  const viaOf = await readVias(tx, rows)
  return rows.map((row) => ({ row, link: linkOfRow(site, row, viaOf(row)) }))
}

/** After visits have ended, whose sites are locked. */
export async function moveRested(working: WorkingSet, resting: readonly SiteRow[]): Promise<void> {
  for (const { name, waiting } of resting)
    if (waiting > 0 && working.names.originalOf(name) !== undefined) await moveWaiting(working, name, MAX_MOVED)
}

/**
 * What was too much at once, and what waits in sites that are never visited. Sites that others have locked are left to the
 * next call.
 */
export async function movePending(working: WorkingSet): Promise<void> {
  const idle = await working.tx.allExact<{ site: bigint }>(READ_IDLE_PENDING, MAX_MOVED)
  await eachBucket(idle, bySite, (bucket, rows) => working.tx.run(CLEAR_PENDING, bucket, column(rows, 'site')))
  let left = MAX_MOVED
  for (const { name } of await working.tx.all<{ name: SiteName }>(READ_PENDING, MAX_PENDING_NAMES)) {
    const key = keyOf(name)
    const isThere = (await readSites(working.tx, [key])).has(key)
    if (isThere && (await working.sites.lockIdle([key])).length === 0) continue
    if (!isThere) await working.sites.lock([key])
    left -= await moveWaiting(working, name, left)
    if (left <= 0) return
  }
}

export async function addAlias(working: WorkingSet, given: NewAlias): Promise<AliasAnswer> {
  await working.readNames()
  const original = keyOf(given.original)
  const [sites] = await Promise.all([readSites(working.tx, [original]), working.sites.lock([keyOf(given.name)])])
  const answer = working.names.add(given, working.now, () => sites.get(original)?.state === 'barred')
  if (answer === 'taken') await moveWaiting(working, given.name, MAX_MOVED)
  return answer
}

/** What was moved from the alias without ever being fetched there waits there again. */
export async function dropAlias(working: WorkingSet, name: SiteName): Promise<boolean> {
  if (!working.names.drop(name)) return false
  const key = keyOf(name)
  await working.sites.lock([key])
  const site = working.sites.get(key)
  if (site === undefined || site.name !== name || site.state === 'barred') return true
  await working.flush()
  const revived = await working.tx.run(REVIVE_REPLACED, bucketFor(key), key)
  if (revived === 0) return true
  site.waiting += revived
  working.sites.change(site)
  wake(working, site)
  return true
}

/** Nothing can be entered at an original that was given up. */
export async function dropAliasesOf(working: WorkingSet, original: SiteName): Promise<void> {
  if (working.names.isEmpty) return
  await working.flush()
  const rows = await working.tx.all<{ name: SiteName }>(READ_NAMES_OF, original, MAX_NAMES_DROPPED)
  await working.sites.lock(rows.map(({ name }) => keyOf(name)))
  for (const { name } of rows) await dropAlias(working, name)
}
