/** The views, with statements that nothing else uses. */

import { signed64, unsigned64 } from '../../base/digest.ts'
import { bucketOf } from '../../database/bucket.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import { type AliasRow, aliasOf, MAX_ALIASES } from '../aliases.ts'
import { type DomainView, domainKey, domainView } from '../rules/domain-rows.ts'
import { domainOf } from '../rules/domains.ts'
import { MARKS } from '../rules/mark.ts'
import {
  dueView,
  memoryOf,
  type SeenDue,
  type SeenSite,
  type SeenUrl,
  type StoredMemory,
  siteView,
  urlView,
} from '../rules/row-views.ts'
import type { FrontierViews, SiteView, UrlView } from '../views.ts'
import { readTotals } from './look-around.ts'
import { recordedUrls } from './meta.ts'

const READ_SITE = `
  SELECT name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause, address, fence, worker,
    lease_until, part, known, waiting
  FROM site WHERE bucket = $1 AND key = $2`
const READ_MEMORY = `
  SELECT m.memory, r.robots, t.traps FROM site_memory m
  LEFT JOIN site_robots r ON r.bucket = m.bucket AND r.site = m.site
  LEFT JOIN site_traps t ON t.bucket = m.bucket AND t.site = m.site WHERE m.bucket = $1 AND m.site = $2`
const READ_ALIAS = `
  SELECT name, original, how, https, since, evidence FROM site_alias WHERE bucket = $1 AND site = $2`
const READ_ALIASES = `
  SELECT name, original, how, https, since, evidence FROM site_alias ORDER BY bucket, site LIMIT ${MAX_ALIASES}`
const READ_DOMAIN = `
  SELECT name, sites, unendorsed, held, wildcard, addresses, probed_at FROM domain WHERE shard = $1 AND key = $2`
const COUNT_HELD_DOMAINS = `SELECT count(*) AS n FROM domain WHERE held > 0`
const READ_REFERRER = `SELECT referrer FROM unendorsed_site WHERE bucket = $1 AND site = $2`
const READ_URL = `
  SELECT url, depth, path, seq, enqueued_at, due_at, tries, mark FROM url WHERE bucket = $1 AND site = $2 AND key = $3`
