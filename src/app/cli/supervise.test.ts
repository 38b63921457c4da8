/** The supervisor with real processes: killed, stopped, crashed, ended and never begun. */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { fakeServices, recordedScreen } from './fake-services.test-data.ts'
import { NOBODY, systemdWatchdog } from './heart.ts'
import { run } from './main.ts'
import { supervise } from './supervise.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-supervise-'))
after(() => rmSync(folder, { recursive: true }))
const HEART = JSON.stringify(join(import.meta.dirname, 'heart.ts'))
const CLOCK = JSON.stringify(join(import.meta.dirname, '..', '..', 'base', 'clock.ts'))
const TIMES = { silentMs: 1500, startMs: 20_000, firstWaitMs: 5, longestWaitMs: 20 }

interface Trial {
  /** What the process does once its heart beats, the nth time; `n` counts from 0. */
  script: string
  /** Called for each line that the process writes to its file. */
  onLine?: (line: string, stop: (signal: NodeJS.Signals) => void) => void
  beat?: () => void
  times?: Partial<typeof TIMES>
}

let trials = 0

/** Processes write lines to a file, which survives them: `pid N`, `restarts …`. */
async function tried({ script, onLine, beat, times }: Trial) {
  const path = join(folder, `lines-${trials++}`)
  writeFileSync(path, '')
  const program = `
    import { appendFileSync, readFileSync } from 'node:fs'
    const { startHeart } = await import(${HEART})
    const { realClock } = await import(${CLOCK})
    const heart = startHeart(realClock)
    const path = ${JSON.stringify(path)}
    const n = (readFileSync(path, 'utf8').match(/^pid/gm) ?? []).length
    const write = (line) => appendFileSync(path, line + '\\n')
    const forever = () => new Promise(() => setInterval(() => {}, 1000))
    write('pid ' + process.pid)
    ${script}
  `
  const said: string[] = []
  let send: (signal: NodeJS.Signals) => void = () => {}
  const over = new AbortController()
  const reading = (async () => {
    for (let seen = 0; !over.signal.aborted; await realClock.sleep(10, over.signal)) {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
      for (const line of lines.slice(seen)) onLine?.(line, (signal) => send(signal))
      seen = lines.length
    }
  })()
  const exit = await supervise({
    command: [process.execPath, '--input-type=module', '-e', program],
    env: process.env,
    clock: realClock,
    say: (line) => said.push(line),
    onSignal(call) {
      send = call
      return () => {}
    },
    ...(beat && { beat }),
    times: { ...TIMES, ...times },
  })
  over.abort()
  await reading
  return { exit, said, lines: readFileSync(path, 'utf8').trim().split('\n') }
}

test('one that is killed is started again, and told so', async () => {
  let pid: number | undefined
  const { exit, said, lines } = await tried({
    script: `
      heart.running(() => false)
      if (n === 0) { write('ready'); await forever() }
      await new Promise((resolve) => setTimeout(resolve, 200))
      const { count, why } = heart.restarts()
      write('restarts ' + count + ' ' + why)
      heart.stop(true)
      process.exitCode = 14`,
    onLine(line) {
      if (line.startsWith('pid')) pid ??= Number(line.slice(4))
      if (line === 'ready') process.kill(pid!, 'SIGKILL')
    },
  })
  assert.equal(exit, 14)
  assert.deepEqual(said, ['orbweaver: started again in 5ms, because it was ended by SIGKILL'])
  assert.equal(lines.at(-1), 'restarts 1 it was ended by SIGKILL')
})

test('one that is stopped, and one whose work stands still though its loop turns, are killed and started again', async () => {
  const { exit, said } = await tried({
    script: `
      heart.running(() => n === 1)
      if (n === 0) process.kill(process.pid, 'SIGSTOP')
      if (n < 2) await forever()
      heart.stop(true)
      process.exit(0)`,
  })
  const silent = 'because it showed no sign of life for 1.5s'
  assert.equal(exit, 0)
  assert.deepEqual(said, [`orbweaver: started again in 5ms, ${silent}`, `orbweaver: started again in 10ms, ${silent}`])
})

test('one that crashes is started again; a command that fails is not, except for what passes by itself', async () => {
  const { exit, said } = await tried({
    script: `
      // Only the first time: it finds no database, and no free folder, before it begins.
      if (n === 0) heart.running(() => false)
      if (n === 0) throw new Error('a bug')
      heart.stop(true, ['', 'the database could not be reached', 'another process had the folder'][n])
      process.exitCode = n === 1 ? 4 : n === 2 ? 1 : 3`,
  })
  assert.equal(exit, 3)
  assert.deepEqual(said, [
    'orbweaver: started again in 5ms, because it died with exit code 1',
    'orbweaver: started again in 10ms, because the database could not be reached',
    'orbweaver: started again in 20ms, because another process had the folder',
  ])
  const inUse = await tried({ script: `heart.stop(true, 'another process had the folder'); process.exitCode = 1` })
  assert.deepEqual([inUse.exit, inUse.said, inUse.lines.length], [1, [], 1], 'it has never run')
})

