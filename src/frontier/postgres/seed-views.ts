/** The seeds as they are shown, with statements that nothing else uses. */

import { signed64 } from '../../base/digest.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import { type PostgresTx, postgresTx } from '../../database/postgres/tx.ts'
import type { SeedSource, SeedUrl } from '../ledger.ts'
import { GONE, MARKS, type MarkName, NOT_FOUND } from '../rules/mark.ts'
import type { Seed, SeedPosition, SeedViews } from '../seed-views.ts'

/** Of the given URLs, those that are known. Millions of names come in thousands. */
const READ_MARKS = `
  SELECT a.nth, u.mark FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS a (bucket, site, key, nth)
  JOIN url u ON u.bucket = a.bucket AND u.site = a.site AND u.key = a.key`
const READ_BARRED = `
  SELECT a.nth FROM unnest($1::smallint[], $2::bigint[]) WITH ORDINALITY AS a (bucket, site, nth)
  JOIN site s ON s.bucket = a.bucket AND s.key = a.site WHERE s.state = 'barred'`
const READ_ALL = `SELECT url, source FROM seed ORDER BY site, key`
const READ_SITES = `
  SELECT min(url COLLATE "C") AS url, max((source = 'names')::int) AS named FROM seed GROUP BY site ORDER BY site`
const READ_FIRST = `SELECT url, source FROM seed ORDER BY added_at, url COLLATE "C" LIMIT $1`
const READ_AFTER = `
  SELECT site, key, url, source FROM seed WHERE (bucket, site, key) > ($1, $2, $3) ORDER BY bucket, site, key LIMIT $4`
const COUNT_MARKS = `
  SELECT s.source, u.mark, count(*) AS count FROM seed s
  JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key GROUP BY s.source, u.mark`
/** In the order of the primary key. */
const READ_GONE = `
  SELECT s.site, s.key, s.url FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
  WHERE s.source = $1 AND (s.bucket, s.site, s.key) > ($2, $3, $4) AND u.mark IN (${GONE}, ${NOT_FOUND})
  ORDER BY s.bucket, s.site, s.key LIMIT $5`
const BEFORE_ALL_KEYS = -(2n ** 63n)

export const postgresSeedViews: SeedViews = {
  async statuses(tx, urls) {
    const [marks, barred] = await Promise.all([marksOf(postgresTx(tx), urls), barredOf(postgresTx(tx), urls)])
    return marks.map((mark, at) => {
      if (mark !== undefined) return mark === 'gone' ? 'dead' : 'known'
      return barred.has(at) ? 'dead' : 'new'
    })
  },
  async list(tx, which) {
    if (which === 'all') return postgresTx(tx).all<Seed>(READ_ALL)
    const rows = await postgresTx(tx).all<{ url: string; named: number }>(READ_SITES)
    return rows.map(({ url, named }) => ({ url, source: named === 1 ? 'names' : 'given' }))
  },
  first: (tx, atMost) => postgresTx(tx).all<Seed>(READ_FIRST, atMost),
  async after(tx, after, atMost) {
    const rows = await postgresTx(tx).allExact<Seed & SeedPosition>(READ_AFTER, ...positionAfter(after), atMost)
    return { seeds: rows.map(({ url, source }) => ({ url, source })), last: rows.at(-1) }
  },
  async counts(tx) {
    const rows = await postgresTx(tx).all<{ source: SeedSource; mark: number; count: number }>(COUNT_MARKS)
    return rows.map(({ source, mark, count }) => ({ source, mark: MARKS[mark], count }))
  },
  async gone(tx, source, after, atMost) {
    const rows = await postgresTx(tx).allExact<{ site: bigint; key: bigint; url: string }>(
      READ_GONE,
      source,
      ...positionAfter(after),
      atMost,
    )
    return { urls: rows.map(({ url }) => url), last: rows.at(-1) }
  },
  marks: (tx, urls) => marksOf(postgresTx(tx), urls),
}

function positionAfter(after: SeedPosition | undefined): [number, bigint, bigint] {
  return after === undefined ? [-1, BEFORE_ALL_KEYS, BEFORE_ALL_KEYS] : [bucketHere(after.site), after.site, after.key]
}

async function marksOf(tx: PostgresTx, urls: readonly SeedUrl[]): Promise<(MarkName | undefined)[]> {
  const sites = urls.map(({ site }) => siteKeyOf(site))
  const keys = urls.map(({ key }) => signed64(key))
  const marks: (MarkName | undefined)[] = urls.map(() => undefined)
  const rows = await tx.all<{ nth: number; mark: number }>(READ_MARKS, sites.map(bucketHere), sites, keys)
  for (const { nth, mark } of rows) marks[nth - 1] = MARKS[mark]
  return marks
}

async function barredOf(tx: PostgresTx, urls: readonly SeedUrl[]): Promise<Set<number>> {
  const sites = urls.map(({ site }) => siteKeyOf(site))
  const rows = await tx.all<{ nth: number }>(READ_BARRED, sites.map(bucketHere), sites)
  return new Set(rows.map(({ nth }) => nth - 1))
}

function bucketHere(site: bigint): number {
  return bucketOf('postgres', site)
}
