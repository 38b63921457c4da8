/** The connections of one process: at most `max`, handed out in the order of requests; lost ones are replaced. */
import { assert } from '../../base/assert.ts'
import type { Clock, Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Connection } from './connection.ts'

export type Pool = ReturnType<typeof poolOf>

export interface PoolTools {
  readonly max: number
  readonly clock: Clock
  /** The longest wait for a connection: a caller that fails can react, one that waits cannot. */
  readonly longestWaitMs: Millis
  /** For messages. */
  readonly where: string
  make(): Promise<Connection>
}

export function poolOf({ max, clock, longestWaitMs, where, make }: PoolTools) {
  // The last one used goes first: its statements are prepared and its memory is warm.
  const idle: Connection[] = []
  /** In the order of requests. */
  const waiting = new Set<() => void>()
  let lent = 0
  let allBack = () => {}

  const back = () => {
    const [next] = waiting
    // Handed on directly, so that no newcomer can overtake.
    if (next !== undefined) return next()
    lent--
    if (lent === 0) allBack()
  }
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const comes = () => {
        waiting.delete(comes)
        cancel()
        resolve()
      }
      waiting.add(comes)
      const cancel = clock.after(longestWaitMs, () => {
        waiting.delete(comes)
        reject(tooLong(max, longestWaitMs, where))
      })
    })

  return {
    /** Rejects when none can be made, or none is released in time. */
    async acquire(): Promise<Connection> {
      if (lent < max) lent++
      else await turn()
      for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) if (!kept.isLost) return kept
      try {
        return await make()
      } catch (error) {
        back()
        throw error
      }
    },
    /** In any state. */
    release(connection: Connection): void {
      assert(lent > 0, 'a connection came back that was not lent')
      if (!connection.isLost) idle.push(connection)
      back()
    },
    /** Waits until all are released. */
    async close(): Promise<void> {
      if (lent > 0) await new Promise<void>((resolve) => (allBack = resolve))
      await Promise.all(idle.splice(0).map((connection) => connection.end()))
    },
  }
}

function tooLong(max: number, waitedMs: Millis, where: string): Problem {
  return new Problem(
    'database-unreachable',
    `all ${max} connections of this process to ${where} have been in use for ${Math.round(waitedMs / 1000)} s: the database is too slow for this load`,
  )
}
