/**
 * Where parts lie that are durable and not yet applied: what came faster than it could be applied, what came before an
 * earlier part of its visit, and what cannot be read.
 */

import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import type { ClosedPart } from '../open-part.ts'

export interface WaitingPart extends ClosedPart {
  id: number
}

const STORE = `
  INSERT INTO inbox (visit, part, fence, site, last, body, corrupt) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (visit, part) DO NOTHING`

/** (visit, part) is stored once; says how many were not there before. */
export async function storeParts(
  tx: Tx,
  ledger: Pick<Ledger, 'returning'>,
  parts: readonly SealedPart[],
): Promise<number> {
  const fresh = parts.filter((part) => store(tx, part, null))
  if (fresh.length > 0) await ledger.returning(tx, fresh)
  return fresh.length
}

/** What cannot be read is set aside: it is acknowledged, so it is never thrown away, and it holds nobody up. */
export function storeAside(tx: Tx, part: SealedPart, why: string): void {
  store(tx, part, why)
}

function store(tx: Tx, { visit, part, fence, site, last, body }: SealedPart, corrupt: string | null): boolean {
  return sqliteTx(tx).run(STORE, visit, part, fence, site, last ? 1 : 0, body, corrupt) === 1
}

/** The oldest after `afterId`, as many as their bytes allow, at least one. */
export function waitingParts(tx: Tx, afterId: number, maxBytes: number): WaitingPart[] {
  const rows = sqliteTx(tx).each<WaitingPart>(
    'SELECT id, visit, part, body FROM inbox WHERE id > ? AND corrupt IS NULL ORDER BY id',
    afterId,
  )
  const parts: WaitingPart[] = []
  let bytes = 0
  for (const part of rows) {
    parts.push(part)
    bytes += part.body.length
    if (bytes >= maxBytes) break
  }
  return parts
}

export function removeParts(tx: Tx, ids: readonly number[]): void {
  for (const id of ids) sqliteTx(tx).run('DELETE FROM inbox WHERE id = ?', id)
}

export function setAside(tx: Tx, id: number, why: string): void {
  sqliteTx(tx).run('UPDATE inbox SET corrupt = ? WHERE id = ?', why, id)
}
