/** The reading side. Statements of its own, for nothing else asks them. */
import { signed64, unsigned64 } from '../../base/digest.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import { domainOf } from '../domains.ts'
import { dueLook, type SeenUrl, siteLook, urlLook } from '../look-of.ts'
import type { Looks, SiteLook, UrlLook } from '../looks.ts'
import { MARKS } from '../mark.ts'
import { readAlias, readAliases } from './alias-book.ts'
import { BUCKET } from './bucket.ts'
import { COUNT_HELD_DOMAINS, lookAtDomain } from './domain-row.ts'
import { readMemory } from './read-memory.ts'
import { readNextDue } from './read-next-due.ts'
import { readSite } from './read-site.ts'
import { readTotals } from './read-totals.ts'
import { READ_STRANGER } from './strangers.ts'
import { recordedUrls } from './url-rules.ts'

const READ_URL = `
  SELECT url, depth, path, seq, enqueued_at, due_at, tries, mark FROM url WHERE site = ? AND key = ?`
const READ_VIA = `
  SELECT v.url FROM url u JOIN url v ON v.site = u.via_site AND v.key = u.via_key WHERE u.site = ? AND u.key = ?`
/** Bounded: in a queue of a million nobody wants to know the exact place. */
const MOST_AHEAD = 1000
const COUNT_AHEAD = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM url WHERE site = ? AND mark = 0 AND (due_at, seq) < (?, ?) LIMIT ${MOST_AHEAD})`
const IS_SEED = `SELECT 1 FROM seed WHERE site = ? AND key = ?`
const READ_SEEDS = `SELECT url FROM seed ORDER BY added_at, url`
const READ_NEXT_FREE = `
  SELECT name, rank, waiting FROM site
  WHERE state = 'free' AND bucket = ? AND holder = '' ORDER BY losses, crowd, rank LIMIT ?`
const READ_URLS = `SELECT url, key, mark FROM url WHERE site = ? AND key > ? ORDER BY key LIMIT ?`
const READ_URLS_FIRST = `SELECT url, key, mark FROM url WHERE site = ? ORDER BY key LIMIT ?`

export const sqliteLooks: Looks = {
  reader: async (tx) => recordedUrls(sqliteTx(tx)),
  totals: async (tx) => readTotals(sqliteTx(tx)),
  site: async (tx, name) => lookAtSite(sqliteTx(tx), name),
  url: async (tx, url) => lookAtUrl(sqliteTx(tx), url),
  domain: async (tx, name) => lookAtDomain(sqliteTx(tx), domainOf(name)),
  heldDomains: async (tx) => sqliteTx(tx).get<{ n: number }>(COUNT_HELD_DOMAINS)?.n ?? 0,
  aliases: async (tx) => readAliases(sqliteTx(tx)),
  nextDue: async (tx, atMost) => dueLook(readNextDue(sqliteTx(tx), atMost)),
  nextFree: async (tx, atMost) =>
    sqliteTx(tx)
      .all<{ name: string; rank: number; waiting: number }>(READ_NEXT_FREE, BUCKET, atMost)
      .map(({ name, rank, waiting }) => ({ name, rank, waiting })),
  seeds: async (tx) =>
    sqliteTx(tx)
      .all<{ url: string }>(READ_SEEDS)
      .map(({ url }) => url),
  async urls(tx, name, after, atMost) {
    const site = signed64(siteKey(name))
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

function lookAtSite(tx: SqliteTx, name: string): SiteLook | undefined {
  const key = signed64(siteKey(name))
  const row = readSite(tx, key)
  if (row === undefined || row.name !== name) return undefined
  const look = siteLook(row, readMemory(tx, key))
  const alias = readAlias(tx, key)
  if (alias !== undefined) look.alias = alias
  const domain = lookAtDomain(tx, domainOf(name))
  if (domain !== undefined) look.domain = domain
  const stranger = tx.getExact<{ speaker: bigint | null }>(READ_STRANGER, key)
  if (stranger !== undefined) look.stranger = speakerOf(tx, stranger.speaker)
  return look
}

function speakerOf(tx: SqliteTx, key: bigint | null): { speaker?: string } {
  const site = key === null ? undefined : readSite(tx, key)
  return site === undefined ? {} : { speaker: site.name }
}

interface UrlRow extends SeenUrl {
  seq: number
}

function lookAtUrl(tx: SqliteTx, text: string): UrlLook | undefined {
  const urls = recordedUrls(tx)
  const parsed = urls.parse(text)
  if (parsed === undefined) return undefined
  const site = signed64(siteKey(parsed.site))
  const own = urls.keyApart(text)
  const isOwn = own !== undefined && tx.get(READ_URL, site, signed64(own)) !== undefined
  const key = signed64(isOwn ? own : parsed.key)
  const row = tx.get<UrlRow>(READ_URL, site, key)
  if (row === undefined) return undefined
  const look = urlLook(row, parsed.site, unsigned64(key), tx.get(IS_SEED, site, key) !== undefined)
  const via = tx.get<{ url: string }>(READ_VIA, site, key)?.url
  if (via !== undefined) look.via = via
  if (look.mark === 'waiting') look.ahead = tx.get<{ n: number }>(COUNT_AHEAD, site, row.due_at, row.seq)?.n
  return look
}