test('one that never begins is given up; a mistake in its settings at once', async () => {
  const crashing = await tried({ script: `process.exit(7)` })
  assert.deepEqual([crashing.exit, crashing.said.length, crashing.lines.length], [7, 2, 3])
  const mistaken = await tried({ script: `heart.stop(true); process.exitCode = 2` })
  assert.deepEqual([mistaken.exit, mistaken.said, mistaken.lines.length], [2, [], 1])
})

test('a signal is passed on, and whoever ends after it has ended', async () => {
  const { exit, said, lines } = await tried({
    script: `
      process.on('SIGTERM', () => { write('asked to stop'); process.exit(11) })
      heart.running(() => false)
      write('ready')
      await forever()`,
    onLine: (line, stop) => {
      if (line === 'ready') stop('SIGTERM')
    },
  })
  assert.deepEqual([exit, said], [11, []])
  assert.equal(lines.at(-1), 'asked to stop')
})

test('a signal while nothing runs ends the command as interrupted, whatever the process died of', async () => {
  let pid: number | undefined
  const { exit, lines } = await tried({
    script: `
      heart.running(() => false)
      write('ready')
      await forever()`,
    onLine: (line, stop) => {
      if (line.startsWith('pid')) pid = Number(line.slice(4))
      if (line !== 'ready') return
      process.kill(pid!, 'SIGKILL')
      void realClock.sleep(1000).then(() => stop('SIGINT'))
    },
    times: { firstWaitMs: 60_000, longestWaitMs: 60_000 },
  })
  assert.equal(exit, 11)
  assert.equal(lines.length, 2)
})

test('the exit code of one that dies by a signal names the signal', async () => {
  const { exit } = await tried({
    script: `
      heart.running(() => false)
      write('ready')
      await forever()`,
    onLine: (line, stop) => {
      if (line === 'ready') stop('SIGUSR2')
    },
  })
  assert.equal(exit, 128 + constants.signals.SIGUSR2)
})

test('the supervisor shows that it lives while it waits before it starts the process again', async () => {
  const beats: number[] = []
  const { exit } = await tried({
    script: `
      heart.running(() => false)
      if (n === 0) process.exit(7)
      heart.stop(true)`,
    beat: () => beats.push(realClock.elapsed()),
    times: { firstWaitMs: 2500, longestWaitMs: 2500 },
  })
  assert.equal(exit, 0)
  const gaps = beats.slice(1).map((at, nth) => at - beats[nth])
  assert.ok(Math.max(...gaps) < 2000, String(gaps))
})

test('systemd hears of a living process as often as its unit asks, and not more', async () => {
  const log = join(folder, 'notified')
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $@" >> ${log}\n`)
  chmodSync(join(folder, 'systemd-notify'), 0o755)
  let elapsed = 0
  const clock = { ...realClock, elapsed: () => elapsed }
  const env = { PATH: `${folder}:/bin:/usr/bin`, NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '8000000' }
  assert.equal(systemdWatchdog({ ...env, WATCHDOG_USEC: undefined }, clock), undefined)
  assert.equal(systemdWatchdog({ ...env, NOTIFY_SOCKET: undefined }, clock), undefined)
  const beat = systemdWatchdog(env, clock)!
  for (; elapsed < 8000; elapsed += 500) beat()
  const lines = () => {
    try {
      return readFileSync(log, 'utf8').trim().split('\n')
    } catch {
      return []
    }
  }
  while (lines().length < 4) await realClock.sleep(10)
  assert.deepEqual(lines(), Array(4).fill('/run/x WATCHDOG=1'))
  // A machine without systemd's program goes on.
  systemdWatchdog({ ...env, PATH: '/nowhere' }, clock)!()
})

test('whoever supervises learns whether the end is final, and what may pass by itself', async () => {
  const told = async (error: Error) => {
    const stops: unknown[] = []
    const heart = { ...NOBODY, stop: (...how: unknown[]) => void stops.push(...how) }
    const services = { ...fakeServices(), openCollection: () => Promise.reject(error) }
    await run(['status'], recordedScreen(), services, heart)
    return stops
  }
  assert.deepEqual(await told(new Error('a bug')), [false, undefined])
  assert.deepEqual(await told(new Problem('bad-config', 'x')), [true, undefined])
  assert.deepEqual(await told(new Problem('collection-in-use', 'x')), [true, 'another process had the folder'])
  assert.deepEqual(await told(new Problem('database-unreachable', 'x')), [true, 'the database could not be reached'])
  assert.deepEqual(await told(new Problem('server-unreachable', 'x')), [true, 'no server could be reached'])
})
