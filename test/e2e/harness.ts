/**
 * What an end-to-end test needs: the synthetic web in a process of its own (it outlives a killed crawler and hands over
 * its record of requests), the crawler as a user starts it, the catalogue in plain SQL. Nothing here looks inside either.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { type RequestEntry, readLedgerLines } from '../../testkit/web/ledger-of-requests.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import type { ServeProcessArguments } from '../../testkit/web/serve-process.ts'
import { canonicalUrl } from '../../testkit/web/spelling.ts'
import { makeWeb, type TestWeb } from '../../testkit/web/web.ts'

const root = join(import.meta.dirname, '..', '..')
const program = join(root, 'bin', 'orbweaver.js')
const server = join(root, 'testkit', 'web', 'serve-process.ts')

/** Nothing that a test starts lives longer than this. */
const LONGEST_RUN_MS = 10 * 60_000

/** A folder that is removed when it goes out of scope (E2E_KEEP=1 keeps it): `using folder = temporaryFolder()`. */
export interface TemporaryFolder extends Disposable {
  readonly path: string
  /** A path inside it. */
  at(...names: string[]): string
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'orbweaver-e2e-'))
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => {
      if (process.env['E2E_KEEP'] === undefined) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
      else process.stderr.write(`kept: ${path}\n`)
    },
  }
}

export interface ServedWeb extends AsyncDisposable {
  /** The same web's definition, for the right answer. */
  readonly web: TestWeb
  readonly port: number
  /** Flags that lead the crawler to it. */
  readonly resolve: readonly string[]
  /** What the servers have seen so far. */
  requests(): Promise<RequestEntry[]>
  [Symbol.asyncDispose](): Promise<void>
}

export async function serveWeb(
  options: WebOptions,
  folder: TemporaryFolder,
  more: Partial<Omit<ServeProcessArguments, 'web' | 'record'>> = {},
): Promise<ServedWeb> {
  const record = folder.at('requests.jsonl')
  const given: ServeProcessArguments = { web: options, addresses: 'one', record, ...more }
  const child = spawn(process.execPath, [server, JSON.stringify(given)], { stdio: ['pipe', 'pipe', 'inherit'] })
  bounded(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async <T>(): Promise<T> => {
    const { value, done } = await lines.next()
    assert.ok(!done, 'the served web ended too early')
    return JSON.parse(value as string) as T
  }
  const { port, resolveRules } = await nextLine<{ port: number; resolveRules: string[] }>()
  return {
    web: makeWeb(options),
    port,
    resolve: resolveRules.flatMap((rule) => ['--resolve', rule]),
    async requests() {
      child.stdin.write('dump\n')
      const { dumped, dropped } = await nextLine<{ dumped: number; dropped: number }>()
      assert.equal(dropped, 0, 'the record of requests was full')
      const entries = readLedgerLines(readFileSync(record, 'utf8'))
      assert.equal(entries.length, dumped)
      return entries
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

export interface Ran {
  /** Null when a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** When its end was seen, milliseconds since 1970. */
  endedAt: number
}

export interface Running {
  readonly child: ChildProcess
  readonly done: Promise<Ran>
}

/** `orbweaver ARGS`, as a user would; `done` never rejects. */
export function startOrbweaver(args: readonly string[]): Running {
  return startNode([program, ...args])
}

export function orbweaver(args: readonly string[]): Promise<Ran> {
  return startOrbweaver(args).done
}

/** A script of ours in another process, observed in the same way. */
export function startNode(args: readonly string[]): Running {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: plainEnvironment() })
  bounded(child)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8')
    child[name].on('data', (text: string) => {
      texts[name] += text
    })
  }
  const done = new Promise<Ran>((resolve) => {
    let endedAt = 0
    child.once('exit', () => {
      endedAt = Date.now()
    })
    child.once('close', (code, signal) => resolve({ code, signal, ...texts, endedAt }))
  })
  return { child, done }
}

/** Variables of the test run are no settings of the crawl. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ORBWEAVER_')))
}

/** Ends a child that outlives its time, or the test that started it. */
function bounded(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL')
  const timer = setTimeout(kill, LONGEST_RUN_MS)
  timer.unref()
  process.once('exit', kill)
  child.once('exit', () => {
    clearTimeout(timer)
    process.removeListener('exit', kill)
  })
}

/** The seeds in a file, as `--seeds` takes them. */
export function seedFile(folder: TemporaryFolder, urls: readonly string[]): string {
  const path = folder.at('seeds.txt')
  writeFileSync(path, `# seeds\n${urls.join('\n')}\n`)
  return path
}

export interface PageRow {
  url: string
  site: string
  outcome: string
  why: string | null
  status: number
  bytes: number
  tries: number
}

/** The catalogue in plain SQL, as docs/reference/catalogue.md describes it. */
export interface Catalogue {
  pages: PageRow[]
  /** Kept, in the spelling of the synthetic web. */
  documents: Set<string>
  counters: Map<string, number>
  sites: { site: string; state: string; waiting: number }[]
}

export function readCatalogue(collection: string): Catalogue {
  const db = new DatabaseSync(join(collection, 'collection.db'), { readOnly: true })
  try {
    const pages = db
      .prepare('SELECT url, site, outcome, why, status, bytes, tries FROM pages')
      .all() as unknown as PageRow[]
    const counters = db.prepare('SELECT name, value FROM counters').all() as unknown as {
      name: string
      value: number
    }[]
    const sites = db.prepare('SELECT site, state, waiting FROM sites').all() as unknown as Catalogue['sites']
    return {
      pages,
      documents: new Set(pages.filter(({ outcome }) => outcome === 'kept').map(({ url }) => canonicalUrl(url))),
      counters: new Map(counters.map(({ name, value }) => [name, value])),
      sites,
    }
  } finally {
    db.close()
  }
}

/** Fails with a few examples instead of ten thousand lines. */
export function assertSameSet(got: ReadonlySet<string>, wanted: ReadonlySet<string>, what: string): void {
  const missing = [...wanted].filter((one) => !got.has(one))
  const surplus = [...got].filter((one) => !wanted.has(one))
  assertNone(missing, `${what}: missing`)
  assertNone(surplus, `${what}: surplus`)
  assert.equal(got.size, wanted.size)
}

export function assertNone(list: readonly unknown[], what: string): void {
  if (list.length === 0) return
  const some = list.slice(0, 5).map((one) => JSON.stringify(one))
  assert.fail(`${what}: ${list.length}, for instance\n${some.join('\n')}`)
}
