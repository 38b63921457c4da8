/** The seeds as they are shown, with statements that nothing else uses. */
import { signed64 } from '../../base/digest.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { SeedSource, SeedUrl } from '../ledger.ts'
import { GONE, MARKS, type MarkName, NOT_FOUND } from '../rules/mark.ts'
import type { Seed, SeedPosition, SeedStatus, SeedViews } from '../seed-views.ts'

export const READ_MARK = `SELECT mark FROM url WHERE site = ? AND key = ?`
export const READ_IS_BARRED = `SELECT 1 FROM site WHERE key = ? AND state = 'barred'`
const READ_ALL = `SELECT url, source FROM seed`
const READ_SITES = `SELECT min(url) AS url, max(source = 'names') AS named FROM seed GROUP BY site`
const READ_FIRST = `SELECT url, source FROM seed ORDER BY added_at, url LIMIT ?`
const READ_AFTER = `SELECT site, key, url, source FROM seed WHERE (site, key) > (?, ?) ORDER BY site, key LIMIT ?`
const COUNT_MARKS = `
  SELECT s.source, u.mark, count(*) AS count FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key
  GROUP BY s.source, u.mark`
const READ_GONE = `
  SELECT s.site, s.key, s.url FROM seed s JOIN url u ON u.site = s.site AND u.key = s.key
  WHERE s.source = ? AND (s.site, s.key) > (?, ?) AND u.mark IN (${GONE}, ${NOT_FOUND}) ORDER BY s.site, s.key LIMIT ?`
/** Before every key. */
const BEFORE_ALL = { site: -(2n ** 63n), key: -(2n ** 63n) }

export const sqliteSeedViews: SeedViews = {
  statuses: async (tx, urls) => urls.map((url) => statusOf(sqliteTx(tx), url)),
  async list(tx, which) {
    if (which === 'all') return sqliteTx(tx).all<Seed>(READ_ALL)
    return sqliteTx(tx)
      .all<{ url: string; named: number }>(READ_SITES)
      .map(({ url, named }) => ({ url, source: named === 1 ? 'names' : 'given' }))
  },
  first: async (tx, atMost) => sqliteTx(tx).all<Seed>(READ_FIRST, atMost),
  async after(tx, after = BEFORE_ALL, atMost) {
    const rows = sqliteTx(tx).allExact<Seed & SeedPosition>(READ_AFTER, after.site, after.key, atMost)
    return { seeds: rows.map(({ url, source }) => ({ url, source })), last: rows.at(-1) }
  },
  counts: async (tx) =>
    sqliteTx(tx)
      .all<{ source: SeedSource; mark: number; count: number }>(COUNT_MARKS)
      .map(({ source, mark, count }) => ({ source, mark: MARKS[mark], count })),
  async gone(tx, source, after = BEFORE_ALL, atMost) {
    const rows = sqliteTx(tx).allExact<{ site: bigint; key: bigint; url: string }>(
      READ_GONE,
      source,
      after.site,
      after.key,
      atMost,
    )
    return { urls: rows.map(({ url }) => url), last: rows.at(-1) }
  },
  marks: async (tx, urls) => urls.map((url) => markAt(sqliteTx(tx), url)),
}

function markAt(tx: SqliteTx, { site, key }: SeedUrl): MarkName | undefined {
  const row = tx.get<{ mark: number }>(READ_MARK, signed64(siteKey(site)), signed64(key))
  return row === undefined ? undefined : MARKS[row.mark]
}

function statusOf(tx: SqliteTx, seed: SeedUrl): SeedStatus {
  const mark = markAt(tx, seed)
  if (mark !== undefined) return mark === 'gone' ? 'dead' : 'known'
  return tx.get(READ_IS_BARRED, signed64(siteKey(seed.site))) === undefined ? 'new' : 'dead'
}
