/** Moments inside transactions on PostgreSQL, which no journal names. */
import pg from 'pg'
import { Batch } from '../../src/database/postgres/batch.ts'

/** Told of the text of each statement when it is asked and, before whoever asked hears of it, when it is answered. */
export type Listener = (text: string, when: 'asked' | 'answered') => void

/** Of this process, from now on. */
export function listenAtStatements(listen: Listener): void {
  const client = pg.Client.prototype as unknown as { query(asked: Batch | { text: string }): Promise<unknown> }
  const { query } = client
  client.query = function (this: unknown, asked) {
    const answer = query.call(this, asked)
    if (asked instanceof Batch) return answer
    listen(asked.text, 'asked')
    return answer.then((value) => {
      listen(asked.text, 'answered')
      return value
    })
  }
  const { add } = Batch.prototype
  Batch.prototype.add = function (statement) {
    const { text, resolve } = statement
    add.call(this, {
      ...statement,
      resolve(result) {
        listen(text, 'answered')
        resolve(result)
      },
    })
    listen(text, 'asked')
  }
}
