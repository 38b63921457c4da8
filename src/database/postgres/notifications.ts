/**
 * LISTEN and NOTIFY, so that servers need not poll. A notification is only a hint: it may come twice, late or never, and
 * listeners also look by themselves now and then.
 */
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Tx } from '../database.ts'
import type { Connection } from './connection.ts'
import type { PostgresDatabase } from './open.ts'
import { backOff } from './transactions.ts'
import { postgresTx } from './tx.ts'

export type Notifications = ReturnType<typeof openNotifications>

/** PostgreSQL's own bound is 8000. */
const MAX_PAYLOAD_BYTES = 4000
/** Doubled with each try up to a second, by `backOff`. */
const FIRST_TRY = 4

/**
 * Delivered if and when the transaction commits; duplicates within a transaction are delivered once. Commits that notify wait
 * for each other: notify once for many things.
 */
export async function notify(tx: Tx, channel: string, payload = ''): Promise<void> {
  assert(Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES, 'a notification is too long')
  await postgresTx(tx).get('SELECT pg_notify($1, $2)', nameOf(channel), payload)
}

/** One connection per process listens; when it is lost, another replaces it. */
export function openNotifications(database: PostgresDatabase, tools: { clock: Clock; random: Random }) {
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
        // Notifications may have been missed meanwhile.
        for (const name of listeners.keys()) tell(name, '')
        await untilOver(connection)
      } catch {
        // Unreachable: listeners look by themselves meanwhile.
      }
      await connection?.end()
      connection = undefined
      await backOff(tools, tries, ending.signal)
    }
  }
  const living = life()

  return {
    /** `heard('')`: something may have been missed. Returns the function that stops listening. */
    listen(channel: string, heard: (payload: string) => void): () => void {
      const name = nameOf(channel)
      const all = listeners.get(name) ?? new Set()
      listeners.set(name, all)
      all.add(heard)
      connection?.query(`LISTEN ${name}`).catch(() => {})
      return () => {
        all.delete(heard)
      }
    },
    async close(): Promise<void> {
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
