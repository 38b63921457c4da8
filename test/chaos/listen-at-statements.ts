/** Moments inside transactions on PostgreSQL, which no journal names. */
import pg from 'pg'

/** Told of the text of each statement when it is asked and, before whoever asked hears of it, when it is answered. */
export type Listener = (text: string, when: 'asked' | 'answered') => void

/** Of this process, from now on. */
export function listenAtStatements(listen: Listener): void {
  const client = pg.Client.prototype as unknown as { query(asked: string | { text: string }): Promise<unknown> }
  const { query } = client
  client.query = function (this: unknown, asked) {
    const text = typeof asked === 'string' ? asked : asked.text
    const answer = query.call(this, asked)
    listen(text, 'asked')
    return answer.then((value) => {
      listen(text, 'answered')
      return value
    })
  }
}
