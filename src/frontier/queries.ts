/**
 * What can be seen of the frontier, with statements that nothing else uses. A statement is one text for both databases where it
 * can be: a site's rows have a bucket, which is always 0 on SQLite.
 */
import type { Instant } from '../base/clock.ts'
import { signed64, unsigned64 } from '../base/digest.ts'
import type { WorkerId } from '../contracts/visit.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Dialect, Tx } from '../database/database.ts'
import { postgresTx } from '../database/postgres/tx.ts'
import { queries } from '../database/queries.ts'
import { keyed } from '../database/schema/columns.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import { type AliasRow, aliasOf, MAX_ALIASES } from './aliases.ts'
import type {
  HintCounts,
  HintFigures,
  KnownPageRow,
  Seed,
  SeedPage,
  SeedPosition,
  SeedSource,
  SeedStatus,
  SeedUrl,
  SitePause,
  SiteView,
  UrlView,
} from './contract.ts'
import { decidedMirrors } from './decisions.ts'
import { RULES_RECORD, readerOf } from './recorded-rules.ts'
import { readPrice, readRecord } from './records.ts'
import { type DomainView, domainKey, domainView } from './rules/domain-rows.ts'
import { domainOf } from './rules/domains.ts'
import { CURSOR } from './rules/enrol.ts'
import type { KnownRow } from './rules/known-rows.ts'
import { GONE, MARKS, type MarkName, NOT_FOUND } from './rules/mark.ts'
import { type SiteRow, WITHOUT_END } from './rules/site.ts'
import { memoryOf, type StoredMemory } from './rules/site-rows.ts'
import { after, inOrder } from './rules/statements.ts'
import { readTotals } from './rules/totals.ts'
import type { UrlRow } from './rules/url-rows.ts'
import { visitId } from './rules/visit.ts'

const READ_SITE = `
  SELECT name, state, reason, since, seed, rank, losses, deferral, not_before AS "notBefore", polite_at AS "politeAt",
    pause, address, fence AS visits, worker, lease_until AS until, part AS parts, known, waiting, stopped
  FROM site WHERE bucket = ? AND key = ?`
const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m
  LEFT JOIN site_robots r ON r.bucket = m.bucket AND r.site = m.site
  LEFT JOIN site_traps t ON t.bucket = m.bucket AND t.site = m.site WHERE m.bucket = ? AND m.site = ?`
const ALIAS_COLUMNS = 'name, original, how, https, since, evidence'
export const READ_ALIAS = `SELECT ${ALIAS_COLUMNS} FROM site_alias WHERE bucket = ? AND site = ?`
export const COUNT_HELD_DOMAINS = `SELECT count(*) AS n FROM domain WHERE held > 0`
const READ_REFERRER = `SELECT referrer FROM unendorsed_site WHERE bucket = ? AND site = ?`
const READ_URL = `
  SELECT url, depth, path, seq, enqueued_at AS "enqueuedAt", due_at AS "dueAt", tries, mark
  FROM url WHERE bucket = ? AND site = ? AND key = ?`
const READ_VIA = `SELECT via_site, via_key FROM url WHERE bucket = ? AND site = ? AND key = ?`
/** A limit, because the exact number in a queue of a million is of no use. */
const MAX_AHEAD = 1000
const COUNT_AHEAD = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM url WHERE bucket = ? AND site = ? AND mark = 0 AND (due_at, seq) < (?, ?) LIMIT ${MAX_AHEAD}) ahead`
const READ_URLS = `
  SELECT url, key, mark FROM url WHERE bucket = ? AND site = ? AND key > ? ORDER BY key LIMIT ?`
const READ_URLS_FIRST = `SELECT url, key, mark FROM url WHERE bucket = ? AND site = ? ORDER BY key LIMIT ?`
const IS_SEED = `SELECT 1 AS yes FROM seed WHERE bucket = ? AND site = ? AND key = ?`
const READ_FIRST_SEEDS = `SELECT url, source FROM seed ORDER BY added_at, url LIMIT ?`
const READ_SEEDS = `SELECT url, source FROM seed ORDER BY site, key`
const READ_SEED_SITES = `
  SELECT min(url) AS url, max(CASE WHEN source = 'names' THEN 1 ELSE 0 END) AS named FROM seed GROUP BY site ORDER BY site`
const COUNT_SEEDS = `
  SELECT s.source, u.mark, count(*) AS count FROM seed s
  JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key GROUP BY s.source, u.mark`

