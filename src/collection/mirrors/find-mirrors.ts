/**
 * Duplicate hosts of a collection (V13): sites with other names that serve the same contents. Memory is bounded by the
 * number of sites that look like others (some bytes each) and one list of pairs; contents and pairs lie on the disk.
 */

import type { SiteName } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { openScratch } from '../../database/sqlite/open.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { compare, evidenceOf } from './compare.ts'
import { rankMembers } from './elect.ts'
import { gather, SCRATCH_SCHEMA } from './gather.ts'
import { groupsOf } from './groups.ts'
import { type Evidence, type Heuristic, holds } from './heuristics.ts'
import { meet } from './meet.ts'

export interface MirrorPair extends Evidence {
  replica: SiteName
  original: SiteName
}

export interface MirrorList {
  groups: number
  /** One for each replica, by the rank of the original. */
  pairs: MirrorPair[]
}

export interface MirrorSearch {
  /** Sites with contents, different contents, and of them those that too many sites have. */
  readonly sites: number
  readonly contents: number
  readonly tooCommon: number
  /** Without the sites of `gone`, whose names lead nowhere any more. */
  list(heuristic: Heuristic, gone?: ReadonlySet<SiteName>): Promise<MirrorList>
  close(): Promise<void>
}

/** `urls`: by the collection's rules. Reads the catalogue in short pieces, also while a crawl writes it. Who opens it closes it. */
export async function searchMirrors(catalogue: Database, urls: UrlReader): Promise<MirrorSearch> {
  const scratch = openScratch(SCRATCH_SCHEMA)
  try {
    await gather(catalogue, urls, scratch)
    const { contents, tooCommon } = await meet(scratch)
    await rankMembers(catalogue, urls, scratch)
    await scratch.transact((tx) => compareCandidates(sqliteTx(tx)))
    const sites = await scratch.read((tx) => sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM size')!.n)
    return {
      sites,
      contents,
      tooCommon,
      list: (heuristic, gone) => scratch.transact((tx) => listOf(sqliteTx(tx), heuristic, gone ?? new Set())),
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

function listOf(db: SqliteTx, heuristic: Heuristic, gone: ReadonlySet<SiteName>): MirrorList {
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
  return { groups: groups.length, pairs }
}

function* pairsThat(db: SqliteTx, heuristic: Heuristic): Iterable<{ a: number; b: number }> {
  const rows = db.each<{ a: number; b: number } & Parameters<typeof evidenceOf>[0]>('SELECT * FROM compared')
  for (const row of rows) if (holds(heuristic, evidenceOf(row))) yield row
}
