/**
 * The aliases in memory. A number that grows with each change of the table tells whether the memory is current, even after a
 * transaction was rolled back.
 */

import type { SiteName } from '../../contracts/visit.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { type AliasChange, AliasNames, type AliasRow, AliasView, MAX_ALIASES } from '../aliases.ts'

/** A million take some seconds, once, and 250 MB. */
export const READ_NAMES = `SELECT name, original, how, https FROM site_alias LIMIT ${MAX_ALIASES}`
export const WRITE_ALIAS = `
  INSERT INTO site_alias (site, name, original, how, https, since, evidence, pending) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
  ON CONFLICT (site) DO UPDATE SET original = excluded.original, how = excluded.how, https = excluded.https,
    since = excluded.since, evidence = excluded.evidence, pending = 1`
const DELETE_ALIAS = `DELETE FROM site_alias WHERE site = ?`
/** Most aliases have nothing to move, for they are learnt at their home pages. */
export const CLEAR_IDLE_PENDING = `
  UPDATE site_alias SET pending = 0 WHERE pending = 1
    AND NOT EXISTS (SELECT 1 FROM site s WHERE s.key = site_alias.site AND s.waiting > 0)`
export const READ_PENDING = `SELECT name FROM site_alias WHERE pending = 1 ORDER BY site LIMIT ?`
const READ_CHANGES = `SELECT value FROM frontier_meta WHERE name = 'alias_changes'`
const WRITE_CHANGES = `
  INSERT INTO frontier_meta (name, value) VALUES ('alias_changes', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

export class AliasTable {
  readonly #urls: UrlReader
  readonly #names = new AliasNames()
  #seen = 0
  #last = 0

  constructor(urls: UrlReader) {
    this.#urls = urls
  }

  /** Once in every call of the ledger. */
  refresh(tx: SqliteTx): void {
    const changes = Number(tx.get<{ value: string }>(READ_CHANGES)?.value ?? 0)
    if (changes === this.#seen) return
    this.#names.clear()
    for (const { name, original, how, https } of tx.each<Omit<AliasRow, 'since' | 'evidence'>>(READ_NAMES))
      this.#names.set(name, { to: original, how, https: https === 1 })
    this.#seen = changes
    this.#last = Math.max(this.#last, changes)
  }

  /** As a transaction sees them, after `refresh`. */
  view(): AliasView {
    return new AliasView(this.#names, this.#urls)
  }

  /** A number is never used again, even if its transaction is rolled back: then the memory is read anew. */
  write(tx: SqliteTx, changes: readonly { name: SiteName; change: AliasChange | null }[]): void {
    if (changes.length === 0) return
    for (const { name, change } of changes) {
      if (change === null) {
        this.#names.delete(name)
        tx.run(DELETE_ALIAS, siteKeyOf(name))
        continue
      }
      const { to, how, https, since, evidence } = change
      this.#names.set(name, { to, how, https })
      tx.run(WRITE_ALIAS, siteKeyOf(name), name, to, how, https ? 1 : 0, since, evidence)
    }
    this.#seen = ++this.#last
    tx.run(WRITE_CHANGES, String(this.#seen))
  }
}
