/** Tells of moments inside transactions on PostgreSQL that no journal names. */
import pg from 'pg'
import { HOLD_ADDRESS } from '../../src/frontier/postgres/enter.ts'
import { RENEW } from '../../src/frontier/postgres/renew.ts'
import type { Moment } from './fate.ts'

const MOMENT_OF = new Map<string | undefined, Moment>([
  [HOLD_ADDRESS, 'entering'],
  [RENEW, 'renewing'],
])

/** Before whoever asked hears of the answer: its transaction is open, and what it has locked stays so. */
export function listenAtStatements(reached: (moment: Moment) => void): void {
  const client = pg.Client.prototype as unknown as { query(config: { text?: string }): Promise<unknown> }
  const { query } = client
  client.query = function (this: unknown, config) {
    const answer = query.call(this, config)
    const moment = MOMENT_OF.get(config.text)
    if (moment === undefined) return answer
    return answer.then((value) => {
      reached(moment)
      return value
    })
  }
}
