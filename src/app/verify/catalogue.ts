/** Checks that the catalogue agrees with itself: pages with captures, counters with pages, the frontier's sums with its rows. */
import { turn } from '../../base/clock.ts'
import { readCounters } from '../../collection/counters/counters.ts'
import { pieceOf, rowOf } from '../../collection/row-id.ts'
import type { Database, Tx } from '../../database/database.ts'
import { type Queries, queries } from '../../database/queries.ts'
import { Faults } from './faults.ts'

const PAGES_AT_ONCE = 10_000

/** `thorough`: also checks the database's own structure, in one transaction that lasts as long as reading all of it. */
export async function verifyCatalogue(database: Database, faults: Faults, thorough: boolean): Promise<void> {
  const checked = async (check: (db: Queries, found: Faults, tx: Tx) => Promise<void>) =>
    faults.include(
      await database.read(async (tx) => {
        const found = new Faults()
        await check(queries(tx), found, tx)
        return found
      }),
    )
  // PostgreSQL has amcheck for this, which needs an administrator.
  if (thorough && database.dialect === 'sqlite') await checked(verifyStructure)
  for (let from = 0; ; ) {
    const after = from
    const last = await database.read((tx) => endOfPiece(queries(tx), after))
    if (last === undefined) break
    await checked((db, found) => verifyPages(db, after, last, found))
    from = last
    await turn()
  }
  // All sums in one transaction: while a crawl runs they change together.
  await checked(async (db, found, tx) => {
    await verifyCounters(tx, found)
    await verifySums(db, found)
    await verifyFrontier(db, found)
  })
}

/** SQLite's own check: every page of the file, and every index against its table. */
async function verifyStructure(db: Queries, faults: Faults): Promise<void> {
  for await (const { integrity_check: what } of db.each<{ integrity_check: string }>('PRAGMA integrity_check(100)')) {
    if (what !== 'ok') faults.add('collection.db', what)
  }
}

/** The last of the next pages; undefined when there are none. */
async function endOfPiece(db: Queries, after: number): Promise<number | undefined> {
  const piece = pieceOf(db.dialect, 'page')
  const sql = `SELECT max(id) AS last FROM (SELECT id FROM page WHERE ${piece.after} ${piece.order} LIMIT ?) piece`
  return (await db.get<{ last: number | null }>(sql, ...rowOf(after), PAGES_AT_ONCE))?.last ?? undefined
}

/** Row by row through indexes (hence OFFSET 0): joined, PostgreSQL would read the whole other table for each piece. */
async function verifyPages(db: Queries, from: number, last: number, faults: Faults): Promise<void> {
  const { after, upto } = pieceOf(db.dialect, 'p')
  const places = [...rowOf(from), ...rowOf(last)]
  const bare = db.each<{ url: string }>(
    `SELECT url FROM page p WHERE ${after} AND ${upto} AND outcome = 'kept' AND NOT EXISTS
       (SELECT 1 FROM capture c WHERE c.bucket = p.bucket AND c.site = p.site AND c.key = p.key
          AND c.digest IS NOT DISTINCT FROM p.digest LIMIT 1 OFFSET 0)`,
    ...places,
  )
  for await (const { url } of bare) faults.add(url, 'is kept, but no capture holds its content')
  const lost = db.each<{ url: string; mark: number | null }>(
    `SELECT url, mark FROM (SELECT p.url, p.outcome,
         (SELECT u.mark FROM url u WHERE u.bucket = p.bucket AND u.site = p.site AND u.key = p.key) AS mark
       FROM page p WHERE ${after} AND ${upto}) seen
     WHERE mark IS NULL OR (outcome = 'kept' AND mark NOT IN (0, 1))`,
    ...places,
  )
  for await (const { url, mark } of lost)
    faults.add(
      url,
      mark === null ? 'is a page that the frontier does not know' : 'is kept, but the frontier says it is not',
    )
}

/**
 * `documents` counts every time a page was kept: once for each kept page, and for pages that were visited more than once at
 * most as often as they were captured with success, removed captures included.
 */
