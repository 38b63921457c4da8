/**
 * Signs of life of this process, for the one that restarts it when there are none: our supervisor (`supervise.ts`) over
 * its channel, or systemd (WatchdogSec). Node has no datagram sockets of Unix, so systemd is told by its own program
 * systemd-notify, which needs NotifyAccess=all in the unit.
 */
import { spawn } from 'node:child_process'
import { type Clock, every, type Millis } from '../../base/clock.ts'
import type { LocalFacts } from '../../cluster/maintenance/problems.ts'

/** The id of the process that supervises this one. */
export const SUPERVISOR_VARIABLE = 'ORB_SUPERVISOR'

export type FromSupervised =
  | { kind: 'beat' }
  /** The command has begun its work. */
  | { kind: 'running' }
  /** The command ended, well or not: its exit code is the last word, unless `passing` says why it may go on later. */
  | { kind: 'ended'; passing?: string }

export interface ToSupervised {
  kind: 'restarted'
  count: number
  why: string
}

export interface Heart {
  readonly isSupervised: boolean
  /** `isStuck`: the event loop turns, but its work is not done. */
  running(isStuck: () => boolean): void
  /**
   * It stops. `isFinal`: the exit code is the last word, so it is not started again. `passing`: what prevented it, which passes by itself: once it
   * has run it is started again anyway.
   */
  stop(isFinal: boolean, passing?: string): void
  /** How often the supervisor started it again in the last day; undefined: never. */
  restarts(): LocalFacts['restarts']
}

const BEAT_EVERY: Millis = 1000
/** Systemd waits at most this often for a beat: each is a process. */
const NOTIFY_EVERY: Millis = 5000

/** Nothing expects signs of life. */
export const NOBODY: Heart = { isSupervised: false, running() {}, stop() {}, restarts: () => undefined }

/** Beats until it is stopped. */
export function startHeart(clock: Clock): Heart {
  const isSupervised = process.send !== undefined && process.env[SUPERVISOR_VARIABLE] === String(process.ppid)
  const watchdog = isSupervised ? undefined : systemdWatchdog(process.env, clock)
  if (!isSupervised && watchdog === undefined) return NOBODY
  const tell = (message: FromSupervised) => {
    if (process.connected) process.send?.(message, undefined, {}, () => {})
  }
  let restarted: { count: number; why: string; at: Millis } | undefined
  let isStuck = () => false
  const onAlone = () => process.kill(process.pid, 'SIGTERM')
  if (isSupervised) {
    process.on('message', ({ count, why }: ToSupervised) => {
      restarted = { count, why, at: clock.elapsed() }
    })
    // Without its supervisor nothing would start it again, and the next supervisor would find the collection in use.
    process.on('disconnect', onAlone)
    process.channel?.unref()
  }
  const beat = () => {
    if (isStuck()) return
    tell({ kind: 'beat' })
    watchdog?.()
  }
  const over = new AbortController()
  beat()
  void every(clock, BEAT_EVERY, over.signal, async () => beat())
  return {
    isSupervised,
    running(asked) {
      isStuck = asked
      tell({ kind: 'running' })
    },
    stop(isFinal, passing) {
      over.abort()
      process.off('disconnect', onAlone)
      if (isFinal) tell({ kind: 'ended', ...(passing !== undefined && { passing }) })
    },
    restarts: () => restarted && { count: restarted.count, why: restarted.why, agoMs: clock.elapsed() - restarted.at },
  }
}

/** Tells systemd that this process lives, as often as the unit's WatchdogSec asks; undefined: it does not ask. */
export function systemdWatchdog(env: NodeJS.ProcessEnv, clock: Clock): (() => void) | undefined {
  const withinMs = Number(env['WATCHDOG_USEC']) / 1000
  if (env['NOTIFY_SOCKET'] === undefined || !(withinMs > 0)) return undefined
  // Half of it, as systemd's manual has it, and once more for a slow machine.
  const everyMs = Math.min(NOTIFY_EVERY, withinMs / 4)
  let next = Number.NEGATIVE_INFINITY
  return () => {
    if (clock.elapsed() < next) return
    next = clock.elapsed() + everyMs
    // If systemd-notify is missing, systemd hears nothing and restarts this process: the unit does not fit the machine.
    spawn('systemd-notify', ['WATCHDOG=1'], { stdio: 'ignore', env }).on('error', () => {})
  }
}
