/** Accepts report parts: unpacks them, checks tickets and contents, makes them durable, and only then acknowledges them. */
import { turn } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { PartAnswer } from '../wire/calls.ts'
import { type Packing, readFrame, type TicketedPart, unpack } from '../wire/parts-frame.ts'
import { ApiError } from '../wire/protocol.ts'
import { apiErrorOf, type CallTools, type Handlers, noDatabase } from './handlers.ts'
import { isSound } from './validate-report.ts'

/** Bytes of check-ins in memory at once; further ones must retry later. */
const MAX_IN_FLIGHT = 128 * 2 ** 20
/** Reports are read in pieces (about 5 ms each), yielding to the event loop in between. */
const BYTES_A_TURN = 512 * 1024
const BUSY_SECONDS = 1

export function acceptParts({ calls, tickets, holdings, journal }: CallTools): Handlers['checkIn'] {
  let inFlight = 0

  const check = async (worker: string, parts: readonly TicketedPart[]): Promise<PartAnswer[]> => {
    const answers: PartAnswer[] = []
    let read = 0
    for (const { ticket, part } of parts) {
      if (read > BYTES_A_TURN) {
        read = 0
        await turn()
      }
      read += part.body.length
      answers.push(!tickets.isFor(ticket, worker, part.visit) ? 'not-yours' : isSound(part) ? 'stored' : 'unreadable')
    }
    return answers
  }
  const accept = async (worker: string, parts: SealedPart[]): Promise<void> => {
    try {
      if (parts.length > 0) await calls.accept(worker, parts)
    } catch (error) {
      // On any error they are not durable: the worker keeps them and needs to know when to retry.
      const known = apiErrorOf(error)
      const what = `parts of worker ${worker} could not be stored: ${reasonOf(error)}`
      journal.record({ kind: 'trouble', what })
      throw known.retryAfterSeconds === undefined ? noDatabase('the parts could not be made durable') : known
    }
  }

  return async ({ worker, bytes, packing, note }) => {
    if (inFlight + bytes.length > MAX_IN_FLIGHT)
      throw new ApiError('too-many', 'too many reports at once', 'send them again', BUSY_SECONDS)
    inFlight += bytes.length
    try {
      const parts = await readParts(bytes, packing)
      const answers = await check(worker, parts)
      const stored = parts.filter((_, at) => answers[at] === 'stored').map(({ part }) => part)
      await accept(worker, stored)
      holdings.release(
        worker,
        stored.filter(({ last }) => last).map(({ visit }) => visit),
      )
      note.items = stored.length
      if (parts.length === 1) note.visit = parts[0].part.visit
      note.result = answers.find((answer) => answer !== 'stored') ?? 'ok'
      return { answers }
    } finally {
      inFlight -= bytes.length
    }
  }
}

async function readParts(bytes: Uint8Array, packing: string): Promise<TicketedPart[]> {
  try {
    return readFrame(await unpack(bytes, packingOf(packing)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ApiError('bad-request', `the parts cannot be read: ${error.message}`, 'nothing of them was stored')
  }
}

function packingOf(text: string): Packing {
  if (text === '' || text === 'identity') return 'identity'
  if (text === 'zstd' || text === 'gzip') return text
  throw new ApiError('other-type', `parts packed by ${text.slice(0, 40)}`, 'send them as zstd, gzip or as they are')
}
