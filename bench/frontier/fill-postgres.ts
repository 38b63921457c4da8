/**
 * The rows that `fill` makes through the ledger, sent to PostgreSQL by the ten thousand: two million sites in minutes. A test
 * says that they are the same rows. Names are hashed, so sites lie in no order of the tables, and its pages split as in life.
 */
import { signed64 } from '../../src/base/digest.ts'
import type { Database } from '../../src/database/database.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import type { PgValue } from '../../src/database/postgres/values.ts'
import { domainKey } from '../../src/frontier/rules/domain-rows.ts'
import { domainOf } from '../../src/frontier/rules/domains.ts'
import { ALL_PARTS } from '../../src/frontier/rules/site.ts'
import { siteKey } from '../../src/web/url/web-url.ts'
import type { Filled } from './fill.ts'
import type { NumberedWeb } from './numbered-web.ts'

const AT_ONCE = 10_000
/** One builds rows while PostgreSQL writes those of the others. */
const TRANSACTIONS = 3

/** As a site stands when all its pages are entered; the order is by age. */
const ADD_SITES = `
  INSERT INTO site (bucket, key, name, state, since, rank, part, seq, known, waiting)
  SELECT (n.key >> 56) & 255, n.key, n.name, 'free', $3::bigint, $3::bigint, ${ALL_PARTS}, $4::bigint, $4::bigint, $4::bigint
  FROM unnest($1::bigint[], $2::text[]) AS n (key, name) ORDER BY 1, 2`
const ADD_DOMAINS = `
  INSERT INTO domain (shard, key, name, sites, unendorsed, held, wildcard, pending)
  SELECT (n.key >> 56) & 255, n.key, n.name, 1, 0, 0, 0, 0
  FROM unnest($1::bigint[], $2::text[]) AS n (key, name) ORDER BY 1, 2`
const ADD_URLS = `
  INSERT INTO url (bucket, site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, mark)
  SELECT (n.site >> 56) & 255, n.site, n.key, n.url, $7::bigint, n.via_site, n.via_key, 'L', n.seq, $8::bigint, 0, 0
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS n (site, key, url, via_site, via_key, seq) ORDER BY 1, 2, 3`

export async function fillPostgres(database: Database, web: NumberedWeb, say: (line: string) => void): Promise<Filled> {
  const filled: Filled = { urls: 0, textBytes: 0 }
  const writing = new Set<Promise<void>>()
  const write = async (...statements: [sql: string, ...values: PgValue[]][]) => {
    while (writing.size >= TRANSACTIONS) await Promise.race(writing)
    const one = database.transact(async (tx) => {
      await Promise.all(statements.map(([sql, ...values]) => postgresTx(tx).run(sql, ...values)))
    })
    const done: Promise<void> = one.then(() => {
      writing.delete(done)
    })
    // One that fails stays, and is heard by whoever waits for them next.
    done.catch(() => {})
    writing.add(done)
  }
  const writeUrls = async (rows: UrlColumns, depth: number, more: [string, ...PgValue[]][] = []) => {
    const before = filled.urls
    filled.urls += rows.url.length
    for (const text of rows.url) filled.textBytes += text.length
    if (Math.floor(before / 1e6) < Math.floor(filled.urls / 1e6)) say(`${Math.floor(filled.urls / 1e6)} million URLs …`)
    const { site, key, url, viaSite, viaKey, seq } = rows
    await write(...more, [ADD_URLS, site, key, url, viaSite, viaKey, seq, depth, Date.now()])
  }

  const { sites } = web.size
  for (let first = 0; first < sites; first += AT_ONCE) {
    const rows = new UrlColumns()
    const [names, domains]: string[][] = [[], []]
    for (let site = first; site < Math.min(sites, first + AT_ONCE); site++) {
      const home = homeOf(web, site)
      rows.add(home, home.url, homeOf(web, (site + 1) % sites), 1)
      names.push(home.name)
      domains.push(domainOf(home.name))
    }
    await writeUrls(rows, 0, [
      [ADD_SITES, rows.site, names, Date.now(), web.pagesEach],
      [ADD_DOMAINS, domains.map(domainKey), domains],
    ])
  }
  let rows = new UrlColumns()
  for (let site = 0; site < sites; site++) {
    const home = homeOf(web, site)
    for (let page = 1; page < web.pagesEach; page++) {
      const { url, key } = web.link(site, page, '')
      rows.add({ site: home.site, key: signed64(key) }, url, home, page + 1)
      if (rows.url.length < AT_ONCE) continue
      await writeUrls(rows, 1)
      rows = new UrlColumns()
    }
  }
  if (rows.url.length > 0) await writeUrls(rows, 1)
  await Promise.all(writing)
  return filled
}

interface Place {
  site: bigint
  key: bigint
}

class UrlColumns {
  readonly site: bigint[] = []
  readonly key: bigint[] = []
  readonly url: string[] = []
  readonly viaSite: bigint[] = []
  readonly viaKey: bigint[] = []
  readonly seq: number[] = []

  add({ site, key }: Place, url: string, via: Place, seq: number): void {
    this.site.push(site)
    this.key.push(key)
    this.url.push(url)
    this.viaSite.push(via.site)
    this.viaKey.push(via.key)
    this.seq.push(seq)
  }
}

function homeOf(web: NumberedWeb, site: number): Place & { name: string; url: string } {
  const { site: name, key, url } = web.link(site, 0, '')
  return { name, url, site: signed64(siteKey(name)), key: signed64(key) }
}
