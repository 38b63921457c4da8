/**
 * Parts that are durable and not applied yet: those that came faster than they could be applied, those out of order, and
 * those that cannot be read.
 */
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Ledger } from '../../frontier/contract.ts'
import type { ClosedPart } from '../report-parts.ts'

export interface WaitingPart extends ClosedPart {
  id: number
}

const STORE = `
  INSERT INTO inbox (visit, part, fence, site, last, body, corrupt) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (visit, part) DO NOTHING`

/** (visit, part) is stored once. Returns how many were new. */
export async function storeParts(
  tx: Tx,
  ledger: Pick<Ledger, 'returning'>,
  parts: readonly SealedPart[],
): Promise<number> {
  const fresh = parts.filter((part) => store(tx, part, null))
  if (fresh.length > 0) await ledger.returning(tx, fresh)
  return fresh.length
}

/** A part that cannot be read was acknowledged, so it is kept; it holds up no other. */
export function storeQuarantined(tx: Tx, part: SealedPart, why: string): void {
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

export function removeParts(tx: Tx, parts: readonly WaitingPart[]): void {
  for (const { id } of parts) sqliteTx(tx).run('DELETE FROM inbox WHERE id = ?', id)
}

export function quarantine(tx: Tx, id: number, why: string): void {
  sqliteTx(tx).run('UPDATE inbox SET corrupt = ? WHERE id = ?', why, id)
}
