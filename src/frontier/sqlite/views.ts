/** The views, with statements that nothing else uses. */

import { signed64, unsigned64 } from '../../base/digest.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import { domainOf } from '../rules/domains.ts'
import { MARKS } from '../rules/mark.ts'
import { dueView, type SeenUrl, siteView, urlView } from '../rules/row-views.ts'
import type { FrontierViews, SiteView, UrlView } from '../views.ts'
import { readAlias, readAliases } from './aliases.ts'
import { COUNT_HELD_DOMAINS, READ_UNENDORSED_SITE, viewOfDomain } from './domain-rows.ts'
import { readMemory } from './memory.ts'
import { recordedUrls } from './meta.ts'
import { BUCKET, readSite } from './site-rows.ts'
import { readNextDue, readTotals } from './totals.ts'

const READ_URL = `
  SELECT url, depth, path, seq, enqueued_at, due_at, tries, mark FROM url WHERE site = ? AND key = ?`
const READ_VIA = `
  SELECT v.url FROM url u JOIN url v ON v.site = u.via_site AND v.key = u.via_key WHERE u.site = ? AND u.key = ?`
/** A limit, because the exact number in a queue of a million is of no use. */
const MAX_AHEAD = 1000
const COUNT_AHEAD = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM url WHERE site = ? AND mark = 0 AND (due_at, seq) < (?, ?) LIMIT ${MAX_AHEAD})`
const IS_SEED = `SELECT 1 FROM seed WHERE site = ? AND key = ?`
const READ_SEEDS = `SELECT url FROM seed ORDER BY added_at, url`
const READ_NEXT_FREE = `
  SELECT name, rank, waiting FROM site
  WHERE state = 'free' AND bucket = ? AND holder = '' ORDER BY losses, deferral, rank LIMIT ?`
const READ_URLS = `SELECT url, key, mark FROM url WHERE site = ? AND key > ? ORDER BY key LIMIT ?`
const READ_URLS_FIRST = `SELECT url, key, mark FROM url WHERE site = ? ORDER BY key LIMIT ?`

export const sqliteViews: FrontierViews = {
  reader: async (tx) => recordedUrls(sqliteTx(tx)),
  totals: async (tx) => readTotals(sqliteTx(tx)),
  site: async (tx, name) => viewOfSite(sqliteTx(tx), name),
  url: async (tx, url) => viewOfUrl(sqliteTx(tx), url),
  domain: async (tx, name) => viewOfDomain(sqliteTx(tx), domainOf(name)),
  heldDomains: async (tx) => sqliteTx(tx).get<{ n: number }>(COUNT_HELD_DOMAINS)?.n ?? 0,
  aliases: async (tx) => readAliases(sqliteTx(tx)),
  nextDue: async (tx, atMost) => dueView(readNextDue(sqliteTx(tx), atMost)),
  nextFree: async (tx, atMost) =>
    sqliteTx(tx)
      .all<{ name: string; rank: number; waiting: number }>(READ_NEXT_FREE, BUCKET, atMost)
      .map(({ name, rank, waiting }) => ({ name, rank, waiting })),
  seeds: async (tx) =>
    sqliteTx(tx)
      .all<{ url: string }>(READ_SEEDS)
      .map(({ url }) => url),
  async urls(tx, name, after, atMost) {
    const site = siteKeyOf(name)
    const rows =
      after === undefined
        ? sqliteTx(tx).allExact<UrlKeyRow>(READ_URLS_FIRST, site, atMost)
        : sqliteTx(tx).allExact<UrlKeyRow>(READ_URLS, site, signed64(after), atMost)
    return rows.map(({ url, key, mark }) => ({ url, key: unsigned64(key), mark: MARKS[Number(mark)] }))
  },
}

interface UrlKeyRow {
  url: string
  key: bigint
  mark: bigint
}

function viewOfSite(tx: SqliteTx, name: string): SiteView | undefined {
  const key = siteKeyOf(name)
  const row = readSite(tx, key)
  if (row === undefined || row.name !== name) return undefined
  const view = siteView(row, readMemory(tx, key))
  const alias = readAlias(tx, key)
  if (alias !== undefined) view.alias = alias
  const domain = viewOfDomain(tx, domainOf(name))
  if (domain !== undefined) view.domain = domain
  const unendorsedSite = tx.getExact<{ referrer: bigint | null }>(READ_UNENDORSED_SITE, key)
  if (unendorsedSite !== undefined) view.unendorsedSite = referrerOf(tx, unendorsedSite.referrer)
  return view
}

function referrerOf(tx: SqliteTx, key: bigint | null): { referrer?: string } {
  const site = key === null ? undefined : readSite(tx, key)
  return site === undefined ? {} : { referrer: site.name }
}

interface UrlRow extends SeenUrl {
  seq: number
}

function viewOfUrl(tx: SqliteTx, text: string): UrlView | undefined {
  const urls = recordedUrls(tx)
  const parsed = urls.parse(text)
  if (parsed === undefined) return undefined
  const site = siteKeyOf(parsed.site)
  const own = urls.keyApart(text)
  const isOwn = own !== undefined && tx.get(READ_URL, site, signed64(own)) !== undefined
  const key = signed64(isOwn ? own : parsed.key)
  const row = tx.get<UrlRow>(READ_URL, site, key)
  if (row === undefined) return undefined
  const view = urlView(row, parsed.site, unsigned64(key), tx.get(IS_SEED, site, key) !== undefined)
  const via = tx.get<{ url: string }>(READ_VIA, site, key)?.url
  if (via !== undefined) view.via = via
  if (view.mark === 'waiting') view.ahead = tx.get<{ n: number }>(COUNT_AHEAD, site, row.due_at, row.seq)?.n
  return view
}
