/**
 * A collection as a long crawl leaves it, written straight into the tables of either database: sites in every state, URLs, pages,
 * captures, hazards and aliases. Sites are of very different sizes: the largest has a twentieth of all URLs. Rows are written
 * in the order of their keys, so ten million take minutes. There are no volumes, so captures cannot be read.
 */
import { signed64 } from '../../src/base/digest.ts'
import { freshMemory } from '../../src/contracts/site-memory.ts'
import { siteKeyOf } from '../../src/contracts/visit.ts'
import { bucketOf, shardOf } from '../../src/database/bucket.ts'
import type { Database, Tx } from '../../src/database/database.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { queries } from '../../src/database/queries.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { type RowWriter, rowWriter, writeRows } from '../../src/database/write-rows.ts'
import { usualUrls } from '../../src/web/url/web-url.ts'

export interface BrowseSize {
  urls: number
  sites: number
}

const AT = Date.UTC(2026, 9, 1)
const AT_ONCE = 5000
const STATES = ['waiting', 'free', 'crawled', 'crawled', 'waiting', 'barred', 'free', 'held'] as const
const RULES = ['maze', 'calendar', 'soft-404', 'session-ids', 'duplicates']
const STATUSES = [200, 200, 200, 200, 200, 200, 301, 404, 500, 200]
const ROWS_PER_BUCKET = 2 ** 44

type Row = Record<string, string | number | bigint | null>
const writer = (table: string, columns: string): RowWriter<Row> => rowWriter<Row>(table, columns.split(' '))

const TABLES = {
  site_stats: writer('site_stats', 'site requests documents bytes errors first_at last_at name'),
  site_memory: writer('site_memory', 'site memory'),
  site_robots: writer('site_robots', 'site robots'),
  url: writer('url', 'site key depth seq enqueued_at due_at mark url path'),
  page: writer(
    'page',
    'id site key depth status bytes took_ms tries first_at at url path outcome why media_type digest title annotations',
  ),
  capture: writer('capture', 'id site key at volume offset length status duplicate url digest media_type kind'),
  finding: writer('finding', 'id site at rule pattern evidence examples'),
  site_alias: writer('site_alias', 'site https since pending name original how evidence'),
}

const SITE = ['key', 'bucket', 'name', 'state', 'reason', 'since', 'seed', 'rank', 'address', 'seq', 'known', 'waiting']

export const siteText = (n: number): string => `www.site-${n}.example`
export const urlText = (site: number, page: number): string =>
  `https://${siteText(site)}/${page === 0 ? '' : `section-${page % 40}/article-${page}.html`}`

export async function fillToBrowse(database: Database, { urls, sites }: BrowseSize, say = (_: string) => {}) {
  const { dialect } = database
  const all = Array.from({ length: sites }, (_, n) => ({ n, name: siteText(n), key: siteKeyOf(siteText(n)) }))
  const bucket = (key: bigint) => bucketOf(dialect, key)
  all.sort((a, b) => bucket(a.key) - bucket(b.key) || (a.key < b.key ? -1 : 1))
  const sizes = sizesOf(urls, sites)
  await database.transact(async (tx) => {
    await queries(tx).run(`INSERT INTO volume (id, name) VALUES (1, 'no-such-volume.warc.gz')`)
    await addressSites(tx, sites)
  })
  const batch = new Batch(database)
  let ids = 0
  let last = -1
  let written = 0
  for (const { n, name, key } of all) {
    const at = bucket(key)
    if (at !== last) {
      await batch.flush()
      ids = at * ROWS_PER_BUCKET
      last = at
    }
    const pages = Array.from({ length: sizes[n] }, (_, page) => {
      const { href, key } = usualUrls.parse(urlText(n, page))!
      return { page, url: href, key: signed64(key) }
    }).sort((a, b) => (a.key < b.key ? -1 : 1))
    const visited = n % 4 !== 3
    batch.addSite(at, { n, name, key, known: sizes[n], waiting: visited ? sizes[n] >> 1 : sizes[n] })
    for (const { page, url, key: own } of pages) {
      const isDone = visited && page % 2 === 0
      const common = { site: key, key: own, url, depth: Math.min(page, 9), path: 'L' }
      batch.add('url', { ...common, seq: page + 1, enqueued_at: AT + page, due_at: 0, mark: isDone ? 1 : 0 })
      if (isDone) addPage(batch, ++ids, common, page, AT + written)
      if (++written % 1e6 === 0) say(`${written / 1e6} million URLs …`)
      if (batch.size >= AT_ONCE) await batch.flush()
    }
    if (visited) addVisited(batch, { n, name, key }, sizes[n] >> 1, at * ROWS_PER_BUCKET + n + 1)
    if (batch.size >= AT_ONCE) await batch.flush()
  }
  await batch.flush()
  if (dialect === 'postgres') await database.transact((tx) => postgresTx(tx).run('ANALYZE'))
}

