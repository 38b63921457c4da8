import type { Database } from '../../database/database.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'

interface Call<In, Out> {
  input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

/** Calls that arrive while a transaction is under way share the next: one commit (half a millisecond) for all of them. */
export function grouped<In, Out>(db: Database, work: (tx: SqliteTx, input: In) => Out): (input: In) => Promise<Out> {
  let waiting: Call<In, Out>[] = []
  const serve = async () => {
    let calls: Call<In, Out>[] = []
    try {
      const outputs = await db.transact((tx) => {
        calls = waiting
        waiting = []
        return calls.map(({ input }) => work(sqliteTx(tx), input))
      })
      for (const [index, call] of calls.entries()) call.resolve(outputs[index])
    } catch (error) {
      if (calls.length === 0) [calls, waiting] = [waiting, []]
      for (const call of calls) call.reject(error)
    }
  }
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (waiting.length === 1) void serve()
    })
}
