/** One exchange on an open connection: the request is written, the answer read until it is over or its time is. */
import { type Clock, type Millis, turn } from '../base/clock.ts'
import { type Answer, type FetchRequest, STALE_CONNECTION } from '../visit/exchange.ts'
import type { FailureKind } from '../visit/outcome.ts'
import type { Connection } from './connection.ts'
import { detailOf, failed } from './failed.ts'
import { ResponseReader } from './response-reader.ts'
import type { Stop } from './stop.ts'

export interface Deadlines {
  connect: Millis
  firstByte: Millis
  /** Between two pieces of an answer. */
  idle: Millis
  /** From the first byte of the request to the last of the answer. */
  exchange: Millis
}

export interface LeastRate {
  /** 0: no least rate. */
  bytesPerSecond: number
  /** From the first byte of the answer; the rate counts from there too. */
  graceMs: Millis
}

export interface CarryOptions {
  clock: Clock
  deadlines: Deadlines
  leastRate: LeastRate
}

export interface Carried {
  answer: Answer
  /** The connection may carry another request. */
  reusable: boolean
}

export function carry(
  connection: Connection,
  reused: boolean,
  bytes: Uint8Array,
  wants: FetchRequest['wants'],
  options: CarryOptions,
  stop: Stop,
): Promise<Carried> {
  const { clock, deadlines, leastRate } = options
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(wants)
    const sentAt = clock.elapsed()
    let firstAt = -1
    let lastAt = sentAt
    let received = 0
    let isOver = false

    const over = (answer: Answer) => {
      isOver = true
      stopWatch()
      stop.whenStopped(undefined)
      const reusable = answer.kind === 'full' && reader.reusable && connection.alive
      if (!reusable) connection.destroy()
      resolve({ answer, reusable })
    }

    /** The deadline that comes first. All are moved by what arrives, so they are reckoned anew when the watch rings. */
    const nextDeadline = (): { at: Millis; kind: FailureKind } => {
      let at = sentAt + deadlines.exchange
      let kind: FailureKind = 'exchange-timeout'
      const earlier = (other: Millis, itsKind: FailureKind) => {
        if (other < at) {
          at = other
          kind = itsKind
        }
      }
      if (firstAt < 0) {
        earlier(sentAt + deadlines.firstByte, 'first-byte-timeout')
      } else {
        earlier(lastAt + deadlines.idle, 'idle-timeout')
        if (leastRate.bytesPerSecond > 0) {
          // When the bytes so far will be too few, unless more come.
          const enoughFor = (received / leastRate.bytesPerSecond) * 1000
          earlier(firstAt + Math.max(leastRate.graceMs, enoughFor), 'too-slow')
        }
      }
      return { at, kind }
    }
    const watch = (): (() => void) => {
      const wait = nextDeadline().at - clock.elapsed()
      // Bytes may lie in the kernel while we were busy elsewhere: one turn lets them in before we judge.
      return clock.after(Math.max(1, wait), () => turn().then(ring))
    }
    const ring = () => {
      if (isOver) return
      const { at, kind } = nextDeadline()
      if (at > clock.elapsed()) stopWatch = watch()
      else over(reader.interrupt('time') ?? failed(kind, `${received} bytes came`))
    }

    let stopWatch = watch()
    stop.whenStopped(() => over(failed('reset', 'aborted')))
    connection.carry(
      {
        data(piece) {
          const isFirst = firstAt < 0
          lastAt = clock.elapsed()
          if (isFirst) firstAt = lastAt
          received += piece.length
          try {
            const answer = reader.feed(piece)
            if (answer !== undefined) over(answer)
            else if (isFirst) {
              // From now on deadlines only move away, but the first of them may come before the one that was watched.
              stopWatch()
              stopWatch = watch()
            }
          } catch (error) {
            // A bug of ours (in `wants`, say) must not come out of a socket's event, where nobody catches it.
            stopWatch()
            stop.whenStopped(undefined)
            connection.destroy()
            reject(error)
          }
        },
        ended(error) {
          if (reused && received === 0) over(failed('reset', STALE_CONNECTION))
          else if (error === undefined) over(reader.end())
          else over(reader.interrupt('disconnect') ?? failed(received === 0 ? kindOf(error) : 'reset', detailOf(error)))
        },
      },
      bytes,
    )
  })
}

/** In TLS 1.3 a server may refuse the handshake after it seemed to be over. */
function kindOf(error: NodeJS.ErrnoException): FailureKind {
  return /^ERR_(?:SSL|TLS)/.test(error.code ?? '') ? 'tls' : 'reset'
}