async function verifyCounters(tx: Tx, faults: Faults): Promise<void> {
  const db = queries(tx)
  const counters = await readCounters(tx)
  const count = (name: string) => counters.get(name) ?? 0
  const kept = (await db.get<{ pages: number; bytes: number }>(
    `SELECT count(*) AS pages, coalesce(sum(bytes), 0) AS bytes FROM page WHERE outcome = 'kept'`,
  ))!
  const { again } = (await db.get<{ again: number }>(
    `SELECT coalesce(sum(CASE WHEN often > kept THEN often - kept ELSE 0 END), 0) AS again FROM (
       SELECT kept, CASE WHEN looks < captured THEN looks ELSE captured END AS often FROM (
         SELECT p.looks, CASE WHEN p.outcome = 'kept' THEN 1 ELSE 0 END AS kept, (SELECT count(*) FROM capture c
           WHERE c.bucket = p.bucket AND c.site = p.site AND c.key = p.key AND (c.status BETWEEN 200 AND 299 OR c.status = 304)) AS captured
         FROM page p WHERE p.looks > 1) seen) counted`,
  ))!
  const more = again + count('capturesRemoved')
  const documents = count('documents')
  if (documents < kept.pages || documents > kept.pages + more) {
    faults.add('counters', `documents is ${documents}, but ${between(kept.pages, more)} pages are kept`)
  } else if (more === 0 && count('bytes') !== kept.bytes) {
    faults.add('counters', `bytes is ${count('bytes')}, but the kept pages have ${kept.bytes}`)
  }
  for (const [whole, prefix] of [
    ['documents', 'type:'],
    ['bytes', 'typeBytes:'],
  ] as const) {
    let sum = 0
    for (const [name, value] of counters) if (name.startsWith(prefix)) sum += value
    if (sum !== count(whole)) faults.add('counters', `${whole} is ${count(whole)}, but by media type it is ${sum}`)
  }
}

const between = (min: number, more: number) => (more === 0 ? String(min) : `${min} to ${min + more}`)

/** The same counts are summed three times: by name and day, by site, by minute. */
async function verifySums(db: Queries, faults: Faults): Promise<void> {
  const sums =
    'coalesce(sum(requests), 0) AS requests, coalesce(sum(documents), 0) AS documents, coalesce(sum(bytes), 0) AS bytes'
  type Sums = Record<'requests' | 'documents' | 'bytes', number>
  const sites = (await db.get<Sums>(`SELECT ${sums} FROM site_stats`))!
  const minutes = (await db.get<Sums>(`SELECT ${sums} FROM minute`))!
  for (const name of ['requests', 'documents', 'bytes'] as const) {
    const { value } = (await db.get<{ value: number }>(
      'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?',
      name,
    ))!
    if (value !== sites[name]) faults.add('counters', `${name} is ${value}, but over all sites ${sites[name]}`)
    if (value !== minutes[name]) faults.add('counters', `${name} is ${value}, but over all minutes ${minutes[name]}`)
  }
}

async function verifyFrontier(db: Queries, faults: Faults): Promise<void> {
  type Sums = Record<'known' | 'waiting', number>
  const rows = (await db.get<Sums>('SELECT count(*) AS known, count(*) FILTER (WHERE mark = 0) AS waiting FROM url'))!
  const sites = (await db.get<Sums>(
    'SELECT coalesce(sum(known), 0) AS known, coalesce(sum(waiting), 0) AS waiting FROM site',
  ))!
  const totals = (await db.get<Sums>(
    'SELECT coalesce(sum(urls_known), 0) AS known, coalesce(sum(urls_waiting), 0) AS waiting FROM frontier_total',
  ))!
  for (const name of ['known', 'waiting'] as const) {
    if (rows[name] === sites[name] && rows[name] === totals[name]) continue
    const what = `${rows[name]} URLs are ${name}, but ${sites[name]} by the sums of sites and ${totals[name]} by the total`
    faults.add('frontier', what)
  }
  const lost = db.each<{ url: string }>(
    `SELECT u.url FROM url u WHERE u.mark = 1 AND NOT EXISTS
       (SELECT 1 FROM page p WHERE p.bucket = u.bucket AND p.site = u.site AND p.key = u.key)`,
  )
  for await (const { url } of lost)
    faults.add(url, 'the frontier says that it is kept, but the catalogue has no such page')
}
