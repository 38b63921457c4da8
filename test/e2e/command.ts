/** The program as its user runs it, and small servers on loopback that write down what they were asked, and when. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { selfSigned } from '../../testkit/web/certificate.ts'

export const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(ROOT, 'bin/orbweaver.js')
/** No run of the program in these tests may take longer: what hangs is ended, and its test says so. */
const LONGEST_MS = 90_000

/** All that a test needs of `node:test`. */
export interface Scene {
  after(call: () => unknown): void
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  ms: number
}

export interface Running {
  child: ChildProcess
  stdout(): string
  stderr(): string
  ended: Promise<Ended>
}

export interface RunOptions {
  input?: string
  cwd?: string
  env?: Record<string, string>
  /** Flags of Node. */
  node?: readonly string[]
}

export function start(args: readonly string[], options: RunOptions = {}): Running {
  const begun = performance.now()
  const env: Record<string, string | undefined> = { ...process.env, NO_COLOR: '1', ...options.env }
  // What the test runner tells its own children is not for the program.
  for (const name of Object.keys(env)) if (/^NODE_(TEST|OPTIONS|V8)/.test(name)) delete env[name]
  const child = spawn(process.execPath, [...(options.node ?? []), PROGRAM, ...args], {
    cwd: options.cwd,
    env,
    stdio: 'pipe',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const limit = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code, stdout, stderr, ms: performance.now() - begun })
    })
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

export function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return start(args, options).ended
}

/** Runs to an expected exit code; what the program said is in the failure. */
export async function runTo(code: number, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = await run(args, options)
  assert.equal(ended.code, code, `exit code of ${args.join(' ')}\n${ended.stderr}${ended.stdout.slice(0, 2000)}`)
  return ended
}

export async function json<T>(args: readonly string[]): Promise<T> {
  const { stdout } = await runTo(0, [...args, '--json'])
  return JSON.parse(stdout) as T
}

type Seen<T> = T | undefined | false

/** Waits for a condition, not for a time. */
export async function until<T>(what: string, look: () => Seen<T> | Promise<Seen<T>>, maxMs = 30_000): Promise<T> {
  const giveUp = performance.now() + maxMs
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() > giveUp) assert.fail(`waited ${maxMs} ms in vain for ${what}`)
    await sleep(5)
  }
}

export function folder(scene: Scene): string {
  const path = mkdtempSync(join(tmpdir(), 'orbweaver-e2e-command-'))
  scene.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export function file(scene: Scene, text: string): string {
  const path = join(folder(scene), 'file.txt')
  writeFileSync(path, text)
  return path
}

export interface Answer {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

export type Page = string | Answer | ((request: IncomingMessage, response: ServerResponse) => unknown)

/** Host → path → page. A path that is not there is 404, robots.txt too. */
export type Pages = Record<string, Record<string, Page>>

export interface Asked {
  host: string
  scheme: 'http' | 'https'
  path: string
  headers: IncomingMessage['headers']
  /** Of `performance.now()`: the request was there. */
  at: number
  /** The answer's last piece is about to be sent; infinite while it is not. */
  endAt: number
}

export interface Web {
  port: number
  asked: Asked[]
  /** What was asked of a host, in order, robots.txt left out. */
  paths(host: string): string[]
  pages: Pages
}

export async function serve(scene: Scene, pages: Pages): Promise<Web> {
  const asked: Asked[] = []
  const answer = (request: IncomingMessage, response: ServerResponse, scheme: 'http' | 'https') => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    const path = request.url ?? ''
    const entry: Asked = {
      host,
      scheme,
      path,
      headers: request.headers,
      at: performance.now(),
      endAt: Number.POSITIVE_INFINITY,
    }
    asked.push(entry)
    const end = response.end.bind(response)
    response.end = ((...given: Parameters<typeof end>) => {
      entry.endAt = performance.now()
      return end(...given)
    }) as typeof response.end
    give(pages[host]?.[path] ?? { status: 404, body: 'nothing here' }, request, response)
  }
  const plain = createServer((request, response) => answer(request, response, 'http'))
  const { key, cert } = selfSigned(['*.test'])
  const secure = createTlsServer({ key, cert }, (request, response) => answer(request, response, 'https'))
  for (const server of [plain, secure]) server.keepAliveTimeout = 60_000
  // Both schemes on one port: the first byte tells.
  const door = createNetServer((socket) => {
    socket.once('error', () => {})
    socket.once('data', (first) => {
      socket.pause()
      socket.unshift(first)
      ;(first[0] === 0x16 ? secure : plain).emit('connection', socket)
      process.nextTick(() => socket.resume())
    })
  })
  const port = await listen(scene, door)
  const paths = (host: string) =>
    asked.filter((entry) => entry.host === host && entry.path !== '/robots.txt').map(({ path }) => path)
  return { port, asked, paths, pages }
}

function give(page: Page, request: IncomingMessage, response: ServerResponse): void {
  if (typeof page === 'function') {
    page(request, response)
    return
  }
  const { status = 200, headers = {}, body = '' } = typeof page === 'string' ? { body: page } : page
  const type = request.url === '/robots.txt' ? 'text/plain' : 'text/html; charset=utf-8'
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}

/** A server on bare sockets, for answers that no honest library would send. */
export async function serveRaw(
  scene: Scene,
  answer: (path: string, socket: Socket, head: string) => void,
): Promise<{ port: number; heads: string[] }> {
  const heads: string[] = []
  const server = createNetServer((socket) => {
    let head = ''
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      const whole = head
      head = ''
      heads.push(whole)
      answer(whole.split(' ')[1] ?? '', socket, whole)
    })
  })
  return { port: await listen(scene, server), heads }
}

