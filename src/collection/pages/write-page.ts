/** Pages, their links and findings, one by one into the catalogue on SQLite. A URL has one row; captures keep its history. */
import type { Finding, PageReport } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import {
  afterFetch,
  findingRow,
  knownRow,
  linksAfterFetch,
  PAGE_COLUMNS,
  PAGE_FIELDS,
  pageRow,
  SET_PAGE_COLUMNS,
} from './page-row.ts'

const READ_KNOWN = `SELECT id, ${PAGE_COLUMNS.join(', ')} FROM page WHERE site = ? AND key = ?`
const WRITE = `INSERT INTO page (${PAGE_COLUMNS.join(', ')}) VALUES (${PAGE_COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (site, key) DO UPDATE SET ${SET_PAGE_COLUMNS} RETURNING id`

export function writePage(tx: Tx, site: bigint, page: PageReport): void {
  const db = sqliteTx(tx)
  const fetched = pageRow(site, page)
  const known = db.getExact<Record<string, unknown>>(READ_KNOWN, site, fetched.key)
  const row = known === undefined ? fetched : afterFetch(knownRow(known), fetched)
  if (row === undefined) return
  const { id } = db.get<{ id: number }>(WRITE, ...PAGE_FIELDS.map((field) => row[field]))!
  writeLinks(tx, id, known === undefined, page)
}

/** If the reverse index has taken the page already, it must learn that the links have changed. */
function writeLinks(tx: Tx, page: number, isNew: boolean, report: PageReport): void {
  const links = linksAfterFetch(report)
  if (links === undefined) return
  const db = sqliteTx(tx)
  const before = isNew
    ? undefined
    : db.get<{ links: Uint8Array }>('SELECT links FROM page_links WHERE page = ?', page)?.links
  if (Buffer.compare(before ?? NONE, links) === 0) return
  db.run('INSERT INTO page_links (page, links) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET links = ?2', page, links)
  if (!isNew) db.run(NOTE_CHANGE, page, before ?? null)
}

const NONE = new Uint8Array(0)

/** An earlier note stays: its links are those that the index has. */
const NOTE_CHANGE = `
  INSERT INTO links_changed (page, before) SELECT ?1, ?2 WHERE ?1 <= (SELECT page FROM inlink_upto)
  ON CONFLICT DO NOTHING`

/** Its site was given up, so nothing of it is tried again. */
export function giveUpPages(tx: Tx, site: bigint): void {
  sqliteTx(tx).run(`UPDATE page SET outcome = 'gone' WHERE site = ? AND outcome = 'later'`, site)
}

const ADD_FINDING = 'INSERT INTO finding (site, rule, evidence, at, pattern, examples) VALUES (?, ?, ?, ?, ?, ?)'
const WITHDRAW = `
  UPDATE finding SET withdrawn_at = ?, evidence = evidence || '; ' || ?
  WHERE site = ? AND rule = ? AND pattern = ? AND withdrawn_at IS NULL`

export function writeFindings(tx: Tx, site: bigint, findings: readonly Finding[]): void {
  const db = sqliteTx(tx)
  for (const { rule, evidence, at, pattern, examples, withdrawn } of findings.map(findingRow)) {
    if (withdrawn) db.run(WITHDRAW, at, evidence, site, rule, pattern)
    else db.run(ADD_FINDING, site, rule, evidence, at, pattern, examples)
  }
}