function addPage(
  batch: Batch,
  id: number,
  common: { site: bigint; key: bigint; url: string; depth: number; path: string },
  page: number,
  at: number,
): void {
  const status = STATUSES[page % STATUSES.length]
  const outcome = status === 200 ? 'kept' : status === 301 ? 'moved' : 'gone'
  const digest = `sha1:${String(id).padStart(32, 'A')}`
  const bytes = 500 + ((page * 7919) % 90_000)
  batch.add('page', {
    ...common,
    id,
    status,
    outcome,
    why: outcome === 'gone' ? `status-${status}` : null,
    media_type: 'text/html',
    bytes,
    took_ms: 20 + (page % 300),
    tries: 1,
    first_at: at,
    at,
    digest,
    title: `Article ${page}`,
    annotations: '',
  })
  const { site, key, url } = common
  batch.add('capture', {
    ...{ id, site, key, url, at, volume: 1, offset: id, length: bytes, digest, status },
    ...{ media_type: 'text/html', kind: 'response', duplicate: 0 },
  })
}

function addVisited(
  batch: Batch,
  { n, name, key }: { n: number; name: string; key: bigint },
  done: number,
  id: number,
): void {
  const at = AT + n
  const sums = { requests: done + 1, documents: done - (done >> 2), bytes: done * 45_000, errors: done >> 3 }
  batch.add('site_stats', { site: key, name, ...sums, first_at: AT, last_at: at })
  batch.add('site_memory', { site: key, memory: JSON.stringify({ ...freshMemory(), fetched: done }) })
  const text = 'User-agent: *\nDisallow: /private/\nCrawl-delay: 3\n'
  batch.add('site_robots', { site: key, robots: JSON.stringify({ https: { state: 'rules', at, status: 200, text } }) })
  if (n % 5 === 0) {
    const examples = JSON.stringify([urlText(n, 1), urlText(n, 2)])
    const evidence = `${n % 90} of 100 URLs showed nothing new`
    batch.add('finding', {
      id,
      site: key,
      at,
      rule: RULES[n % RULES.length],
      pattern: '/section-#/',
      evidence,
      examples,
    })
  }
  if (n % 50 === 1) {
    const alias = { site: key, name, original: siteText(n + 1), how: 'www', https: 1, since: at, pending: 0 }
    batch.add('site_alias', { ...alias, evidence: 'its home page redirects there' })
  }
}

/** The n-th largest has a share of 1/n, as on the web; none is empty. */
function sizesOf(urls: number, sites: number): number[] {
  const even = Math.max(1, Math.floor((urls / sites) * 0.4))
  const rest = Math.max(0, urls - even * sites)
  const weights = Array.from({ length: sites }, (_, n) => 1 / (n + 1))
  const sum = weights.reduce((a, b) => a + b, 0)
  return weights.map((weight) => even + Math.floor((rest * weight) / sum))
}

async function addressSites(tx: Tx, sites: number): Promise<void> {
  for (let n = 0; n < 256; n++) {
    const row: [string, number] = [addressOf(n), Math.ceil(sites / 256)]
    if (tx.dialect === 'sqlite')
      await queries(tx).run('INSERT INTO address_sites (address, sites) VALUES (?, ?)', ...row)
    else
      await queries(tx).run(
        'INSERT INTO address_sites (shard, address, sites) VALUES (?, ?, ?)',
        shardOf(row[0]),
        ...row,
      )
  }
}

const addressOf = (n: number): string => `198.51.100.${n % 256}`

/** Rows of one bucket. */
class Batch {
  readonly #database: Database
  #rows = new Map<keyof typeof TABLES, Row[]>()
  #sites: Row[] = []
  #bucket = 0
  size = 0

  constructor(database: Database) {
    this.#database = database
  }

  add(table: keyof typeof TABLES, row: Row): void {
    const rows = this.#rows.get(table)
    if (rows === undefined) this.#rows.set(table, [row])
    else rows.push(row)
    this.size++
  }

  addSite(
    bucket: number,
    { n, name, key, known, waiting }: { n: number; name: string; key: bigint; known: number; waiting: number },
  ): void {
    this.#bucket = bucket
    const state = STATES[n % STATES.length]
    const reason = state === 'barred' ? 'given-up: no-such-name' : null
    const common = { key, bucket, name, state, reason, since: AT, seed: n < 100 ? 1 : 0, rank: n }
    this.#sites.push({
      ...common,
      address: addressOf(n),
      seq: known,
      known,
      waiting: state === 'crawled' ? 0 : waiting,
    })
    this.size++
  }

  async flush(): Promise<void> {
    if (this.size === 0) return
    const [rows, sites, bucket] = [this.#rows, this.#sites, this.#bucket]
    this.#rows = new Map()
    this.#sites = []
    this.size = 0
    await this.#database.transact(async (tx) => {
      await writeSites(tx, sites)
      for (const [table, own] of rows) await writeRows(tx, TABLES[table], bucket, own)
    })
  }
}

async function writeSites(tx: Tx, sites: readonly Row[]): Promise<void> {
  const sql = `INSERT INTO site (${SITE.join(', ')}) VALUES (${SITE.map(() => '?').join(', ')})`
  for (const site of sites) {
    const values = SITE.map((name) => site[name])
    if (tx.dialect === 'sqlite') sqliteTx(tx).run(sql, ...values)
    else await queries(tx).run(sql, ...values)
  }
}