/** PostgreSQL: the first of each bucket, and of those the first, because the index is by bucket. */
const firstOfAll = (columns: string, where: string, order: string): Record<Dialect, string> => ({
  sqlite: `SELECT ${columns} FROM site WHERE bucket = 0 AND ${where} ORDER BY ${order} LIMIT ?1`,
  postgres: `
    SELECT s.* FROM frontier_bucket b CROSS JOIN LATERAL (
      SELECT ${columns} FROM site WHERE bucket = b.bucket AND ${where} ORDER BY ${order} LIMIT ?1) s
    ORDER BY ${order} LIMIT ?1`,
})
const READ_NEXT_DUE = firstOfAll(
  'name, not_before, polite_at, waiting',
  `state = 'waiting' AND not_before < ${WITHOUT_END}`,
  'not_before',
)
const READ_NEXT_FREE = firstOfAll(
  'name, losses, deferral, rank, waiting',
  `state = 'free' AND holder = ''`,
  'losses, deferral, rank',
)

const READ_SEEDS_AFTER = inOrder(
  's.site, s.key',
  (by, places) =>
    `SELECT s.site, s.key, s.url, s.source FROM seed s WHERE (${by}) > (${places}) ORDER BY ${by} LIMIT ?`,
)
const READ_GONE_SEEDS = inOrder(
  's.site, s.key',
  (by, places) => `
  SELECT s.site, s.key, s.url, s.source FROM seed s
  JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
  WHERE (${by}) > (${places}) AND s.source = ? AND u.mark IN (${GONE}, ${NOT_FOUND}) ORDER BY ${by} LIMIT ?`,
)
const READ_ALIASES = inOrder(
  's.site',
  (by) => `SELECT ${ALIAS_COLUMNS} FROM site_alias s ORDER BY ${by} LIMIT ${MAX_ALIASES}`,
)
const READ_DOMAIN = `
  SELECT name, sites, unendorsed, held, wildcard, addresses, probed_at FROM domain WHERE key = ?`

/** PostgreSQL, for millions of seeds in thousands: which of these are there. */
const READ_MARKS = `
  SELECT a.nth, u.mark FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS a (bucket, site, key, nth)
  JOIN url u ON u.bucket = a.bucket AND u.site = a.site AND u.key = a.key`
const READ_BARRED = `
  SELECT a.nth FROM unnest($1::smallint[], $2::bigint[]) WITH ORDINALITY AS a (bucket, site, nth)
  JOIN site s ON s.bucket = a.bucket AND s.key = a.site WHERE s.state = 'barred' AND s.stopped IS NULL`
/** The same on SQLite, one by one. */
const READ_MARK = `SELECT mark FROM url WHERE site = ? AND key = ?`
const READ_IS_BARRED = `SELECT 1 FROM site WHERE key = ? AND state = 'barred' AND stopped IS NULL`

const KNOWN_PAGE = 's.site, s.key, looked_at, refresh_at, rate, weight, changes, changed_ms, unchanged_ms, failures'
const READ_KNOWN_PAGE = `SELECT ${KNOWN_PAGE} FROM known_page s WHERE bucket = ? AND site = ? AND key = ?`
const READ_KNOWN_PAGES = inOrder(
  's.site, s.key',
  (by, places) => `SELECT ${KNOWN_PAGE} FROM known_page s WHERE (${by}) > (${places}) ORDER BY ${by} LIMIT ?`,
)
const HAD_HINTS = 'hints_right + hints_wrong > 0'
const SUM_HINTS = `
  SELECT count(*) AS sites, sum(hints_right) AS "right", sum(hints_wrong) AS wrong, sum(unhinted) AS unannounced
  FROM site_looks WHERE ${HAD_HINTS}`
const READ_MOST_HINTED = `
  SELECT s.name AS site, l.hints_right AS "right", l.hints_wrong AS wrong, l.unhinted AS unannounced
  FROM site_looks l JOIN site s ON s.bucket = l.bucket AND s.key = l.site
  WHERE ${HAD_HINTS} ORDER BY hints_right + hints_wrong DESC, s.name LIMIT ?`
const READ_PAUSE = `SELECT name, pause, address FROM site WHERE bucket = ? AND key = ?`

