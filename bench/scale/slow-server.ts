/**
 * Sites that answer late, as sites far away do: any number of them, each of the same number of pages, from bare sockets in a
 * process of its own. A page is a prepared text with its site's name written into it, so that no two are the same and
 * answering costs a copy. Started by `slow-web.ts`.
 */
import { createServer, type Socket } from 'node:net'

export interface SlowServerOptions {
  latencyMs: number
  pagesPerSite: number
  pageBytes: number
}

export interface SlowStand {
  requests: number
  /** Sites that have asked for anything yet. */
  sites: number
  cpuSeconds: number
}

const options = JSON.parse(process.argv[2]) as SlowServerOptions
const LINKS = 40
const WORDS_PER_LINE = 12
const NAME = 'site-00000000.test'
const pathOf = (page: number) => (page === 0 ? '/' : `/d${page % 7}/p${page}`)

/** Words that differ from page to page; the same run is the same text. */
function wordsOf(page: number): () => string {
  let state = (page + 1) * 2654435761
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return `w${(state >>> 12).toString(36)}`
  }
}

function template(page: number): { bytes: Buffer; at: number[] } {
  const word = wordsOf(page)
  const { pagesPerSite, pageBytes } = options
  const parts = [`<!doctype html><title>Page ${page} of ${NAME}</title><h1>${NAME}: ${word()} ${word()}</h1>`]
  let length = parts[0].length
  for (let link = 0; length < pageBytes || link < LINKS; link++) {
    const text = Array.from({ length: WORDS_PER_LINE }, word).join(' ')
    // The tree below the page first, so that all pages are found; then here and there.
    const to = link < 3 ? page * 3 + link + 1 : (page * 7 + link * 13) % pagesPerSite
    const isLink = link < LINKS && to < pagesPerSite
    parts.push(isLink ? `<p>${text} <a href="${pathOf(to)}">${word()}</a></p>\n` : `<p>${text}</p>\n`)
    length += parts.at(-1)?.length ?? 0
  }
  const body = parts.join('')
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n\r\n`
  const bytes = Buffer.from(head + body, 'latin1')
  const at: number[] = []
  for (let from = bytes.indexOf(NAME); from >= 0; from = bytes.indexOf(NAME, from + 1)) at.push(from)
  return { bytes, at }
}

const templates = new Map(Array.from({ length: options.pagesPerSite }, (_, page) => [pathOf(page), template(page)]))
const NOTHING = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno')
const sites = new Set<string>()
let requests = 0

function answer(head: string): Buffer {
  const path = head.slice(4, head.indexOf(' ', 4))
  const at = head.indexOf('\r\nHost: ')
  const host = head.slice(at + 8, head.indexOf('\r', at + 8))
  sites.add(host)
  const page = templates.get(path)
  if (page === undefined || host.length !== NAME.length) return NOTHING
  const bytes = Buffer.from(page.bytes)
  for (const from of page.at) bytes.write(host, from, 'latin1')
  return bytes
}

function converse(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    requests++
    const head = bytes.toString('latin1')
    if (options.latencyMs === 0) socket.write(answer(head))
    else setTimeout(() => socket.write(answer(head)), options.latencyMs)
  })
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ requests, sites: sites.size, cpuSeconds: (user + system) / 1e6 } satisfies SlowStand)
})
process.on('disconnect', () => process.exit(0))
const server = createServer({ noDelay: true }, converse)
server.listen({ host: '127.0.0.1', port: 0, backlog: 8192 }, () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
})
