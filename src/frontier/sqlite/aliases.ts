/**
 * The aliases in memory. A number that grows with each change of the table tells whether the memory is current, even after a
 * transaction was rolled back.
 */

import type { SiteName } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import {
  type AliasAnswer,
  AliasNames,
  type AliasRow,
  LONGEST_EVIDENCE,
  MAX_ALIASES,
  type Names,
  type NewAlias,
  type Original,
  objectionTo,
} from '../aliases.ts'
import { keyOf } from '../rules/site.ts'
import { readMeta, WRITE_META } from './meta.ts'

/** A million take some seconds, once, and 250 MB. */
export const READ_NAMES = `SELECT name, original, how, https FROM site_alias LIMIT ${MAX_ALIASES}`
export const WRITE_ALIAS = `
  INSERT INTO site_alias (site, name, original, how, https, since, evidence, pending) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
  ON CONFLICT (site) DO UPDATE SET original = excluded.original, how = excluded.how, https = excluded.https,
    since = excluded.since, evidence = excluded.evidence, pending = 1`
export const DELETE_ALIAS = `DELETE FROM site_alias WHERE site = ?`
const CHANGES = 'alias_changes'

export class AliasTable implements Names {
  readonly #urls: UrlReader
  readonly #names = new AliasNames()
  #seen = 0
  #last = 0

  constructor(urls: UrlReader) {
    this.#urls = urls
  }

  get isEmpty(): boolean {
    return this.#names.isEmpty
  }

  /** Once in every call of the ledger. */
  refresh(tx: SqliteTx): void {
    const changes = Number(readMeta(tx, CHANGES) ?? 0)
    if (changes === this.#seen) return
    this.#names.clear()
    for (const { name, original, how, https } of tx.each<Omit<AliasRow, 'since' | 'evidence'>>(READ_NAMES))
      this.#names.set(name, { to: original, how, https: https === 1 })
    this.#seen = changes
    this.#last = Math.max(this.#last, changes)
  }

  originalOf(site: SiteName): Original | undefined {
    return this.#names.originalOf(site)
  }

  learntNamesOf(original: SiteName): readonly SiteName[] {
    return this.#names.learntNamesOf(original)
  }

  /** `isBarred`: whether a site was given up. */
  add(tx: SqliteTx, given: NewAlias, now: number, isBarred: (site: SiteName) => boolean): AliasAnswer {
    const { name, original, how, https = false, evidence = '' } = given
    const objection = objectionTo(given, this.#urls, this.#names.size, (site) => this.#names.get(site))
    if (objection !== undefined) return objection
    if (isBarred(original)) return 'refused'
    const key = keyOf(name)
    tx.run(WRITE_ALIAS, key, name, original, how, https ? 1 : 0, now, evidence.slice(0, LONGEST_EVIDENCE))
    this.#names.set(name, { to: original, how, https })
    this.#changed(tx)
    return 'taken'
  }

  drop(tx: SqliteTx, name: SiteName): boolean {
    if (this.#names.get(name) === undefined) return false
    this.#names.delete(name)
    tx.run(DELETE_ALIAS, keyOf(name))
    this.#changed(tx)
    return true
  }

  /** A number is never used again, even if its transaction is rolled back: then the memory is read anew. */
  #changed(tx: SqliteTx): void {
    this.#seen = ++this.#last
    tx.run(WRITE_META, CHANGES, String(this.#seen))
  }
}
