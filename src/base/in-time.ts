import type { Clock, Millis } from './clock.ts'

/** Whether the work was done within so long. If not, it goes on, and what it throws then is nobody's any more. */
export async function inTime(clock: Clock, ms: Millis, work: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(ms, () => resolve(false))
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}
