/**
 * A server or a worker that kills itself (SIGKILL, the whole process) at a moment that its journal names.
 *
 *   node die-at.ts '{"at":"inbox-stored","nth":3}' serve|worker FLAGS…        ('null': it lives on)
 *
 * The program itself, as `orbweaver` starts it; only a reader of its journal is ours. A worker's 'synced' reaches the main
 * thread before the check-in that follows it, so it is a death between the two.
 */
import { run } from '../../src/cli/main.ts'
import { realDoors } from '../../src/cli/real-doors.ts'
import { makeScreen } from '../../src/cli/screen.ts'
import type { Event } from '../../src/visit/events.ts'

export interface Death {
  at: Event['kind']
  /** The how-many-eth such event is the last. */
  nth: number
}

const [given, ...line] = process.argv.slice(2)
const death = JSON.parse(given) as Death | null
let left = death?.nth ?? 0

const listening = <Options extends { journal?: (event: Event) => void }>(options: Options): Options => ({
  ...options,
  journal(event: Event) {
    if (event.kind === death?.at && --left === 0) {
      process.stderr.write(`dies at ${event.kind}\n`)
      process.kill(process.pid, 'SIGKILL')
    }
    if (event.kind === 'trouble') process.stderr.write(`trouble: ${event.what}\n`)
    options.journal?.(event)
  },
})

process.exitCode = await run(line, makeScreen(process.stdout, process.stderr, process.env), {
  ...realDoors,
  startServer: (settings, options) => realDoors.startServer(settings, listening(options)),
  startWorker: (settings, options) => realDoors.startWorker(settings, listening(options)),
})