const READ_VIA = `SELECT via_site, via_key FROM url WHERE bucket = $1 AND site = $2 AND key = $3`
/** A limit, because the exact number in a queue of a million is of no use. */
const MAX_AHEAD = 1000
const COUNT_AHEAD = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM url WHERE bucket = $1 AND site = $2 AND mark = 0 AND (due_at, seq) < ($3, $4)
    LIMIT ${MAX_AHEAD}) ahead`
const IS_SEED = `SELECT 1 AS yes FROM seed WHERE bucket = $1 AND site = $2 AND key = $3`
const READ_SEEDS = `SELECT url FROM seed ORDER BY added_at, url COLLATE "C"`
/** The first of each bucket, and of those the first: the index is by bucket. */
const READ_NEXT_DUE = `
  SELECT s.name, s.not_before, s.polite_at, s.waiting FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT name, not_before, polite_at, waiting FROM site
    WHERE bucket = b.bucket AND state = 'waiting' ORDER BY not_before LIMIT $1) s
  ORDER BY s.not_before LIMIT $1`
const READ_NEXT_FREE = `
  SELECT s.name, s.rank, s.waiting FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT name, losses, deferral, rank, waiting FROM site
    WHERE bucket = b.bucket AND state = 'free' AND holder = '' ORDER BY losses, deferral, rank LIMIT $1) s
  ORDER BY s.losses, s.deferral, s.rank LIMIT $1`
const READ_URLS = `
  SELECT url, key, mark FROM url WHERE bucket = $1 AND site = $2 AND key > $3 ORDER BY key LIMIT $4`
const READ_URLS_FIRST = `SELECT url, key, mark FROM url WHERE bucket = $1 AND site = $2 ORDER BY key LIMIT $3`

export const postgresViews: FrontierViews = {
  reader: (tx) => recordedUrls(postgresTx(tx)),
  totals: (tx) => readTotals(postgresTx(tx)),
  site: (tx, name) => viewOfSite(postgresTx(tx), name),
  url: (tx, url) => viewOfUrl(postgresTx(tx), url),
  domain: (tx, name) => viewOfDomain(postgresTx(tx), domainOf(name)),
  heldDomains: async (tx) => (await postgresTx(tx).get<{ n: number }>(COUNT_HELD_DOMAINS))?.n ?? 0,
  aliases: async (tx) => (await postgresTx(tx).all<AliasRow>(READ_ALIASES)).map(aliasOf),
  nextDue: async (tx, atMost) => dueView(await postgresTx(tx).all<SeenDue>(READ_NEXT_DUE, atMost)),
  nextFree: (tx, atMost) => postgresTx(tx).all<{ name: string; rank: number; waiting: number }>(READ_NEXT_FREE, atMost),
  seeds: async (tx) => (await postgresTx(tx).all<{ url: string }>(READ_SEEDS)).map(({ url }) => url),
  async urls(tx, name, after, atMost) {
    const site = signed64(siteKey(name))
    const at = [bucketOf('postgres', site), site]
    const rows = await (after === undefined
      ? postgresTx(tx).allExact<UrlKeyRow>(READ_URLS_FIRST, ...at, atMost)
      : postgresTx(tx).allExact<UrlKeyRow>(READ_URLS, ...at, signed64(after), atMost))
    return rows.map(({ url, key, mark }) => ({ url, key: unsigned64(key), mark: MARKS[Number(mark)] }))
  },
}

interface UrlKeyRow {
  url: string
  key: bigint
  mark: bigint
}

async function viewOfSite(tx: PostgresTx, name: string): Promise<SiteView | undefined> {
  const key = signed64(siteKey(name))
  const bucket = bucketOf('postgres', key)
  const [row, memory, alias, domain, unendorsedSite] = await Promise.all([
    tx.get<Omit<SeenSite, 'key'>>(READ_SITE, bucket, key),
    tx.get<StoredMemory>(READ_MEMORY, bucket, key),
    tx.get<AliasRow>(READ_ALIAS, bucket, key),
    viewOfDomain(tx, domainOf(name)),
    tx.getExact<{ referrer: bigint | null }>(READ_REFERRER, bucket, key),
  ])
  if (row === undefined || row.name !== name) return undefined
  const view = siteView({ ...row, key }, memoryOf(memory))
  if (alias !== undefined) view.alias = aliasOf(alias)
  if (domain !== undefined) view.domain = domain
  if (unendorsedSite !== undefined) view.unendorsedSite = await referrerOf(tx, unendorsedSite.referrer)
  return view
}

async function referrerOf(tx: PostgresTx, key: bigint | null): Promise<{ referrer?: string }> {
  if (key === null) return {}
  const site = await tx.get<{ name: string }>(READ_SITE, bucketOf('postgres', key), key)
  return site === undefined ? {} : { referrer: site.name }
}

async function viewOfDomain(tx: PostgresTx, name: string): Promise<DomainView | undefined> {
  const key = domainKey(name)
  const row = await tx.get<Parameters<typeof domainView>[0]>(READ_DOMAIN, bucketOf('postgres', key), key)
  return row?.name === name ? domainView(row) : undefined
}

async function viewOfUrl(tx: PostgresTx, text: string): Promise<UrlView | undefined> {
  const urls = await recordedUrls(tx)
  const parsed = urls.parse(text)
  if (parsed === undefined) return undefined
  const site = signed64(siteKey(parsed.site))
  const rowOf = (key: bigint) => [bucketOf('postgres', site), site, signed64(key)] as const
  const own = urls.keyApart(text)
  const isOwn = own !== undefined && (await tx.get(READ_URL, ...rowOf(own))) !== undefined
  const key = isOwn ? own : parsed.key
  const at = rowOf(key)
  const [row, seed, via] = await Promise.all([
    tx.get<SeenUrl & { seq: number }>(READ_URL, ...at),
    tx.get(IS_SEED, ...at),
    tx.getExact<{ via_site: bigint | null; via_key: bigint | null }>(READ_VIA, ...at),
  ])
  if (row === undefined) return undefined
  const view = urlView(row, parsed.site, key, seed !== undefined)
  if (via?.via_site != null && via.via_key !== null) {
    const page = await tx.get<{ url: string }>(READ_URL, bucketOf('postgres', via.via_site), via.via_site, via.via_key)
    if (page !== undefined) view.via = page.url
  }
  if (view.mark === 'waiting')
    view.ahead = (await tx.get<{ n: number }>(COUNT_AHEAD, at[0], at[1], row.due_at, row.seq))?.n ?? 0
  return view
}
