/** What a loss of power took though it had been promised: the question that the order of durability answers. */

import type { Instant } from '../../src/base/clock.ts'
import { sha1 } from '../../src/base/digest.ts'
import type { Disk } from '../../src/base/disk.ts'
import { capturesSince } from '../../src/collection/captures/read-captures.ts'
import { localVolumes } from '../../src/collection/volumes/local-volumes.ts'
import { readCapture } from '../../src/collection/volumes/read-capture.ts'
import { decodeReport } from '../../src/contracts/decode-report.ts'
import type { Capture, VisitReport } from '../../src/contracts/report.ts'
import type { Database, Tx } from '../../src/database/database.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'

type Named = Capture & { url: string; at: Instant }

/** Remembers what was acknowledged to workers, on their side of the door, and looks for it on what a crash left. */
export class Promises {
  readonly #database: Database
  readonly #disk: Disk
  readonly #archiveFolder: string
  #parts: VisitReport[] = []
  /** Captures of the catalogue up to this one were found readable after an earlier crash. */
  #checked = 0

  constructor(database: Database, disk: Disk, archiveFolder: string) {
    this.#database = database
    this.#disk = disk
    this.#archiveFolder = archiveFolder
  }

  acknowledged(parts: readonly VisitReport[]): void {
    this.#parts.push(...parts)
  }

  /** Everything promised since the last look; `all`: whatever was promised ever. */
  async broken(all = false): Promise<string[]> {
    if (all) this.#checked = 0
    const { waiting, applied } = await this.#database.read(async (tx) => ({
      waiting: partsInInbox(tx),
      applied: await capturesSince(tx, this.#checked, 1_000_000),
    }))
    const inInbox = new Set(waiting.map(nameOf))
    const losses: string[] = []
    for (const part of this.#parts) {
      if (inInbox.has(nameOf(part))) continue
      losses.push(...(await this.#database.read((tx) => absent(tx, part))))
    }
    const named = waiting.flatMap(({ pages }) =>
      pages.flatMap(({ capture, url, at }) => (capture === undefined ? [] : [{ ...capture, url, at: Math.round(at) }])),
    )
    for (const capture of [...applied, ...named]) {
      const why = await this.#unreadable(capture, named)
      if (why !== undefined) losses.push(`${capture.url}: ${why}`)
    }
    this.#parts = []
    this.#checked = applied.at(-1)?.id ?? this.#checked
    return losses
  }

  async #unreadable(capture: Named, inInbox: readonly Named[]): Promise<string | undefined> {
    const read = await readCapture(localVolumes(this.#disk, this.#archiveFolder), capture, async (url, at) => {
      const original = (one: Named) => one.url === url && one.at === at && one.kind === 'response'
      return (await this.#database.read((tx) => responseOf(tx, url, at))) ?? inInbox.find(original)
    })
    if (read.kind === 'unreadable') return read.why
    return sha1(read.body) === capture.digest ? undefined : `${capture.volume} at ${capture.offset}: another payload`
  }
}

const nameOf = ({ visit, part }: VisitReport) => `${visit} ${part}`

function partsInInbox(tx: Tx): VisitReport[] {
  return sqliteTx(tx)
    .all<{ body: Uint8Array }>('SELECT body FROM inbox ORDER BY id')
    .map(({ body }) => decodeReport(body))
}

/** What an acknowledged part told that is neither in the inbox nor in the catalogue. */
function absent(tx: Tx, { pages, visit, part }: VisitReport): string[] {
  const db = sqliteTx(tx)
  return pages
    .filter(({ url, capture, ownRequest }) => {
      if (capture === undefined) return !ownRequest && db.get('SELECT 1 FROM page WHERE url = ?', url) === undefined
      const sql = `SELECT 1 FROM capture c JOIN volume v ON v.id = c.volume
        WHERE v.name = ? AND c.offset = ? AND c.url = ? AND c.digest = ?`
      return db.get(sql, capture.volume, capture.offset, url, capture.digest) === undefined
    })
    .map(({ url }) => `${url}: acknowledged in part ${part} of ${visit}, and gone`)
}

function responseOf(tx: Tx, url: string, at: Instant): Capture | undefined {
  const sql = `SELECT v.name AS volume, c.offset, c.length, c.digest, c.kind FROM capture c JOIN volume v ON v.id = c.volume
    WHERE c.url = ? AND c.at = ? AND c.kind = 'response'`
  return sqliteTx(tx).get<Capture>(sql, url, at)
}
