/**
 * Chooses a member of a fail-over group. A writer needs the one that takes writes, and of several the one promoted last: an
 * old primary that was started again takes writes too, and they would be lost. Each promotion begins a timeline with a
 * higher number. This process never returns to a lower number than it has seen.
 */
import type { PostgresAddress } from './address.ts'
import { type Connection, connectTo, type SessionSettings } from './connection.ts'
import { retryKind, StandbyError } from './errors.ts'

export type Connect = () => Promise<Connection>
type Dial = typeof connectTo

export function primaryConnector(address: PostgresAddress, settings: SessionSettings, dial: Dial = connectTo): Connect {
  return settings.access === 'write' ? toPrimary(address, settings, dial) : () => toAny(address, settings, dial)
}

/** The first host that answers. */
async function toAny({ urls, where }: PostgresAddress, settings: SessionSettings, dial: Dial): Promise<Connection> {
  const errors: unknown[] = []
  for (const url of urls) {
    try {
      return await dial(url, where, settings)
    } catch (error) {
      errors.push(error)
    }
  }
  throw mostHopeful(errors)
}

function toPrimary({ urls, where }: PostgresAddress, settings: SessionSettings, dial: Dial): Connect {
  const open = new Set<Connection>()
  let newest = 0
  /** Where the primary was last: tried alone, because a host that is down may cost seconds. */
  let last: string | undefined = urls.length === 1 ? urls[0] : undefined

  const take = (connection: Connection): Connection => {
    const { timeline } = connection.session
    if (timeline < newest) {
      connection.destroy()
      throw new StandbyError(where, 'is a primary that another has replaced: make it a standby of that one')
    }
    newest = timeline
    for (const other of open) {
      // The old primary does not know that it was replaced: write nothing more there.
      if (other.session.timeline < newest) other.destroy()
      if (other.isLost) open.delete(other)
    }
    open.add(connection)
    return connection
  }

  const search = async (): Promise<Connection> => {
    const answers = await Promise.allSettled(urls.map((url) => dial(url, where, settings)))
    const found = answers.flatMap((answer, at) =>
      answer.status === 'fulfilled' ? [{ connection: answer.value, url: urls[at] }] : [],
    )
    if (found.length === 0)
      throw mostHopeful(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])))
    const best = found.reduce((a, b) => (b.connection.session.timeline > a.connection.session.timeline ? b : a))
    for (const { connection } of found) if (connection !== best.connection) connection.destroy()
    const taken = take(best.connection)
    last = best.url
    return taken
  }

  return async () => {
    if (last === undefined) return search()
    try {
      return take(await dial(last, where, settings))
    } catch (error) {
      if (urls.length === 1) throw error
      last = undefined
      return search()
    }
  }
}

/** An error that may pass, if there is one: then waiting may help. */
function mostHopeful(errors: readonly unknown[]): unknown {
  return errors.findLast((error) => retryKind(error, false) !== 'no') ?? errors.at(-1)
}
