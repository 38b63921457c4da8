/** The connections of one process: at most so many, lent one by one in order of asking, the lost ones replaced. */
import { assert } from '../../base/assert.ts'
import type { Connection } from './connection.ts'

export interface Pool {
  /** Rejects when none can be made. */
  take(): Promise<Connection>
  /** Back from a loan, in whatever state. */
  give(connection: Connection): void
  /** Waits for the loans under way. */
  close(): Promise<void>
}

export function poolOf(most: number, make: () => Promise<Connection>): Pool {
  // The one used last goes out first: its statements are prepared and its memory is warm.
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let lent = 0
  let allBack = () => {}

  const back = () => {
    const next = waiting.shift()
    // Handed on, not given up: nobody who comes meanwhile can be quicker.
    if (next !== undefined) return next()
    lent--
    if (lent === 0) allBack()
  }

  return {
    async take() {
      if (lent < most) lent++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) if (!kept.isLost) return kept
      try {
        return await make()
      } catch (error) {
        back()
        throw error
      }
    },
    give(connection) {
      assert(lent > 0, 'a connection came back that was not lent')
      if (!connection.isLost) idle.push(connection)
      back()
    },
    async close() {
      if (lent > 0) await new Promise<void>((resolve) => (allBack = resolve))
      await Promise.all(idle.splice(0).map((connection) => connection.end()))
    },
  }
}
