/** Calls of asynchronous work that must not overlap. */

/** One after the other, in the order of the calls; one that fails does not keep the next from running. */
export function inOrder(): <T>(work: () => Promise<T> | T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
}

/** Calls during a run share the next run, because the current one may have begun too early for them. */
export function oneForAll(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = () => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined && next === undefined) return run()
    next ??= (running ?? Promise.resolve()).then(run, run)
    return next
  }
}