export const frontierQueries = {
  /** Reads URLs by the rules that this collection was made with: needed to look anything up by its key. */
  reader: async (tx: Tx) => readerOf(await readRecord(tx, RULES_RECORD)),
  totals: readTotals,
  site: viewOfSite,
  /** By any spelling of the URL that normalises to the one known. */
  url: viewOfUrl,
  /** The marks of some URLs; undefined for unknown ones. */
  marks: marksOf,
  /** Every URL of a site, marked ones too, in the order of keys, after the key `last`. */
  async urls(tx: Tx, name: string, last: bigint | undefined, atMost: number) {
    const site = rowOf(tx, siteKeyOf(name))
    const rows = await (last === undefined
      ? queries(tx).allExact<SeenKey>(READ_URLS_FIRST, ...site, atMost)
      : queries(tx).allExact<SeenKey>(READ_URLS, ...site, signed64(last), atMost))
    return rows.map(keyed).map(({ url, key, mark }) => ({ url, key: unsigned64(key), mark: MARKS[mark] }))
  },
  /** The waiting sites that are due first. */
  async nextDue(tx: Tx, atMost: number) {
    const rows = await queries(tx).all<SeenDue>(READ_NEXT_DUE[tx.dialect], atMost)
    return rows.map(({ not_before: notBefore, polite_at: politeAt, ...row }) => ({ ...row, notBefore, politeAt }))
  },
  /** The free sites that come first. */
  async nextFree(tx: Tx, atMost: number) {
    const rows = await queries(tx).all<FreeRow>(READ_NEXT_FREE[tx.dialect], atMost)
    return rows.map(({ name, rank, waiting }) => ({ name, rank, waiting }))
  },
  /** By the name of the domain, or of any site in it. */
  domain: (tx: Tx, name: string) => viewOfDomain(tx, domainOf(name)),
  /** Domains that have held sites. */
  heldDomains: async (tx: Tx) => (await queries(tx).get<{ n: number }>(COUNT_HELD_DOMAINS))?.n ?? 0,
  /** What operators decided about pairs of mirrors. */
  decidedMirrors,
  /** At most a million. */
  aliases: async (tx: Tx) => (await queries(tx).all<AliasRow>(READ_ALIASES[tx.dialect])).map(aliasOf),
  /** By any spelling, as `url`. */
  knownPage: viewOfKnownPage,
  /** Known pages of all sites in the order of their keys, for a measure over the collection. */
  async knownPages(tx: Tx, after: SeedPosition | undefined, atMost: number) {
    const position = positionAfter(tx, after)
    const rows = await queries(tx).allExact<SeenKnownPage>(READ_KNOWN_PAGES[tx.dialect], ...position, atMost)
    return rows.map(knownPageOf)
  },
  /** What became of hints, of all sites that had one; and the sites that had most. */
  async hintFigures(tx: Tx, atMost: number): Promise<HintFigures> {
    const sums = await queries(tx).get<Record<'sites' | keyof HintCounts, number | null>>(SUM_HINTS)
    const { sites, right, wrong, unannounced } = sums ?? {}
    const all = { right: Number(right ?? 0), wrong: Number(wrong ?? 0), unannounced: Number(unannounced ?? 0) }
    return { sites: Number(sites ?? 0), all, bySite: await queries(tx).all(READ_MOST_HINTED, atMost) }
  },
  price: async (tx: Tx) => (await readPrice(tx)) ?? 0,
  /** The last process that opened it looks at known pages again. */
  isRefreshing: async (tx: Tx) => ((await readRecord(tx, CURSOR)) ?? '') !== '',
  /** One per key. */
  sitePauses: (tx: Tx, sites: readonly bigint[]) =>
    Promise.all(sites.map((site) => queries(tx).get<SitePause>(READ_PAUSE, ...rowOf(tx, site)))),
  /** The texts of known URLs. */
  async urlTexts(tx: Tx, at: readonly SeedPosition[]) {
    const rows = at.map(({ site, key }) => queries(tx).get<{ url: string }>(READ_URL, ...rowOf(tx, site), key))
    return (await Promise.all(rows)).map((row) => row?.url)
  },
  /** One per URL, in the order given: what it is before it is added as a seed. */
  async seedStatuses(tx: Tx, urls: readonly SeedUrl[]): Promise<SeedStatus[]> {
    const [marks, barred] = await Promise.all([marksOf(tx, urls), barredOf(tx, urls)])
    return marks.map((mark, at) => {
      if (mark !== undefined) return mark === 'gone' ? 'dead' : 'known'
      return barred.has(at) ? 'dead' : 'new'
    })
  },
  /** In the order of the sites' keys. `sites`: one per site, which is enough for most scopes; one list may have millions. */
  async seeds(tx: Tx, which: 'all' | 'sites'): Promise<Seed[]> {
    if (which === 'all') return queries(tx).all<Seed>(READ_SEEDS)
    const rows = await queries(tx).all<{ url: string; named: number }>(READ_SEED_SITES)
    return rows.map(({ url, named }) => ({ url, source: named === 1 ? 'names' : 'given' }))
  },
  /** Those that were added first; all without `atMost`. */
  firstSeeds: (tx: Tx, atMost = Number.MAX_SAFE_INTEGER) => queries(tx).all<Seed>(READ_FIRST_SEEDS, atMost),
  /** All seeds, page by page: `after` is the last one of the page before. */
  seedsAfter: async (tx: Tx, after: SeedPosition | undefined, atMost: number) =>
    pageOf(await queries(tx).allExact<SeedRow>(READ_SEEDS_AFTER[tx.dialect], ...positionAfter(tx, after), atMost)),
  /** As `seedsAfter`, of one source and only those that are gone. */
  goneSeeds: async (tx: Tx, source: SeedSource, after: SeedPosition | undefined, atMost: number) =>
    pageOf(
      await queries(tx).allExact<SeedRow>(READ_GONE_SEEDS[tx.dialect], ...positionAfter(tx, after), source, atMost),
    ),
  /** How many of each source have which mark. */
  async seedCounts(tx: Tx) {
    const rows = await queries(tx).all<{ source: SeedSource; mark: number; count: number }>(COUNT_SEEDS)
    return rows.map(({ source, mark, count }) => ({ source, mark: MARKS[mark], count }))
  },
}

