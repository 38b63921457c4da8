/** Ctrl-C and SIGTERM: the first stops politely, the second at once. Both leave a valid collection. */
import { realClock } from '../../base/clock.ts'
import { EXIT } from '../../base/errors.ts'

const SHOW_CURSOR = '\x1b[?25h'

/** Between two presses of one impatient hand; a terminal that closes sends several signals for one event. */
const SAME_MOMENT_MS = 300

export function onInterrupt(call: () => void): () => void {
  let firstAt: number | undefined
  const heard = () => {
    if (firstAt === undefined) {
      firstAt = realClock.elapsed()
      call()
      return
    }
    if (realClock.elapsed() - firstAt < SAME_MOMENT_MS) return
    if (process.stderr.isTTY === true) process.stderr.write(SHOW_CURSOR)
    process.exit(EXIT.interrupted)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, heard)
  return () => {
    // Once interrupted, the program ends: a second press in its last moments must not change the exit code to the signal's.
    if (firstAt !== undefined) return
    for (const signal of signals) process.off(signal, heard)
  }
}
