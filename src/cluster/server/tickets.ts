/**
 * A ticket shows that a visit was given to this worker: a keyed hash of both. Any server that knows the key can check it,
 * however old the visit is, without asking a table.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { VisitId } from '../../contracts/visit.ts'

/** 128 bits cannot be guessed, and a visit has hundreds of parts that carry them. */
const BYTES = 16

export interface Tickets {
  of(worker: string, visit: VisitId): string
  isFor(ticket: string, worker: string, visit: VisitId): boolean
}

export function ticketsBy(key: Uint8Array): Tickets {
  const hashOf = (worker: string, visit: VisitId) =>
    createHmac('sha256', key).update(`${worker}\n${visit}`).digest().subarray(0, BYTES)
  return {
    of: (worker, visit) => hashOf(worker, visit).toString('base64url'),
    isFor(ticket, worker, visit) {
      const shown = Buffer.from(ticket, 'base64url')
      return shown.length === BYTES && timingSafeEqual(shown, hashOf(worker, visit))
    },
  }
}