/** A site's row, with what may be missing as null. */
type SeenSite = Omit<
  SiteView,
  'reason' | 'address' | 'seed' | 'stopped' | 'lease' | 'memory' | 'alias' | 'domain' | 'unendorsedSite'
> & {
  reason: string | null
  stopped: SiteRow['stopped']
  address: string | null
  seed: number
  worker: WorkerId | null
  until: Instant | null
  parts: number
}

type SeenUrl = Pick<UrlView, 'url' | 'depth' | 'path' | 'enqueuedAt' | 'dueAt' | 'tries'> & {
  seq: number
  mark: number
}

type SeenKey = Pick<UrlRow, 'url' | 'key' | 'mark'>

interface SeenDue {
  name: string
  not_before: Instant
  polite_at: Instant
  waiting: number
}

interface FreeRow {
  name: string
  rank: number
  waiting: number
}

type SeedRow = Seed & SeedPosition

const rowOf = (tx: Tx, site: bigint): [bucket: number, site: bigint] => [bucketOf(tx.dialect, site), site]

const positionAfter = (tx: Tx, last: SeedPosition | undefined) => after(tx, last && [last.site, last.key], 2)

function pageOf(rows: readonly SeedRow[]): SeedPage {
  return { seeds: rows.map(({ url, source }) => ({ url, source })), last: rows.at(-1) }
}

async function viewOfSite(tx: Tx, name: string): Promise<SiteView | undefined> {
  const sql = queries(tx)
  const site = rowOf(tx, siteKeyOf(name))
  const [row, memory, alias, domain, unendorsedSite] = await Promise.all([
    sql.get<SeenSite>(READ_SITE, ...site),
    sql.get<StoredMemory>(READ_MEMORY, ...site),
    sql.get<AliasRow>(READ_ALIAS, ...site),
    viewOfDomain(tx, domainOf(name)),
    sql.getExact<{ referrer: bigint | null }>(READ_REFERRER, ...site),
  ])
  if (row === undefined || row.name !== name) return undefined
  const { reason, address, seed, worker, until, parts, stopped, ...rest } = row
  const view: SiteView = { ...rest, seed: seed === 1, memory: memoryOf(memory) }
  if (reason !== null) view.reason = reason
  if (stopped !== null) view.stopped = stopped
  if (address !== null) view.address = address
  if (worker !== null && until !== null)
    view.lease = { visit: visitId(site[1], row.visits), fence: row.visits, worker, until, parts }
  if (alias !== undefined) view.alias = aliasOf(alias)
  if (domain !== undefined) view.domain = domain
  if (unendorsedSite !== undefined) view.unendorsedSite = await referrerOf(tx, unendorsedSite.referrer)
  return view
}

async function referrerOf(tx: Tx, key: bigint | null): Promise<{ referrer?: string }> {
  const site = key === null ? undefined : await queries(tx).get<{ name: string }>(READ_SITE, ...rowOf(tx, key))
  return site === undefined ? {} : { referrer: site.name }
}

