/** Captures, one by one into the catalogue on SQLite. */
import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { DigestFilter } from './digest-filter.ts'
import { NO_PAYLOAD } from './digest-filter.ts'

/** Of one transaction. When it is durable their digests go to the filter, and revisit records may refer to them. */
export class CaptureWriter {
  readonly #filter: DigestFilter
  /** Responses of this transaction, which are not in the filter yet. */
  readonly #fresh = new Set<string>()
  readonly #volumes = new Map<string, number>()

  constructor(filter: DigestFilter) {
    this.#filter = filter
  }

  write(tx: Tx, site: bigint, page: PageReport): void {
    const { capture } = page
    if (capture === undefined) return
    const db = sqliteTx(tx)
    const duplicate = capture.kind === 'revisit' || this.#known(tx, capture.digest)
    db.run(
      `INSERT INTO capture (site, key, url, at, volume, offset, length, digest, status, media_type, kind, duplicate)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      site,
      signed64(page.key),
      page.url,
      Math.round(page.at),
      this.#volumeId(tx, capture.volume),
      capture.offset,
      capture.length,
      capture.digest,
      page.status,
      page.mediaType,
      capture.kind,
      duplicate ? 1 : 0,
    )
    if (capture.kind === 'response' && capture.digest !== NO_PAYLOAD) this.#fresh.add(capture.digest)
  }

  durable(): void {
    for (const digest of this.#fresh) this.#filter.add(digest)
  }

  #volumeId(tx: Tx, name: string): number {
    const known = this.#volumes.get(name)
    if (known !== undefined) return known
    const db = sqliteTx(tx)
    const { id } =
      db.get<{ id: number }>('SELECT id FROM volume WHERE name = ?', name) ??
      db.get<{ id: number }>('INSERT INTO volume (name) VALUES (?) RETURNING id', name)!
    this.#volumes.set(name, id)
    return id
  }

  /** A payload that came again before its first record was durable is stored twice. That is harmless, and counted. */
  #known(tx: Tx, digest: string): boolean {
    if (digest === NO_PAYLOAD) return false
    if (this.#fresh.has(digest)) return true
    if (!this.#filter.mayHave(digest)) return false
    const sql = `SELECT 1 FROM capture WHERE digest = ? AND kind = 'response' LIMIT 1`
    return sqliteTx(tx).get(sql, digest) !== undefined
  }
}
