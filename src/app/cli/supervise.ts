/**
 * The supervisor (V9): runs the same command in a process of its own, and starts it again when it dies or shows no sign of life for five minutes. Signals are passed
 * on, and its exit code is the command's. It knows nothing of crawls, so a crawl cannot hang it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { type Clock, type Millis, Wakeup } from '../../base/clock.ts'
import { EXIT } from '../../base/errors.ts'
import { formatDuration } from '../../base/units.ts'
import { type FromSupervised, SUPERVISOR_VARIABLE, type ToSupervised } from './heart.ts'

export interface SuperviseOptions {
  /** The program and its arguments. */
  command: readonly [string, ...string[]]
  env: NodeJS.ProcessEnv
  clock: Clock
  say(line: string): void
  /** Calls back for each signal that asks to stop; returns the function that ends that. */
  onSignal(call: (signal: NodeJS.Signals) => void): () => void
  /** Tells others that the supervisor itself lives. */
  beat?: () => void
  times?: Partial<typeof TIMES>
}

const TIMES = {
  /**
   * A process without a sign of life for this long is killed (V9). Until it has begun, it has longer, to repair what a
   * crash left.
   */
  silentMs: 5 * 60_000,
  startMs: 60 * 60_000,
  /** Before it is started again; doubles while it dies young. */
  firstWaitMs: 1000,
  longestWaitMs: 5 * 60_000,
}
const LOOK_EVERY: Millis = 1000
const DAY: Millis = 86_400_000
/** A process that ran for this long did not die young. */
const OLD: Millis = 10 * 60_000
/** A process that never begins is started only so many times. */
const MAX_FALSE_STARTS = 3

/** How a process ended. */
interface End {
  code: number | null
  signal: NodeJS.Signals | null
  /** Its command had begun. */
  hasRun: boolean
  /** It said that its exit code is the last word. */
  isFinal: boolean
  /** What prevented it, when that passes by itself. */
  passing: string | undefined
  isSilent: boolean
  ranMs: Millis
}

/** Resolves with the exit code when the command has ended for good. */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { clock, say, onSignal, beat } = options
  const times = { ...TIMES, ...options.times }
  const wakeup = new Wakeup()
  let child: ChildProcess | undefined
  let isStopping = false
  const stopListening = onSignal((signal) => {
    isStopping = true
    wakeup.wake()
    child?.kill(signal)
  })
  const restarts: Millis[] = []
  let young = 0
  let falseStarts = 0
  let hasEverRun = false
  let why: string | undefined
  try {
    for (;;) {
      child = start(options, why === undefined ? undefined : { kind: 'restarted', count: restarts.length, why })
      const end = await watched(child, options, times)
      hasEverRun ||= end.hasRun
      falseStarts = end.hasRun ? 0 : falseStarts + 1
      const code = end.code ?? 128 + constants.signals[end.signal ?? 'SIGKILL']
      if (isStopping || isLast(end, hasEverRun) || (!hasEverRun && falseStarts >= MAX_FALSE_STARTS)) return code
      young = end.ranMs >= OLD ? 0 : young + 1
      const wait = Math.min(times.longestWaitMs, times.firstWaitMs * 2 ** Math.max(0, young - 1))
      why = reasonOf(end, times)
      say(`orbweaver: started again in ${formatDuration(wait)}, because ${why}`)
      for (let left = wait; left > 0 && !isStopping; left -= LOOK_EVERY) {
        beat?.()
        await clock.sleep(Math.min(left, LOOK_EVERY), wakeup.signal())
      }
      // Nothing runs, so the reason of its last death is not the reason of this end.
      if (isStopping) return EXIT.interrupted
      restarts.push(clock.elapsed())
      while (restarts[0] < clock.elapsed() - DAY) restarts.shift()
    }
  } finally {
    stopListening()
  }
}

/** A command that ended by itself has ended, except that a database comes back, or a folder becomes free. */
function isLast({ isFinal, passing }: End, hasEverRun: boolean): boolean {
  return isFinal && !(passing !== undefined && hasEverRun)
}

function reasonOf({ isSilent, signal, code, passing }: End, { silentMs }: typeof TIMES): string {
  if (isSilent) return `it showed no sign of life for ${formatDuration(silentMs)}`
  if (signal !== null) return `it was ended by ${signal}`
  return passing ?? `it died with exit code ${code}`
}

function start({ command: [program, ...args], env }: SuperviseOptions, restarted: ToSupervised | undefined) {
  const child = spawn(program, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...env, [SUPERVISOR_VARIABLE]: String(process.pid) },
  })
  if (restarted !== undefined) child.send(restarted, () => {})
  return child
}

/** Until the process has ended; one that is silent is killed. */
async function watched(child: ChildProcess, { clock, beat }: SuperviseOptions, times: typeof TIMES): Promise<End> {
  const begun = clock.elapsed()
  let heardAt = begun
  let hasRun = false
  let isFinal = false
  let passing: string | undefined
  let isSilent = false
  child.on('message', (message: FromSupervised) => {
    heardAt = clock.elapsed()
    if (message.kind === 'running') hasRun = true
    if (message.kind !== 'ended') return
    isFinal = true
    passing = message.passing
  })
  const over = new AbortController()
  const lookEvery = Math.min(LOOK_EVERY, times.silentMs / 4)
  const watching = (async () => {
    for (let looked = clock.elapsed(); !over.signal.aborted; looked = clock.elapsed()) {
      beat?.()
      await clock.sleep(lookEvery, over.signal)
      // The supervisor itself, or the machine, was halted, so the process gets its full time again.
      if (clock.elapsed() - looked > 2 * lookEvery + 1000) heardAt = clock.elapsed()
      if (clock.elapsed() - heardAt < (hasRun ? times.silentMs : times.startMs)) continue
      isSilent = true
      child.kill('SIGKILL')
    }
  })()
  const { code, signal } = await new Promise<Pick<End, 'code' | 'signal'>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: EXIT.failed, signal: null }))
  })
  over.abort()
  await watching
  return { code, signal, hasRun, isFinal, passing, isSilent, ranMs: clock.elapsed() - begun }
}