async function viewOfDomain(tx: Tx, name: string): Promise<DomainView | undefined> {
  const key = domainKey(name)
  type Row = Parameters<typeof domainView>[0]
  const row = await (tx.dialect === 'sqlite'
    ? queries(tx).get<Row>(READ_DOMAIN, key)
    : queries(tx).get<Row>(`${READ_DOMAIN} AND shard = ?`, key, bucketOf(tx.dialect, key)))
  return row?.name === name ? domainView(row) : undefined
}

async function viewOfUrl(tx: Tx, text: string): Promise<UrlView | undefined> {
  const sql = queries(tx)
  const urls = await frontierQueries.reader(tx)
  const parsed = urls.parse(text)
  if (parsed === undefined) return undefined
  const site = rowOf(tx, siteKeyOf(parsed.site))
  const own = urls.keyApart(text)
  const isOwn = own !== undefined && (await sql.get(READ_URL, ...site, signed64(own))) !== undefined
  const key = isOwn ? own : parsed.key
  const at = [...site, signed64(key)]
  const [row, seed, via] = await Promise.all([
    sql.get<SeenUrl>(READ_URL, ...at),
    sql.get(IS_SEED, ...at),
    sql.getExact<{ via_site: bigint | null; via_key: bigint | null }>(READ_VIA, ...at),
  ])
  if (row === undefined) return undefined
  const { seq, dueAt, mark, ...rest } = row
  const view: UrlView = {
    ...rest,
    key,
    site: parsed.site,
    dueAt: dueAt === 0 ? rest.enqueuedAt : dueAt,
    mark: MARKS[mark],
    seed: seed !== undefined,
  }
  if (via?.via_site != null && via.via_key !== null) {
    const page = await sql.get<{ url: string }>(READ_URL, ...rowOf(tx, via.via_site), via.via_key)
    if (page !== undefined) view.via = page.url
  }
  if (view.mark === 'waiting') view.ahead = (await sql.get<{ n: number }>(COUNT_AHEAD, ...site, dueAt, seq))?.n ?? 0
  return view
}

type SeenKnownPage = Omit<KnownRow, 'interval_ms' | 'class' | 'missing_since' | 'hinted_at'>

function knownPageOf(row: SeenKnownPage): KnownPageRow {
  const { looked_at: lookedAt, refresh_at, changed_ms: changedMs, unchanged_ms: unchangedMs, ...rest } = keyed(row)
  return { ...rest, lookedAt, ...(refresh_at !== null && { refreshAt: refresh_at }), changedMs, unchangedMs }
}

async function viewOfKnownPage(tx: Tx, text: string): Promise<KnownPageRow | undefined> {
  const url = await viewOfUrl(tx, text)
  if (url === undefined) return undefined
  const at = [...rowOf(tx, siteKeyOf(url.site)), signed64(url.key)]
  const row = await queries(tx).getExact<SeenKnownPage>(READ_KNOWN_PAGE, ...at)
  return row && knownPageOf(row)
}

async function marksOf(tx: Tx, urls: readonly SeedUrl[]): Promise<(MarkName | undefined)[]> {
  const sites = urls.map(({ site }) => siteKeyOf(site))
  const keys = urls.map(({ key }) => signed64(key))
  const marks: (MarkName | undefined)[] = urls.map(() => undefined)
  if (tx.dialect === 'sqlite') {
    for (const [at, site] of sites.entries()) {
      const row = sqliteTx(tx).get<{ mark: number }>(READ_MARK, site, keys[at])
      if (row !== undefined) marks[at] = MARKS[row.mark]
    }
    return marks
  }
  const rows = await postgresTx(tx).all<{ nth: number; mark: number }>(READ_MARKS, bucketsOf(sites), sites, keys)
  for (const { nth, mark } of rows) marks[nth - 1] = MARKS[mark]
  return marks
}

async function barredOf(tx: Tx, urls: readonly SeedUrl[]): Promise<Set<number>> {
  const sites = urls.map(({ site }) => siteKeyOf(site))
  if (tx.dialect === 'sqlite')
    return new Set([...sites.keys()].filter((at) => sqliteTx(tx).get(READ_IS_BARRED, sites[at]) !== undefined))
  const rows = await postgresTx(tx).all<{ nth: number }>(READ_BARRED, bucketsOf(sites), sites)
  return new Set(rows.map(({ nth }) => nth - 1))
}

const bucketsOf = (sites: readonly bigint[]): number[] => sites.map((site) => bucketOf('postgres', site))
