/**
 * What waits in a site that turned out to be another name: it goes to the original, marked here and entered there, some at
 * a time. Never while a visit is out, which may be asking for it.
 */
import { unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import {
  type AliasAnswer,
  MAX_MOVED,
  MAX_NAMES_DROPPED,
  MAX_PENDING_NAMES,
  type NewAlias,
  renamed,
} from '../aliases.ts'
import { REPLACED } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { stateAfter } from '../rules/site.ts'
import { admit } from './admit.ts'
import { aliasesAmong } from './aliases.ts'
import { bucketFor, byBucket, column, eachBucket } from './by-bucket.ts'
import { readSites } from './site-rows.ts'
import { readUrlTexts, URL_COLUMNS, type UrlPlace, type UrlRow } from './url-rows.ts'
import { keyOf, type WorkingSet } from './working-set.ts'

/** Home pages stay, and are few. */
const MAX_STAYING = 10

export const READ_WAITING = `
  SELECT ${URL_COLUMNS} FROM url u WHERE u.bucket = $1 AND u.site = $2 AND u.mark = 0 ORDER BY u.due_at, u.seq LIMIT $3`
export const REVIVE_REPLACED = `
  UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE bucket = $1 AND site = $2 AND mark = ${REPLACED}`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY bucket, site LIMIT $1`
/** Where nothing waits there is nothing to move: most names, for they are learnt at their home pages. */
export const READ_IDLE_PENDING = `
  SELECT a.site FROM site_alias a LEFT JOIN site s ON s.bucket = a.bucket AND s.key = a.site
  WHERE a.pending = 1 AND coalesce(s.waiting, 0) = 0 LIMIT $1`
export const CLEAR_PENDING = `UPDATE site_alias SET pending = 0 WHERE bucket = $1 AND site = ANY($2::bigint[])`
export const WRITE_PENDING = `UPDATE site_alias SET pending = $3 WHERE bucket = $1 AND site = $2 AND pending <> $3`
export const READ_NAMES_OF = `SELECT name FROM site_alias WHERE original = $1 LIMIT $2`

/** Its site is locked. Says how many went. */
async function moveWaiting(working: WorkingSet, name: SiteName, atMost: number): Promise<number> {
  const key = keyOf(name)
  const bucket = bucketFor(key)
  const site = working.sites.get(key)
  // What a visit has on its agenda is its own until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  if (!(await isToBeHad(working, name))) {
    await working.flush()
    await working.tx.run(WRITE_PENDING, bucket, key, 1)
    return 0
  }
  // What waits is read from the database, with what this transaction has to say of it.
  await working.flush()
  if (!(await aliasesAmong(working.tx, [key])).has(key)) return 0
  const rows = site === undefined ? [] : await readWaiting(working, site, atMost + MAX_STAYING)
  const links = await linksOf(working.tx, name, rows)
  const going = rows.flatMap((row, at) => {
    const moved = renamed(working.renaming, [links[at]]).links
    return moved[0].site === name ? [] : [{ row, links: moved }]
  })
  const moved = going.slice(0, atMost)
  const more = moved.length > 0 && (going.length > atMost || rows.length === atMost + MAX_STAYING)
  // Others enter links under a new name until they see it: it is looked at once more.
  await working.tx.run(WRITE_PENDING, bucket, key, more || working.names.isNew(name) ? 1 : 0)
  if (site === undefined || moved.length === 0) return 0
  for (const { row } of moved) {
    row.mark = REPLACED
    working.urls.change(row)
    working.spellings.forget(row)
  }
  site.waiting -= moved.length
  site.state = stateAfter(site.state, { kind: 'moved', left: site.waiting })
  if (site.state === 'waiting') working.beginToWait(site)
  else working.sites.change(site)
  await admit(
    working,
    moved.flatMap((each) => each.links),
  )
  return moved.length
}

/** The original may be met out of the order of locks: when somebody else has it now, its names stay pending. */
async function isToBeHad(working: WorkingSet, name: SiteName): Promise<boolean> {
  const original = working.names.originalOf(name)?.site
  if (original === undefined) return true
  const key = keyOf(original)
  if (working.sites.isLocked(key) || (await working.sites.lockIdle([key])).length > 0) return true
  return !(await readSites(working.tx, [key])).has(key)
}

async function readWaiting(working: WorkingSet, { key: site }: SiteRow, atMost: number): Promise<UrlRow[]> {
  const rows = await working.tx.allExact<UrlRow>(READ_WAITING, bucketFor(site), site, atMost)
  const places = rows.map(({ key }): UrlPlace => ({ site, key }))
  await working.readUrls(places)
  return places.flatMap(({ key }) => working.urls.get(site, key) ?? [])
}

/** As they were found. */
async function linksOf(tx: PostgresTx, site: SiteName, rows: readonly UrlRow[]): Promise<Link[]> {
  const texts = await readUrlTexts(
    tx,
    rows.flatMap(({ via_site, via_key }) =>
      via_site === null || via_key === null ? [] : { site: via_site, key: via_key },
    ),
  )
  return rows.map((row) => {
    const via = row.via_site === null || row.via_key === null ? undefined : texts.of(row.via_site, row.via_key)
    const { url, depth, path, lastmod } = row
    const link: Link = { url, key: unsigned64(row.key), site, depth, via: via ?? '', path }
    return lastmod === null ? link : { ...link, lastmod }
  })
}

/** After visits have ended: their sites are locked. What waits in another name goes to the original. */
export async function moveRested(working: WorkingSet, names: readonly SiteName[]): Promise<void> {
  for (const name of names) {
    const isIdle = working.sites.get(keyOf(name))?.waiting === 0
    if (!isIdle && working.names.originalOf(name) !== undefined) await moveWaiting(working, name, MAX_MOVED)
  }
}

/** What was too much at once, and what waits in sites that nobody visits. Sites that others have now come next time. */
export async function movePending(working: WorkingSet): Promise<void> {
  const idle = await working.tx.allExact<{ site: bigint }>(READ_IDLE_PENDING, MAX_MOVED)
  const buckets = byBucket(idle, ({ site }) => site)
  await eachBucket(buckets, (bucket, rows) => working.tx.run(CLEAR_PENDING, bucket, column(rows, 'site')))
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

/** A name that is one no more: what was moved without ever being asked for there waits there again. */
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
  working.wake(site)
  return true
}

/** An original that was given up is no place to enter anything at. */
export async function dropNamesOf(working: WorkingSet, original: SiteName): Promise<void> {
  if (working.names.isEmpty) return
  await working.flush()
  const rows = await working.tx.all<{ name: SiteName }>(READ_NAMES_OF, original, MAX_NAMES_DROPPED)
  await working.sites.lock(rows.map(({ name }) => keyOf(name)))
  for (const { name } of rows) await dropAlias(working, name)
}
