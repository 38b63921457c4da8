/** One exchange on an open connection: writes the request and reads the answer until it ends or a deadline passes. */
import { type Clock, type Millis, turn } from '../base/clock.ts'
import { type Answer, type FetchRequest, STALE_CONNECTION } from '../contracts/exchange.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { Connection, ExchangeHandler, Stop } from './connection.ts'
import { detailOf, failed } from './failure.ts'
import { ResponseReader } from './response-reader.ts'

export interface Deadlines {
  connect: Millis
  firstByte: Millis
  /** Between two pieces of an answer. */
  idle: Millis
  /** From the first byte of the request to the last of the answer. */
  exchange: Millis
}

export interface MinRate {
  /** 0: no minimum. */
  bytesPerSecond: number
  /** From the first byte of the answer; the rate counts from there too. */
  graceMs: Millis
}

export interface ExchangeOptions {
  clock: Clock
  deadlines: Deadlines
  minRate: MinRate
}

export interface Completed {
  answer: Answer
  /** The connection may carry another request. */
  reusable: boolean
}

export function carry(
  connection: Connection,
  reused: boolean,
  bytes: Uint8Array,
  wants: FetchRequest['wants'],
  { clock, deadlines, minRate }: ExchangeOptions,
  stop: Stop,
): Promise<Completed> {
  const reader = new ResponseReader(wants)
  const sentAt = clock.elapsed()
  let firstAt: Millis | undefined
  let lastAt = sentAt
  let received = 0
  let isOver = false

  /** The earliest deadline. Arriving bytes move them, so they are computed anew when the timer fires. */
  const nextDeadline = (): { at: Millis; kind: FailureKind } => {
    const all: { at: Millis; kind: FailureKind }[] = [{ at: sentAt + deadlines.exchange, kind: 'exchange-timeout' }]
    if (firstAt === undefined) all.push({ at: sentAt + deadlines.firstByte, kind: 'first-byte-timeout' })
    else {
      all.push({ at: lastAt + deadlines.idle, kind: 'idle-timeout' })
      // When the bytes so far become too few.
      const enoughFor = (received / minRate.bytesPerSecond) * 1000
      if (minRate.bytesPerSecond > 0) all.push({ at: firstAt + Math.max(minRate.graceMs, enoughFor), kind: 'too-slow' })
    }
    return all.reduce((first, one) => (one.at < first.at ? one : first))
  }
  const watch = () => connection.callAt(nextDeadline().at)

  return new Promise((resolve, reject) => {
    const over = (answer: Answer) => {
      isOver = true
      stop.whenStopped(undefined)
      const { reusable } = reader
      if (!reusable) connection.destroy()
      resolve({ answer, reusable })
    }
    const handler: ExchangeHandler = {
      data(piece) {
        // Bytes after the end of the answer.
        if (isOver) return connection.destroy()
        const isFirst = firstAt === undefined
        lastAt = clock.elapsed()
        firstAt ??= lastAt
        received += piece.length
        try {
          const answer = reader.feed(piece)
          if (answer !== undefined) over(answer)
          // From now on deadlines only move later, but the next one may be earlier than the one that is set.
          else if (isFirst) watch()
        } catch (error) {
          // A bug of ours (in `wants`, say) must not escape from a socket event, where nothing catches it.
          isOver = true
          stop.whenStopped(undefined)
          connection.destroy()
          reject(error)
        }
      },
      ended(error) {
        if (isOver) return
        if (reused && received === 0) over(failed('reset', STALE_CONNECTION))
        else if (error === undefined) over(reader.end())
        else {
          const failure = failed(received === 0 ? kindOf(error) : 'reset', detailOf(error))
          over(reader.interrupt('disconnect') ?? failure)
        }
      },
      deadlineReached() {
        // Bytes may be waiting in the kernel if the thread was busy: let them in before deciding.
        void turn().then(() => {
          if (isOver) return
          const { at, kind } = nextDeadline()
          if (at > clock.elapsed()) watch()
          else over(reader.interrupt('time') ?? failed(kind, `${received} bytes came`))
        })
      },
    }
    watch()
    stop.whenStopped(() => over(failed('reset', 'aborted')))
    connection.carry(handler, bytes)
  })
}

/** In TLS 1.3 a server may refuse the handshake after it seemed complete. */
function kindOf(error: NodeJS.ErrnoException): FailureKind {
  return /^ERR_(?:SSL|TLS)/.test(error.code ?? '') ? 'tls' : 'reset'
}
