/**
 * The aliases, in memory: a look-up of a link's site costs as much as a Map's. The table is the truth; a number that grows
 * with each change tells whether the memory has seen it, also when a transaction was taken back.
 */
import { signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteName } from '../../visit/visit.ts'
import { siteKey, type UrlReader } from '../../web/url/web-url.ts'
import { type Alias, type AliasAnswer, LEARNT, LONGEST_CHAIN, MOST_ALIASES, type NewAlias } from '../aliases.ts'
import { readSite } from './read-site.ts'
import { READ_META, WRITE_META } from './recover.ts'

export const READ_ALIASES = `
  SELECT name, original, how, https, since, evidence FROM site_alias ORDER BY site LIMIT ${MOST_ALIASES}`
/** A million take some seconds, once, and 250 MB. */
export const READ_NAMES = `SELECT name, original, how, https FROM site_alias LIMIT ${MOST_ALIASES}`
export const READ_ALIAS = `SELECT name, original, how, https, since, evidence FROM site_alias WHERE site = ?`
export const WRITE_ALIAS = `
  INSERT INTO site_alias (site, name, original, how, https, since, evidence, pending) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
  ON CONFLICT (site) DO UPDATE SET original = excluded.original, how = excluded.how, https = excluded.https,
    since = excluded.since, evidence = excluded.evidence, pending = 1`
export const DELETE_ALIAS = `DELETE FROM site_alias WHERE site = ?`
const CHANGES = 'alias_changes'
const LONGEST_EVIDENCE = 500

interface AliasRow extends Omit<Alias, 'https'> {
  https: number
}

/** Where a chain of names ends. */
export interface Original {
  site: SiteName
  https: boolean
  /** How the first of its names became one. */
  how: string
}

export class AliasBook {
  readonly #urls: UrlReader
  readonly #known = new Map<SiteName, Omit<Original, 'site'> & { to: SiteName }>()
  /** Of originals, their names that were learnt: most often one. */
  readonly #learnt = new Map<SiteName, readonly SiteName[]>()
  #seen = 0
  #last = 0

  constructor(urls: UrlReader) {
    this.#urls = urls
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** Once in every call of the ledger. */
  refresh(tx: SqliteTx): void {
    const changes = Number(tx.get<{ value: string }>(READ_META, CHANGES)?.value ?? 0)
    if (changes === this.#seen) return
    this.#known.clear()
    this.#learnt.clear()
    for (const row of tx.each<Omit<AliasRow, 'since' | 'evidence'>>(READ_NAMES))
      this.#keep({ ...row, https: row.https === 1 })
    this.#seen = changes
    this.#last = Math.max(this.#last, changes)
  }

  originalOf(site: SiteName): Original | undefined {
    const first = this.#known.get(site)
    if (first === undefined) return undefined
    let last = first
    for (let hops = 1; hops < LONGEST_CHAIN; hops++) {
      const next = this.#known.get(last.to)
      if (next === undefined) break
      last = next
    }
    return { site: last.to, https: last.https, how: first.how }
  }

  learntNamesOf(original: SiteName): readonly SiteName[] {
    return this.#learnt.get(original) ?? []
  }

  add(tx: SqliteTx, given: NewAlias, now: number): AliasAnswer {
    const { name, original, how, https = false, evidence = '' } = given
    if (![name, original].every((site) => this.#urls.parse(`http://${site}/`)?.site === site)) return 'refused'
    const before = this.#known.get(name)
    if (before?.to === original && before.how === how && before.https === https) return 'known'
    if (before?.how === 'list' && how !== 'list') return 'known'
    if (before === undefined && this.#known.size >= MOST_ALIASES) return 'refused'
    let end: SiteName | undefined = original
    for (let hops = 0; end !== undefined && hops < LONGEST_CHAIN; hops++) {
      if (end === name) return 'cycle'
      end = this.#known.get(end)?.to
    }
    if (end !== undefined || readSite(tx, signed64(siteKey(original)))?.state === 'barred') return 'refused'
    const alias = { name, original, how, https, since: now, evidence: evidence.slice(0, LONGEST_EVIDENCE) }
    const key = signed64(siteKey(name))
    tx.run(WRITE_ALIAS, key, name, original, how, https ? 1 : 0, now, alias.evidence)
    this.#keep(alias)
    this.#changed(tx)
    return 'taken'
  }

  drop(tx: SqliteTx, name: SiteName): boolean {
    if (!this.#known.has(name)) return false
    this.#forget(name)
    tx.run(DELETE_ALIAS, signed64(siteKey(name)))
    this.#changed(tx)
    return true
  }

  #keep({ name, original, how, https }: Pick<Alias, 'name' | 'original' | 'how' | 'https'>): void {
    this.#forget(name)
    this.#known.set(name, { to: original, how, https })
    if (how === LEARNT) this.#learnt.set(original, [...this.learntNamesOf(original), name])
  }

  #forget(name: SiteName): void {
    const before = this.#known.get(name)
    if (before === undefined) return
    this.#known.delete(name)
    const others = this.learntNamesOf(before.to).filter((other) => other !== name)
    if (others.length > 0) this.#learnt.set(before.to, others)
    else this.#learnt.delete(before.to)
  }

  /** A number is never used again, also not when its transaction is taken back: then the memory is read anew. */
  #changed(tx: SqliteTx): void {
    this.#seen = ++this.#last
    tx.run(WRITE_META, CHANGES, String(this.#seen))
  }
}

export function readAliases(tx: SqliteTx): Alias[] {
  return tx.all<AliasRow>(READ_ALIASES).map((row) => ({ ...row, https: row.https === 1 }))
}

export function readAlias(tx: SqliteTx, site: bigint): Alias | undefined {
  const row = tx.get<AliasRow>(READ_ALIAS, site)
  return row === undefined ? undefined : { ...row, https: row.https === 1 }
}
