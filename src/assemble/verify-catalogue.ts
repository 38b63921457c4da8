/** Whether the catalogue agrees with itself: pages with captures, counters with pages, the frontier's sums with its rows. */
import { turn } from '../base/clock.ts'
import { readCounters } from '../collection/counters/counters.ts'
import type { Database, Tx } from '../database/database.ts'
import { type SqliteTx, sqliteTx } from '../database/sqlite/tx.ts'
import type { Findings } from './verify-findings.ts'

const PAGES_AT_ONCE = 10_000

/** `thorough`: the database's own structure too, which holds on to one look for as long as reading all of it takes. */
export async function verifyCatalogue(database: Database, findings: Findings, thorough: boolean): Promise<void> {
  if (thorough) await database.read((tx) => verifyStructure(sqliteTx(tx), findings))
  const last = await database.read((tx) => sqliteTx(tx).get<{ id: number | null }>('SELECT max(id) AS id FROM page'))
  for (let from = 0; from < (last?.id ?? 0); from += PAGES_AT_ONCE) {
    await database.read((tx) => verifyPages(sqliteTx(tx), from, findings))
    await turn()
  }
  // All sums in one look, for while a crawl runs they change together.
  await database.read((tx) => {
    verifyCounters(tx, findings)
    verifySums(sqliteTx(tx), findings)
    verifyFrontier(sqliteTx(tx), findings)
  })
}

/** SQLite's own examination: every page of the file, and every index against its table. */
function verifyStructure(db: SqliteTx, findings: Findings): void {
  for (const { integrity_check: what } of db.each<{ integrity_check: string }>('PRAGMA integrity_check(100)')) {
    if (what !== 'ok') findings.fault('collection.db', what)
  }
}

function verifyPages(db: SqliteTx, from: number, findings: Findings): void {
  const bare = db.each<{ url: string }>(
    `SELECT url FROM page p WHERE id > ? AND id <= ? AND outcome = 'kept' AND NOT EXISTS
       (SELECT 1 FROM capture c WHERE c.site = p.site AND c.key = p.key AND c.digest IS p.digest)`,
    from,
    from + PAGES_AT_ONCE,
  )
  for (const { url } of bare) findings.fault(url, 'is kept, but no capture holds its content')
  const lost = db.each<{ url: string; mark: number | null }>(
    `SELECT p.url, u.mark FROM page p LEFT JOIN url u ON u.site = p.site AND u.key = p.key
     WHERE p.id > ? AND p.id <= ? AND (u.key IS NULL OR (p.outcome = 'kept' AND u.mark NOT IN (0, 1)))`,
    from,
    from + PAGES_AT_ONCE,
  )
  for (const { url, mark } of lost)
    findings.fault(
      url,
      mark === null ? 'is a page that the frontier does not know' : 'is kept, but the frontier says it is not',
    )
}

/**
 * `documents` counts every time that a page was kept. That is once for each kept page, and for pages that were looked at
 * more than once at most as often as they were captured with success.
 */
function verifyCounters(tx: Tx, findings: Findings): void {
  const db = sqliteTx(tx)
  const counters = readCounters(tx)
  const count = (name: string) => counters.get(name) ?? 0
  const kept = db.get<{ pages: number; bytes: number }>(
    `SELECT count(*) AS pages, coalesce(sum(bytes), 0) AS bytes FROM page WHERE outcome = 'kept'`,
  )!
  const { more } = db.get<{ more: number }>(
    `SELECT coalesce(sum(max(0, min(looks, captured) - kept)), 0) AS more FROM (
       SELECT p.looks, p.outcome = 'kept' AS kept, (SELECT count(*) FROM capture c
         WHERE c.site = p.site AND c.key = p.key AND c.status BETWEEN 200 AND 299) AS captured
       FROM page p WHERE p.looks > 1)`,
  )!
  const documents = count('documents')
  if (documents < kept.pages || documents > kept.pages + more) {
    findings.fault('counters', `documents is ${documents}, but ${between(kept.pages, more)} pages are kept`)
  } else if (more === 0 && count('bytes') !== kept.bytes) {
    findings.fault('counters', `bytes is ${count('bytes')}, but the kept pages have ${kept.bytes}`)
  }
  for (const [whole, prefix] of [
    ['documents', 'type:'],
    ['bytes', 'typeBytes:'],
  ] as const) {
    let sum = 0
    for (const [name, value] of counters) if (name.startsWith(prefix)) sum += value
    if (sum !== count(whole)) findings.fault('counters', `${whole} is ${count(whole)}, but by media type it is ${sum}`)
  }
}

const between = (least: number, more: number) => (more === 0 ? String(least) : `${least} to ${least + more}`)

/** The same counts are summed up three times: by name and day, by server, by minute. */
function verifySums(db: SqliteTx, findings: Findings): void {
  const sums =
    'coalesce(sum(requests), 0) AS requests, coalesce(sum(documents), 0) AS documents, coalesce(sum(bytes), 0) AS bytes'
  type Sums = Record<'requests' | 'documents' | 'bytes', number>
  const servers = db.get<Sums>(`SELECT ${sums} FROM server`)!
  const minutes = db.get<Sums>(`SELECT ${sums} FROM minute`)!
  for (const name of ['requests', 'documents', 'bytes'] as const) {
    const { value } = db.get<{ value: number }>(
      'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?',
      name,
    )!
    if (value !== servers[name]) findings.fault('counters', `${name} is ${value}, but of all servers ${servers[name]}`)
    if (value !== minutes[name]) findings.fault('counters', `${name} is ${value}, but of all minutes ${minutes[name]}`)
  }
}

function verifyFrontier(db: SqliteTx, findings: Findings): void {
  type Sums = Record<'known' | 'waiting', number>
  const rows = db.get<Sums>('SELECT count(*) AS known, coalesce(sum(mark = 0), 0) AS waiting FROM url')!
  const sites = db.get<Sums>('SELECT coalesce(sum(known), 0) AS known, coalesce(sum(waiting), 0) AS waiting FROM site')!
  const totals = db.get<Sums>(
    'SELECT coalesce(sum(urls_known), 0) AS known, coalesce(sum(urls_waiting), 0) AS waiting FROM frontier_total',
  )!
  for (const name of ['known', 'waiting'] as const) {
    if (rows[name] === sites[name] && rows[name] === totals[name]) continue
    const what = `${rows[name]} URLs are ${name}, ${sites[name]} by the sums of sites, ${totals[name]} by the sum of all`
    findings.fault('frontier', what)
  }
  const lost = db.each<{ url: string }>(
    `SELECT u.url FROM url u WHERE u.mark = 1 AND NOT EXISTS
       (SELECT 1 FROM page p WHERE p.site = u.site AND p.key = u.key)`,
  )
  for (const { url } of lost)
    findings.fault(url, 'the frontier says that it is kept, but the catalogue has no such page')
}