export const NOT_FOUND = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'

export function html(body: string, more = ''): string {
  return `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`
}

async function listen(scene: Scene, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scene.after(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

export const CONTACT = 'https://crawler.example/about'

/** A crawl of `*.test` hosts at this server, as fast as may be, without retries that last. */
export function crawl(at: { port: number }, collection: string, ...more: string[]): string[] {
  const flags = ['-c', collection, '--resolve', `*.test=127.0.0.1:${at.port}`, '--pause-for', '*.test=0s']
  return ['crawl', ...flags, '--patience', '0.001', '--contact', CONTACT, '--workers', '1', ...more]
}

export function links(...urls: string[]): string {
  return `<!doctype html><title>t</title><p>${urls.map((url) => `<a href="${url}">${url}</a>`).join(' ')}</p>`
}

type Row = Record<string, string | number | null>

/** Plain SQL, read-only, as any other program would ask. */
export function sql(collection: string, query: string, ...values: string[]): Row[] {
  const database = new DatabaseSync(join(collection, 'collection.db'), { readOnly: true })
  try {
    return database.prepare(query).all(...values) as Row[]
  } finally {
    database.close()
  }
}

export function counters(collection: string): Record<string, number> {
  return Object.fromEntries(sql(collection, 'SELECT name, value FROM counters').map((row) => [row.name, row.value]))
}

export function page(collection: string, url: string): Row | undefined {
  return sql(collection, 'SELECT * FROM pages WHERE url = ?', url)[0]
}

export function kept(collection: string): string[] {
  return sql(collection, `SELECT url FROM pages WHERE outcome = 'kept' ORDER BY url`).map(({ url }) => String(url))
}

export function volumes(collection: string): string[] {
  return readdirSync(join(collection, 'archive')).sort()
}

export interface WarcRecord {
  volume: string
  headers: Record<string, string>
  block: Buffer
}

/** A reader that shares nothing with the writer: member after member, headers by colon. */
export function warcRecords(collection: string): WarcRecord[] {
  return volumes(collection).flatMap((volume) => {
    const text = gunzipSync(readFileSync(join(collection, 'archive', volume)))
    const records: WarcRecord[] = []
    for (let at = 0; at < text.length; ) {
      const headEnd = text.indexOf('\r\n\r\n', at)
      const lines = text.toString('utf8', at, headEnd).split('\r\n').slice(1)
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      )
      const end = headEnd + 4 + Number(headers['Content-Length'])
      records.push({ volume, headers, block: text.subarray(headEnd + 4, end) })
      at = end + 4
    }
    return records
  })
}

export function responseOf(collection: string, url: string): WarcRecord {
  const found = warcRecords(collection).find(
    ({ headers }) => headers['WARC-Target-URI'] === url && /response|revisit/.test(headers['WARC-Type']),
  )
  assert.ok(found !== undefined, `no record of ${url}`)
  return found
}

/** Nothing but the program's own one line of trouble. */
export function troubleLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('orbweaver: note:'))
}
