/**
 * "Look again": LISTEN and NOTIFY, so that nobody need ask over and over. A nudge is a hint and never the truth: it may
 * come twice, late, or not at all, and whoever listens asks by itself now and then.
 */
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Tx } from '../database.ts'
import type { Connection } from './connection.ts'
import type { PostgresDatabase } from './open.ts'
import { backOff } from './transactions.ts'
import { postgresTx } from './tx.ts'

export interface Notifications {
  /** `heard` with '' says that something may have been missed. Ends what it returns. */
  listen(channel: string, heard: (payload: string) => void): () => void
  close(): Promise<void>
}

/** PostgreSQL's own bound is 8000. */
const MAX_PAYLOAD_BYTES = 4000
/** Doubled with each try up to a second, by `backOff`. */
const FIRST_TRY = 4

/**
 * Heard by others when, and only when, the transaction commits; the same one twice in a transaction is heard once. Commits
 * that notify wait for each other: nudge once for many things, not once for each.
 */
export async function notify(tx: Tx, channel: string, payload = ''): Promise<void> {
  assert(Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES, 'a nudge is a hint, not a letter')
  await postgresTx(tx).get('SELECT pg_notify($1, $2)', nameOf(channel), payload)
}

/** One connection listens for all of the process; when it is lost, another. */
export function openNotifications(database: PostgresDatabase, tools: { clock: Clock; random: Random }): Notifications {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const ending = new AbortController()
  let connection: Connection | undefined

  const tell = (name: string, payload: string) => {
    for (const heard of listeners.get(name) ?? []) heard(payload)
  }
  const untilOver = (session: Connection) =>
    new Promise<void>((resolve) => {
      session.onLost(resolve)
      ending.signal.addEventListener('abort', () => resolve())
      if (session.isLost || ending.signal.aborted) resolve()
    })
  const life = async () => {
    for (let tries = FIRST_TRY; !ending.signal.aborted; tries++) {
      try {
        connection = await database.session()
        connection.onNotification(tell)
        await Promise.all([...listeners.keys()].map((name) => connection?.query(`LISTEN ${name}`)))
        tries = FIRST_TRY
        // Whatever was said while nobody listened.
        for (const name of listeners.keys()) tell(name, '')
        await untilOver(connection)
      } catch {
        // Not there now: those who listen ask by themselves meanwhile.
      }
      await connection?.end()
      connection = undefined
      await backOff(tools, tries, ending.signal)
    }
  }
  const living = life()

  return {
    listen(channel, heard) {
      const name = nameOf(channel)
      const all = listeners.get(name) ?? new Set()
      listeners.set(name, all)
      all.add(heard)
      connection?.query(`LISTEN ${name}`).catch(() => {})
      return () => {
        all.delete(heard)
      }
    },
    async close() {
      ending.abort()
      await living
    },
  }
}

/** Names are pasted into LISTEN, which takes no values. */
function nameOf(channel: string): string {
  assert(/^[a-z_]{1,40}$/.test(channel), `${channel} as the name of a channel`)
  return `orbweaver_${channel}`
}
