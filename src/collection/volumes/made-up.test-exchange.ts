/** Exchanges for tests: bytes as a server would have sent them. */
import type { Instant } from '../../base/clock.ts'
import { type Random, seededRandom } from '../../base/random.ts'
import type { Answer, Body, CertificateFault, Exchange } from '../../contracts/exchange.ts'

export interface MadeUp {
  url?: string
  at?: Instant
  status?: number
  headers?: [string, string][]
  payload?: Uint8Array
  /** The server sent it in chunks. */
  chunked?: boolean
  cut?: 'length' | 'time' | 'disconnect'
  tls?: string
  certificate?: CertificateFault
}

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

export function madeUpExchange(options: MadeUp = {}): Exchange & { answer: Body & Answer } {
  const { url = 'http://www.example.org/', at = 1_700_000_000_000, status = 200, payload = bytes('hello') } = options
  const headers: [string, string][] = [...(options.headers ?? [['Content-Type', 'text/html']])]
  headers.push(options.chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(payload.length)])
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const body: Body = {
    head: { version: 'HTTP/1.1', status, reason: 'OK', headers },
    wireHead: bytes(`HTTP/1.1 ${status} OK\r\n${lines}\r\n`),
    payload,
  }
  const path = URL.canParse(url) ? new URL(url).pathname : '/'
  return {
    url,
    address: { ip: '192.0.2.1' },
    sentAt: at,
    answeredAt: at + 20,
    tookMs: 20,
    request: bytes(
      `GET ${path} HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: orbweaver/0.1 (+https://example.org/)\r\n\r\n`,
    ),
    tls: options.tls,
    ...(options.certificate !== undefined && { certificate: options.certificate }),
    answer: options.cut ? { ...body, kind: 'cut', why: options.cut } : { ...body, kind: 'full' },
  }
}

export function randomBytesOf(random: Random, length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4))
  for (let i = 0; i < words.length; i++) words[i] = random.integer(2 ** 32)
  return new Uint8Array(words.buffer, 0, length)
}

/** A different one per number: sizes, codings, media types, chunks, truncations. */
export function anyExchange(number: number): ReturnType<typeof madeUpExchange> {
  const random = seededRandom(number)
  const type = ['text/html; charset=utf-8', 'image/png', 'application/json'][random.integer(3)]
  const headers: [string, string][] = [['Content-Type', type]]
  if (random.integer(3) === 0) headers.push(['Content-Encoding', 'gzip'])
  return madeUpExchange({
    url: `https://www.example.org/${number}`,
    at: 1_700_000_000_000 + number * 1000,
    headers,
    payload: randomBytesOf(random, random.integer(8) === 0 ? random.integer(100_000) : random.integer(3000)),
    chunked: random.integer(3) === 0,
    cut: random.integer(10) === 0 ? 'length' : undefined,
    tls: random.integer(2) === 0 ? 'tls/1.3' : undefined,
    certificate: random.integer(4) === 0 ? 'self-signed' : undefined,
  })
}
