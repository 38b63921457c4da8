/**
 * A folder of files as a static web server shows it, in whatever time the clock keeps. In: a URL. Out: what nginx or Apache
 * would answer. Files are read when they are asked for, and no further than the crawler wants them.
 */
import { closeSync, openSync, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { extname, join, normalize, sep } from 'node:path'
import type { Clock } from '../../src/base/clock.ts'
import type { Answer, Exchange, FetchRequest, Head, OpenSession, Resolve } from '../../src/contracts/exchange.ts'

export interface StaticWeb {
  host: string
  /** What the server may read; links that lead out of it are not followed. */
  root: string
  /** What it shows as `/`, under the root. */
  folder: string
  /** How a folder without an index file is shown; undefined: not at all. Apache's listings link to themselves in other orders. */
  listing?: 'nginx' | 'apache'
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.shtml': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'text/xml',
  '.txt': 'text/plain',
  '.pdf': 'application/pdf',
  '.ps': 'application/postscript',
  '.doc': 'application/msword',
  '.rtf': 'application/rtf',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '.gif': 'image/gif',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.gz': 'application/gzip',
  '.zip': 'application/zip',
}
/** What servers call a file whose name says nothing. */
const UNKNOWN_TYPE = 'application/octet-stream'
const INDEX_FILES = ['index.html', 'index.htm']
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  404: 'Not Found',
}

const CONNECT_MS = 1
const FIRST_BYTE_MS = 10
const BYTES_PER_MS = 10_000

export type Found =
  | { kind: 'file'; path: string; stats: Stats }
  | { kind: 'folder'; path: string }
  | { kind: 'moved'; to: string }
  | { kind: 'nothing' }

/** What lies at a URL's path; the query plays no part. */
export function find(web: StaticWeb, pathname: string): Found {
  const decoded = decode(pathname)
  if (decoded === undefined) return { kind: 'nothing' }
  const asked = join(web.root, web.folder, normalize(`/${decoded}`))
  const inside = insideOf(web.root, asked)
  if (inside === undefined) return { kind: 'nothing' }
  const { path, stats } = inside
  if (stats.isFile()) return decoded.endsWith('/') ? { kind: 'nothing' } : { kind: 'file', path, stats }
  if (!stats.isDirectory()) return { kind: 'nothing' }
  if (!decoded.endsWith('/')) return { kind: 'moved', to: `${pathname}/` }
  for (const name of INDEX_FILES) {
    const index = insideOf(web.root, join(path, name))
    if (index?.stats.isFile()) return { kind: 'file', ...index }
  }
  return web.listing === undefined ? { kind: 'nothing' } : { kind: 'folder', path }
}

