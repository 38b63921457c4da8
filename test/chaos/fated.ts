/**
 * A server or a worker that kills or stops itself, the whole process, at a moment that it knows.
 *
 *   node fated.ts '{"at":"inbox-stored","nth":3,"how":"dies"}' serve|worker FLAGS…        ('null': it lives on)
 *
 * The program itself, as `orbweaver` starts it; only a reader of its journal and a listener at its statements are ours. A
 * worker's 'synced' reaches the main thread before the check-in that follows it, so it is a death between the two.
 */
import { flushCompileCache } from 'node:module'
import { run } from '../../src/app/cli/main.ts'
import { makeScreen } from '../../src/app/cli/screen.ts'
import { realServices } from '../../src/app/cli/services.ts'
import type { Event } from '../../src/contracts/events.ts'
import { AT_WORK, type Fate, INSIDE_TRANSACTIONS, lateLine, type Moment } from './fate.ts'
import { Unreported } from './unreported.ts'

const [given, ...line] = process.argv.slice(2)
const fate = JSON.parse(given) as Fate | null
let left = fate?.nth ?? 0
let isAtWork = false

function reached(moment: Moment): void {
  if (moment !== fate?.at || --left !== 0) return
  process.stderr.write(`${fate.how} at ${moment}\n`)
  process.kill(process.pid, fate.how === 'dies' ? 'SIGKILL' : 'SIGSTOP')
}

const unreported = new Unreported()
setInterval(() => {
  const ms = unreported.lateBy(performance.now())
  if (ms > 0) process.stderr.write(lateLine(ms))
}, 1000).unref()

const listening = <Options extends { journal?: (event: Event) => void }>(options: Options): Options => ({
  ...options,
  journal(event: Event) {
    if (!isAtWork && (event.kind === 'checked-in' || event.kind === 'inbox-stored')) {
      isAtWork = true
      // Else that would wait for a good end, and few come to one.
      flushCompileCache()
      process.stderr.write(`${AT_WORK}\n`)
    }
    unreported.note(event.kind, performance.now())
    reached(event.kind)
    if (event.kind === 'trouble') process.stderr.write(`trouble: ${event.what}\n`)
    options.journal?.(event)
  },
})

if (fate !== null && INSIDE_TRANSACTIONS.has(fate.at)) {
  const [{ listenAtStatements }, { HOLD_ADDRESS }, { RENEW }] = await Promise.all([
    import('./listen-at-statements.ts'),
    import('../../src/frontier/postgres/address-rows.ts'),
    import('../../src/frontier/postgres/open-frontier.ts'),
  ])
  const moments = new Map<string, Moment>([
    [HOLD_ADDRESS, 'entering'],
    [RENEW, 'renewing'],
  ])
  // Its transaction is open, and what it has locked stays so.
  listenAtStatements((text, when) => {
    const moment = moments.get(text)
    if (moment !== undefined && when === 'answered') reached(moment)
  })
}
process.exitCode = await run(line, makeScreen(process.stdout, process.stderr, process.env), {
  ...realServices,
  startServer: (settings, options) => realServices.startServer(settings, listening(options)),
  // Its threads tell of every answer then; nothing more is printed, for the command line read the settings before.
  startWorker: (settings, options) => realServices.startWorker({ ...settings, verbose: true }, listening(options)),
})
