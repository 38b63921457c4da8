/**
 * Finds the duplicate hosts of a collection (V13): sites with other names that serve the same contents. Contents and pairs are
 * on the disk; memory holds some bytes per candidate and one list of pairs.
 */

import type { SiteName } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openScratch } from '../../database/sqlite/open.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { examplesOf } from '../pages/read-pages.ts'
import { compare, evidenceOf, pairCandidates } from './compare.ts'
import { groupsOf, rankMembers } from './elect.ts'
import { gather, SCRATCH_SCHEMA } from './gather.ts'
import { type Heuristic, holds } from './heuristics.ts'

/** `urls` parses by the collection's rules. Reads the catalogue in short pieces, while a crawl may write it. The caller closes it. */
export async function searchMirrors(catalogue: Database, urls: UrlReader) {
  const scratch = openScratch(SCRATCH_SCHEMA)
  try {
    await gather(catalogue, urls, scratch)
    const { contents, tooCommon } = await pairCandidates(scratch)
    await rankMembers(catalogue, urls, scratch)
    await scratch.transact((tx) => compareCandidates(sqliteTx(tx)))
    const sites = await scratch.read((tx) => sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM size')!.n)
    return {
      /** Sites with contents, different contents, and those of them that too many sites have. */
      sites,
      contents,
      tooCommon,
      /** Without the sites of `gone`, whose names no longer resolve. */
      list: (heuristic: Heuristic, gone: ReadonlySet<SiteName> = new Set()) =>
        scratch.transact((tx) => listOf(sqliteTx(tx), heuristic, gone)),
      close: () => scratch.close(),
    }
  } catch (error) {
    await scratch.close()
    throw error
  }
}

function compareCandidates(db: SqliteTx): void {
  const pairs = db.each<{ a: number; b: number }>(
    `SELECT one.rank AS a, other.rank AS b FROM candidate
     JOIN member one ON one.site = candidate.a JOIN member other ON other.site = candidate.b`,
  )
  for (const { a, b } of pairs) compare(db, a, b)
}

export type MirrorList = ReturnType<typeof listOf>

function listOf(db: SqliteTx, heuristic: Heuristic, gone: ReadonlySet<SiteName>) {
  const members = db.get<{ n: number }>('SELECT count(*) AS n FROM member')!.n
  const nameOf = (rank: number) => db.get<{ name: string }>('SELECT name FROM member WHERE rank = ?', rank)!.name
  const groups = groupsOf(
    members,
    pairsThat(db, heuristic),
    (original, replica) => holds(heuristic, compare(db, original, replica)),
    (rank) => gone.size > 0 && gone.has(nameOf(rank)),
  )
  const pairs = groups.flatMap(({ original, replicas }) => {
    const name = nameOf(original)
    return replicas.map((rank) => ({ replica: nameOf(rank), original: name, ...compare(db, original, rank) }))
  })
  /** A pair per replica, by the rank of the original. */
  return { groups: groups.length, pairs }
}

function* pairsThat(db: SqliteTx, heuristic: Heuristic): Iterable<{ a: number; b: number }> {
  const rows = db.each<{ a: number; b: number } & Parameters<typeof evidenceOf>[0]>('SELECT * FROM compared')
  for (const row of rows) if (holds(heuristic, evidenceOf(row))) yield row
}

/** Sites that a crawl itself took for mirrors, by their first documents; the newest first. */
export async function proposedMirrors(tx: Tx, atMost: number) {
  const db = queries(tx)
  const { count } = (await db.get<{ count: number }>(
    `SELECT count(DISTINCT site) AS count FROM finding WHERE rule = 'mirror'`,
  ))!
  const rows = await db.all<{ site: SiteName; evidence: string; examples: string | null }>(
    `SELECT site_stats.name AS site, evidence, examples FROM finding JOIN site_stats
       ON site_stats.bucket = finding.bucket AND site_stats.site = finding.site
     WHERE finding.id IN (SELECT max(id) FROM finding WHERE rule = 'mirror' GROUP BY site)
     ORDER BY at DESC, finding.id DESC LIMIT ?`,
    atMost,
  )
  const proposals = rows.map((row) => ({ ...row, examples: examplesOf(row) }))
  return { count, proposals }
}
