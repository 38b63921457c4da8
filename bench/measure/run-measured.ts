/**
 * A program and what it cost. CPU time comes from the shell that started it (`times`, which every POSIX shell has), so
 * that all crawlers are measured by one yardstick, threads and children included; memory and the shares of threads are
 * read from `/proc` while it runs, where there is one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'

export interface Measured {
  code: number | null
  stdout: string
  stderr: string
  wallSeconds: number
  cpuSeconds: number
  /** Undefined where there is no /proc. */
  peakBytes: number | undefined
  /** Seconds by the name of a thread, as last seen: the end of each is missing, at most a look's time. */
  threads: Map<string, number>
}

export interface Sample {
  seconds: number
  rssBytes: number
}

export interface MeasureOptions {
  env?: NodeJS.ProcessEnv
  /** Called at every look. */
  onSample?: (sample: Sample) => void
  /** Ends the program: politely, and at once when it has not gone after a while. */
  end?: AbortSignal
  /** Where it runs; else here. */
  cwd?: string
}

const LOOK_EVERY_MS = 250
const LAST_WORDS_MS = 15_000
const TICKS_PER_SECOND = 100

export async function runMeasured(
  program: string,
  args: readonly string[],
  options: MeasureOptions = {},
): Promise<Measured> {
  const begun = performance.now()
  const script = '"$@"; code=$?; times >&3; exit $code'
  const shell = spawn('sh', ['-c', script, 'sh', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: options.env ?? process.env,
    cwd: options.cwd,
  })
  const texts = [shell.stdout, shell.stderr, shell.stdio[3]].map(textOf)
  let peakBytes: number | undefined
  const threads = new Map<string, Thread>()
  const look = setInterval(() => {
    const seen = lookAt(shell.pid)
    if (seen === undefined) return
    peakBytes = Math.max(peakBytes ?? 0, seen.peakBytes)
    // Threads that have ended stay: a worker is gone before its house is.
    for (const [task, thread] of seen.threads) threads.set(task, thread)
    options.onSample?.({ seconds: (performance.now() - begun) / 1000, rssBytes: seen.rssBytes })
  }, LOOK_EVERY_MS)
  // A benchmark that is broken off leaves nothing running.
  const end = () => endChildren(shell.pid, 'SIGKILL')
  process.once('exit', end)
  let lastWords: NodeJS.Timeout | undefined
  const endSoon = () => {
    endChildren(shell.pid, 'SIGTERM')
    lastWords = setTimeout(end, LAST_WORDS_MS)
  }
  options.end?.addEventListener('abort', endSoon, { once: true })
  if (options.end?.aborted === true) endSoon()
  const [code] = (await once(shell, 'close')) as [number | null]
  options.end?.removeEventListener('abort', endSoon)
  clearTimeout(lastWords)
  process.off('exit', end)
  clearInterval(look)
  const [stdout, stderr, times] = await Promise.all(texts)
  return {
    code,
    stdout,
    stderr,
    wallSeconds: (performance.now() - begun) / 1000,
    cpuSeconds: childTimes(times),
    peakBytes,
    threads: byName(threads),
  }
}

async function textOf(stream: unknown): Promise<string> {
  let text = ''
  if (!(stream instanceof Readable)) return text
  stream.setEncoding('utf8')
  for await (const piece of stream) text += piece
  return text
}

/** The second line of `times` is what the shell's children took: `0m1.230s 0m0.450s`. */
function childTimes(text: string): number {
  const line = text.trim().split('\n').at(1) ?? ''
  const [user, system] = [...line.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  // A cost of nothing would be the best of all figures.
  if (user === undefined || system === undefined) throw new Error(`the shell did not tell times, but '${text}'`)
  return user + system
}

interface Seen {
  peakBytes: number
  rssBytes: number
  threads: Map<string, Thread>
}

interface Thread {
  name: string
  seconds: number
}

function byName(threads: ReadonlyMap<string, Thread>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { name, seconds } of threads.values()) sums.set(name, (sums.get(name) ?? 0) + seconds)
  return sums
}

function lookAt(shell: number | undefined): Seen | undefined {
  try {
    const [child] = childrenOf(shell)
    if (child === undefined) return undefined
    const status = readFileSync(`/proc/${child}/status`, 'utf8')
    const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024
    return { peakBytes: bytes('VmHWM'), rssBytes: bytes('VmRSS'), threads: threadTimes(child) }
  } catch {
    // Not Linux, or it has just ended.
    return undefined
  }
}

function childrenOf(pid: number | undefined): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function threadTimes(pid: number): Map<string, Thread> {
  const threads = new Map<string, Thread>()
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
    threads.set(task, { name, seconds })
  }
  return threads
}

function endChildren(shell: number | undefined, signal: NodeJS.Signals): void {
  try {
    for (const child of childrenOf(shell)) process.kill(child, signal)
  } catch {
    // It has ended by itself.
  }
}
