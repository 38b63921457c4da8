import type { Database, Tx } from '../database/database.ts'

interface Call<In, Out> {
  input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

/** Calls per transaction: they lock their sites for some milliseconds. */
const MAX_AT_ONCE = 200

/**
 * Calls that arrive while others are running share the next transaction, and its commit. Of two calls with the same `nameOf`
 * the second waits for the first.
 */
export function grouped<In, Out>(
  db: Database,
  nameOf: (input: In) => string,
  work: (tx: Tx, inputs: readonly In[]) => Promise<Out[]>,
): (input: In) => Promise<Out> {
  let waiting: Call<In, Out>[] = []
  let isServing = false

  const takeSome = (): Call<In, Out>[] => {
    const taken = new Map<string, Call<In, Out>>()
    waiting = waiting.filter((call) => {
      const name = nameOf(call.input)
      if (taken.has(name) || taken.size >= MAX_AT_ONCE) return true
      taken.set(name, call)
      return false
    })
    return [...taken.values()]
  }

  const serve = async () => {
    isServing = true
    while (waiting.length > 0) {
      const calls = takeSome()
      const inputs = calls.map(({ input }) => input)
      try {
        const outputs = await db.transact((tx) => work(tx, inputs))
        for (const [index, call] of calls.entries()) call.resolve(outputs[index])
      } catch (error) {
        for (const call of calls) call.reject(error)
      }
    }
    isServing = false
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (!isServing) void serve()
    })
}
