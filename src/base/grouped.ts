/** Calls that arrive while others are being answered are answered together next. */
import { assert } from './assert.ts'

interface Call<In, Out> {
  input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

interface Grouping<In> {
  /** Calls per group. */
  max?: number
  /** Of two calls with the same name the second waits for the first. */
  nameOf?: (input: In) => unknown
}

/**
 * `answer` takes the calls that wait when it is ready for them, which may be later than when it is called: after a wait for a
 * transaction, for example. It returns an answer for each. If it fails, so do these calls.
 */
export function grouped<In, Out>(
  answer: (take: () => readonly In[]) => Promise<readonly Out[]>,
  { max = Number.POSITIVE_INFINITY, nameOf }: Grouping<In> = {},
): (input: In) => Promise<Out> {
  let waiting: Call<In, Out>[] = []
  let isAnswering = false

  const takeSome = (): Call<In, Out>[] => {
    const taken = new Map<unknown, Call<In, Out>>()
    waiting = waiting.filter((call) => {
      const name = nameOf === undefined ? call : nameOf(call.input)
      if (taken.has(name) || taken.size >= max) return true
      taken.set(name, call)
      return false
    })
    return [...taken.values()]
  }

  const answerAll = async () => {
    isAnswering = true
    while (waiting.length > 0) {
      let calls: Call<In, Out>[] = []
      const take = () => {
        // A transaction that is tried again takes the same ones.
        if (calls.length === 0) calls = takeSome()
        return calls.map(({ input }) => input)
      }
      try {
        const outputs = await answer(take)
        assert(calls.length > 0, 'an answer to no calls')
        for (const [at, call] of calls.entries()) call.resolve(outputs[at])
      } catch (error) {
        take()
        for (const call of calls) call.reject(error)
      }
    }
    isAnswering = false
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (!isAnswering) void answerAll()
    })
}
