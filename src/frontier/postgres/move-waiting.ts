/**
 * What waits in a site that turned out to be another name: it goes to the original, marked here and entered there, some at
 * a time. Never while a visit is out, which may be asking for it.
 */
import { unsigned64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type AliasAnswer, MOST_MOVED, MOST_NAMES_DROPPED, MOST_PENDING_NAMES, type NewAlias } from '../aliases.ts'
import { REPLACED } from '../mark.ts'
import { renamed } from '../rename.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { admit } from './admit.ts'
import { aliasesAmong } from './alias-book.ts'
import { bucketFor, byBucket, column, eachBucket } from './by-bucket.ts'
import { readUrlTexts } from './read-url-texts.ts'
import { keyOf, type Sheaf } from './sheaf.ts'
import { readSites } from './site-rows.ts'
import { URL_COLUMNS, type UrlPlace, type UrlRow } from './url-rows.ts'

/** Home pages stay, and are few. */
const MOST_STAYING = 10

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
async function moveWaiting(sheaf: Sheaf, name: SiteName, atMost: number): Promise<number> {
  const key = keyOf(name)
  const bucket = bucketFor(key)
  const site = sheaf.sites.get(key)
  // What a visit has on its agenda is its own until it ends.
  if (site?.state === 'leased' || site?.state === 'returning') return 0
  if (!(await isToBeHad(sheaf, name))) {
    await sheaf.flush()
    await sheaf.tx.run(WRITE_PENDING, bucket, key, 1)
    return 0
  }
  // What waits is read from the database, with what this transaction has to say of it.
  await sheaf.flush()
  if (!(await aliasesAmong(sheaf.tx, [key])).has(key)) return 0
  const rows = site === undefined ? [] : await readWaiting(sheaf, site, atMost + MOST_STAYING)
  const links = await linksOf(sheaf.tx, name, rows)
  const going = rows.flatMap((row, at) => {
    const moved = renamed(sheaf.renaming, [links[at]]).links
    return moved[0].site === name ? [] : [{ row, links: moved }]
  })
  const moved = going.slice(0, atMost)
  const more = moved.length > 0 && (going.length > atMost || rows.length === atMost + MOST_STAYING)
  // Others enter links under a new name until they see it: it is looked at once more.
  await sheaf.tx.run(WRITE_PENDING, bucket, key, more || sheaf.names.isNew(name) ? 1 : 0)
  if (site === undefined || moved.length === 0) return 0
  for (const { row } of moved) {
    row.mark = REPLACED
    sheaf.urls.change(row)
    sheaf.spellings.forget(row)
  }
  site.waiting -= moved.length
  site.state = stateAfter(site.state, { kind: 'moved', left: site.waiting })
  if (site.state === 'waiting') sheaf.beginToWait(site)
  else sheaf.sites.change(site)
  await admit(
    sheaf,
    moved.flatMap((each) => each.links),
  )
  return moved.length
}

/** The original may be met out of the order of locks: when somebody else has it now, its names stay pending. */
async function isToBeHad(sheaf: Sheaf, name: SiteName): Promise<boolean> {
  const original = sheaf.names.originalOf(name)?.site
  if (original === undefined) return true
  const key = keyOf(original)
  if (sheaf.sites.isLocked(key) || (await sheaf.sites.lockIdle([key])).length > 0) return true
  return !(await readSites(sheaf.tx, [key])).has(key)
}

async function readWaiting(sheaf: Sheaf, { key: site }: SiteRow, atMost: number): Promise<UrlRow[]> {
  const rows = await sheaf.tx.allExact<UrlRow>(READ_WAITING, bucketFor(site), site, atMost)
  const places = rows.map(({ key }): UrlPlace => ({ site, key }))
  await sheaf.readUrls(places)
  return places.flatMap(({ key }) => sheaf.urls.get(site, key) ?? [])
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
export async function moveRested(sheaf: Sheaf, names: readonly SiteName[]): Promise<void> {
  for (const name of names) {
    const isIdle = sheaf.sites.get(keyOf(name))?.waiting === 0
    if (!isIdle && sheaf.names.originalOf(name) !== undefined) await moveWaiting(sheaf, name, MOST_MOVED)
  }
}

/** What was too much at once, and what waits in sites that nobody visits. Sites that others have now come next time. */
export async function movePending(sheaf: Sheaf): Promise<void> {
  const idle = await sheaf.tx.allExact<{ site: bigint }>(READ_IDLE_PENDING, MOST_MOVED)
  const buckets = byBucket(idle, ({ site }) => site)
  await eachBucket(buckets, (bucket, rows) => sheaf.tx.run(CLEAR_PENDING, bucket, column(rows, 'site')))
  let left = MOST_MOVED
  for (const { name } of await sheaf.tx.all<{ name: SiteName }>(READ_PENDING, MOST_PENDING_NAMES)) {
    const key = keyOf(name)
    const isThere = (await readSites(sheaf.tx, [key])).has(key)
    if (isThere && (await sheaf.sites.lockIdle([key])).length === 0) continue
    if (!isThere) await sheaf.sites.lock([key])
    left -= await moveWaiting(sheaf, name, left)
    if (left <= 0) return
  }
}

export async function addAlias(sheaf: Sheaf, given: NewAlias): Promise<AliasAnswer> {
  await sheaf.readNames()
  const original = keyOf(given.original)
  const [sites] = await Promise.all([readSites(sheaf.tx, [original]), sheaf.sites.lock([keyOf(given.name)])])
  const answer = sheaf.names.add(given, sheaf.now, () => sites.get(original)?.state === 'barred')
  if (answer === 'taken') await moveWaiting(sheaf, given.name, MOST_MOVED)
  return answer
}

/** A name that is one no more: what was moved without ever being asked for there waits there again. */
export async function dropAlias(sheaf: Sheaf, name: SiteName): Promise<boolean> {
  if (!sheaf.names.drop(name)) return false
  const key = keyOf(name)
  await sheaf.sites.lock([key])
  const site = sheaf.sites.get(key)
  if (site === undefined || site.name !== name || site.state === 'barred') return true
  await sheaf.flush()
  const revived = await sheaf.tx.run(REVIVE_REPLACED, bucketFor(key), key)
  if (revived === 0) return true
  site.waiting += revived
  sheaf.sites.change(site)
  sheaf.wake(site)
  return true
}

/** An original that was given up is no place to enter anything at. */
export async function dropNamesOf(sheaf: Sheaf, original: SiteName): Promise<void> {
  if (sheaf.names.isEmpty) return
  await sheaf.flush()
  const rows = await sheaf.tx.all<{ name: SiteName }>(READ_NAMES_OF, original, MOST_NAMES_DROPPED)
  await sheaf.sites.lock(rows.map(({ name }) => keyOf(name)))
  for (const { name } of rows) await dropAlias(sheaf, name)
}
