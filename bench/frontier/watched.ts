/** A database whose statements are timed, by whoever's call they belong to. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'
import type { Database, Tx } from '../../src/database/database.ts'
import { type PostgresTx, postgresTx } from '../../src/database/postgres/tx.ts'
import type { PgValue } from '../../src/database/postgres/values.ts'

export interface Statement {
  sql: string
  values: readonly PgValue[]
}

export interface Observed<T> {
  value: T
  /** How long any statement of the call was under way, the way there and back with it; COMMIT is not in it. */
  statementMs: number
  /** In their order. */
  statements: readonly Statement[]
}

export interface Watched {
  database: Database
  watch<T>(call: () => Promise<T>): Promise<Observed<T>>
}

export function watched(database: Database): Watched {
  const calls = new AsyncLocalStorage<Stopwatch>()
  return {
    database: {
      ...database,
      transact(work) {
        const watch = calls.getStore()
        return database.transact(watch === undefined ? work : (tx) => work(watch.over(tx)))
      },
    },
    async watch(call) {
      const watch = new Stopwatch()
      const value = await calls.run(watch, call)
      return { value, statementMs: watch.ms, statements: watch.statements }
    },
  }
}

/** Statements overlap when they are sent together: what counts is that there are any. */
class Stopwatch {
  ms = 0
  readonly statements: Statement[] = []
  #under = 0
  #since = 0

  over(given: Tx): Tx {
    const tx = postgresTx(given)
    const timed =
      <Answer>(ask: (sql: string, ...values: PgValue[]) => Promise<Answer>) =>
      (sql: string, ...values: PgValue[]) => {
        this.statements.push({ sql, values })
        this.#begin()
        const answer = ask(sql, ...values)
        const end = () => this.#end()
        answer.then(end, end)
        return answer
      }
    const over: PostgresTx = {
      dialect: 'postgres',
      timeline: tx.timeline,
      run: timed(tx.run),
      get: timed(tx.get) as PostgresTx['get'],
      all: timed(tx.all) as PostgresTx['all'],
      getExact: timed(tx.getExact) as PostgresTx['getExact'],
      allExact: timed(tx.allExact) as PostgresTx['allExact'],
    }
    return over
  }

  #begin(): void {
    if (this.#under++ === 0) this.#since = performance.now()
  }

  #end(): void {
    if (--this.#under === 0) this.ms += performance.now() - this.#since
  }
}
