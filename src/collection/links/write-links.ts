/** A page's out-links, packed; and a note for the reverse index, if it has taken the page, that they are others now. */

import type { PageReport } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { endsItsLinks } from './ends-its-links.ts'

export function writeLinks(tx: Tx, page: number, isNew: boolean, report: PageReport): void {
  const { links } = report
  if (links.length === 0 && (isNew || !endsItsLinks(report))) return
  const db = sqliteTx(tx)
  const before = isNew ? undefined : linksOf(tx, page)
  if (sameBytes(before ?? NONE, links)) return
  db.run('INSERT INTO page_links (page, links) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET links = ?2', page, links)
  if (!isNew) db.run(NOTE_CHANGE, page, before ?? null)
}

/** Already noted: the index still knows the links of that note, not those of a moment ago. */
const NOTE_CHANGE = `
  INSERT INTO links_changed (page, before) SELECT ?1, ?2 WHERE ?1 <= (SELECT page FROM inlink_upto)
  ON CONFLICT DO NOTHING`

function linksOf(tx: Tx, page: number): Uint8Array | undefined {
  return sqliteTx(tx).get<{ links: Uint8Array }>('SELECT links FROM page_links WHERE page = ?', page)?.links
}

const NONE = new Uint8Array(0)

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