function decode(pathname: string): string | undefined {
  try {
    const decoded = decodeURIComponent(pathname)
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

function insideOf(root: string, asked: string): { path: string; stats: Stats } | undefined {
  try {
    const path = realpathSync(asked)
    if (path !== root && !path.startsWith(root + sep)) return undefined
    return { path, stats: statSync(path) }
  } catch {
    return undefined
  }
}

/** An answer before it is sent. */
export interface Said {
  status: number
  headers: [string, string][]
  bytes: number
  /** The first so many bytes of the body. */
  read(limit: number): Uint8Array
}

export function answerOf(web: StaticWeb, url: string): Said {
  const { pathname, search } = new URL(url)
  const found = find(web, pathname)
  switch (found.kind) {
    case 'file': {
      const { path, stats } = found
      const type = TYPES[extname(path).toLowerCase()] ?? UNKNOWN_TYPE
      const headers: [string, string][] = [['Last-Modified', stats.mtime.toUTCString()]]
      return said(200, type, stats.size, (limit) => readStart(path, Math.min(limit, stats.size)), headers)
    }
    case 'folder':
      return saidText(200, listingOf(found.path, pathname, web.listing === 'apache', search))
    case 'moved':
      return saidText(301, '<html><h1>301 Moved Permanently</h1></html>', [
        ['Location', `http://${web.host}${found.to}`],
      ])
    case 'nothing':
      return saidText(404, '<html><h1>404 Not Found</h1></html>')
  }
}

function said(
  status: number,
  type: string,
  bytes: number,
  read: Said['read'],
  more: readonly [string, string][] = [],
): Said {
  const headers: [string, string][] = [['Content-Type', type], ['Content-Length', `${bytes}`], ...more]
  return { status, headers, bytes, read }
}

export function saidText(status: number, html: string, more?: readonly [string, string][], type = 'text/html'): Said {
  const body = Buffer.from(html)
  return said(status, type, body.length, (limit) => body.subarray(0, limit), more)
}

function readStart(path: string, bytes: number): Uint8Array {
  const buffer = new Uint8Array(bytes)
  const file = openSync(path, 'r')
  try {
    let length = 0
    while (length < bytes) {
      const got = readSync(file, buffer, length, bytes - length, length)
      if (got === 0) break
      length += got
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

function listingOf(folder: string, pathname: string, sortable: boolean, search: string): string {
  const names = readdirSync(folder)
    .map((name) => (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() ? `${name}/` : name))
    .sort()
  if (search.includes('O=D')) names.reverse()
  const columns = ['N', 'M', 'S', 'D'].map(
    (column) => `<a href="?C=${column};O=${search.includes('O=D') ? 'A' : 'D'}">`,
  )
  const lines = names.map((name) => `<a href="${encodeURIComponent(name).replace(/%2F$/, '/')}">${inHtml(name)}</a>\n`)
  const title = `Index of ${inHtml(decode(pathname) ?? pathname)}`
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1><pre>${
    sortable ? `${columns.map((start) => `${start}sort</a> `).join('')}\n` : ''
  }<a href="../">../</a>\n${lines.join('')}</pre></body></html>`
}

const inHtml = (text: string) => text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`)

export function staticResolve({ host }: Pick<StaticWeb, 'host'>): Resolve {
  return async (asked) =>
    asked.toLowerCase() === host
      ? { kind: 'addresses', list: [{ ip: '10.1.1.1' }] }
      : { kind: 'failed', failure: { kind: 'no-such-name', detail: `${asked} does not exist` } }
}

/** `answer` makes every answer of the host. */
export function fetchFrom(host: string, clock: Clock, answer: (request: FetchRequest) => Said): OpenSession {
  return () => {
    let open = false
    return {
      close() {
        open = false
      },
      async fetch(request) {
        const connected = open ? {} : { connectMs: CONNECT_MS }
        if (!open) await clock.sleep(CONNECT_MS)
        open = true
        const [sentAt, began] = [clock.now(), clock.elapsed()]
        const done = (answer: Answer, sent: Uint8Array): Exchange => ({
          url: request.url,
          address: request.address,
          sentAt,
          answeredAt: clock.now(),
          tookMs: clock.elapsed() - began,
          request: sent,
          ...connected,
          answer,
        })
        if (!request.may()) return done({ kind: 'withheld' }, new Uint8Array(0))
        const received = await receive(answer(request), request, clock)
        if (received.kind !== 'full') open = false
        return done(received, requestBytes(request, host))
      },
    }
  }
}

async function receive({ status, headers, bytes, read }: Said, request: FetchRequest, clock: Clock): Promise<Answer> {
  const reason = REASONS[status] ?? ''
  const head: Head = { version: 'HTTP/1.1', status, reason, headers }
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  const wireHead = Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`, 'latin1')
  const want = request.wants(status, headers)
  await clock.sleep(FIRST_BYTE_MS + Math.ceil((want.download ? bytes : 0) / BYTES_PER_MS))
  if (!want.download) return { kind: 'declined', head, wireHead, want }
  const payload = read(want.limitBytes)
  const body = { head, wireHead, payload }
  return bytes > want.limitBytes ? { kind: 'cut', why: 'length', ...body } : { kind: 'full', ...body }
}

function requestBytes({ url, headers }: FetchRequest, host: string): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `GET ${url.slice(url.indexOf('/', 8))} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n`,
    'latin1',
  )
}
