/**
 * Odd and malformed HTTP answers, sent as they are to three clients: ours, curl and undici.
 * `node test/interop/http-answers.ts --table` prints `docs/reference/http-differences.md`.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { argv, stdout } from 'node:process'
import { promisify } from 'node:util'
import { Client } from 'undici'
import { realClock } from '../../src/base/clock.ts'
import { openSessions } from '../../src/fetch/session.ts'

export interface OddAnswer {
  name: string
  bytes: string
  /** The server leaves the connection open after the bytes. */
  open?: true
  /** What we make of it. */
  ours: string
  /** Nothing is wrong with it: the three must agree. */
  sound?: true
  /** Why we do so. */
  why?: string
}

const OK = 'HTTP/1.1 200 OK\r\n'
const FIVE = 'Content-Length: 5\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const HELLO = '200 "hello"'
const PROTOCOL = 'failed protocol'

const guess = 'where the body ends could only be guessed'
const spelling = 'spelling only: where the body ends is clear'
const version = 'HTTP/1.1 in all but name'
const partial = 'what came is of use; the record is marked as cut'
const notHttp = 'not HTTP'

export const ODD_ANSWERS: readonly OddAnswer[] = [
  { name: 'a plain answer', bytes: `${OK}${FIVE}\r\nhello`, ours: HELLO, sound: true },
  { name: 'chunks', bytes: `${OK}${CHUNKED}\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`, ours: HELLO, sound: true },
  {
    name: 'chunks with extensions',
    bytes: `${OK}${CHUNKED}\r\n5;a=b;c="d"\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
    sound: true,
  },
  {
    name: 'chunks with trailers',
    bytes: `${OK}${CHUNKED}\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n`,
    ours: HELLO,
    sound: true,
  },
  { name: 'until the connection closes', bytes: `${OK}\r\nhello`, ours: HELLO, sound: true },
  { name: 'HTTP/1.0 until the close', bytes: 'HTTP/1.0 200 OK\r\n\r\nhello', ours: HELLO, sound: true },
  {
    name: 'an interim 103, then the answer',
    bytes: `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}${FIVE}\r\nhello`,
    ours: HELLO,
    sound: true,
  },
  { name: '204 without a body', bytes: 'HTTP/1.1 204 No Content\r\n\r\n', ours: '204 ""', sound: true },
  { name: 'status without a reason', bytes: `HTTP/1.1 200\r\n${FIVE}\r\nhello`, ours: HELLO },
  { name: 'status 999', bytes: `HTTP/1.1 999 No\r\n${FIVE}\r\nhello`, ours: '999 "hello"' },
  { name: 'status of two digits', bytes: `HTTP/1.1 20 OK\r\n${FIVE}\r\nhello`, ours: PROTOCOL, why: notHttp },
  { name: 'status of four digits', bytes: `HTTP/1.1 2000 OK\r\n${FIVE}\r\nhello`, ours: PROTOCOL, why: notHttp },
  { name: 'two blanks in the status line', bytes: `HTTP/1.1  200  OK\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  {
    name: 'HTTP/1.2',
    bytes: `HTTP/1.2 200 OK\r\n${FIVE}\r\nhello`,
    ours: HELLO,
    why: version,
  },
  { name: 'HTTP/2.0 as text', bytes: `HTTP/2.0 200 OK\r\n${FIVE}\r\nhello`, ours: HELLO, why: version },
  { name: 'http/1.1 in small letters', bytes: `http/1.1 200 OK\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  {
    name: 'ICY (SHOUTcast)',
    bytes: 'ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\nhello',
    ours: PROTOCOL,
    why: notHttp,
  },
  { name: 'HTTP/0.9: a body without a head', bytes: '<html>hello</html>', ours: PROTOCOL, why: notHttp },
  { name: 'empty lines before the answer', bytes: `\r\n\r\n${OK}${FIVE}\r\nhello`, ours: HELLO, why: 'RFC 9112 §2.2' },
  { name: 'bare LF everywhere', bytes: 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello', ours: HELLO, why: spelling },
  {
    name: 'LF and CRLF mixed',
    bytes: 'HTTP/1.1 200 OK\r\nX: y\nContent-Length: 5\r\n\nhello',
    ours: HELLO,
    why: spelling,
  },
  {
    name: 'bare CR as the end of lines',
    bytes: 'HTTP/1.1 200 OK\rContent-Length: 5\r\rhello',
    ours: 'failed reset',
    why: 'the head never ends',
  },
  { name: 'a folded header line', bytes: `${OK}X: a\r\n  b\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  { name: 'a folded Content-Length', bytes: `${OK}Content-Length:\r\n 5\r\n\r\nhello`, ours: HELLO, why: spelling },
  { name: 'a folded line before any header', bytes: `${OK} odd\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  { name: 'Name : value', bytes: `${OK}Content-Length : 5\r\n\r\nhello`, ours: HELLO, why: spelling },
  { name: 'a header line without a colon', bytes: `${OK}nonsense\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  { name: 'a header line without a name', bytes: `${OK}: value\r\n${FIVE}\r\nhello`, ours: HELLO, why: spelling },
  {
    name: 'a header name with a blank inside',
    bytes: `${OK}My Header: x\r\n${FIVE}\r\nhello`,
    ours: HELLO,
    why: spelling,
  },
  {
    name: 'a NUL in a header value',
    bytes: `${OK}X: a\0b\r\n${FIVE}\r\nhello`,
    ours: HELLO,
    why: 'read as a blank (RFC 9110 §5.5); kept as it came',
  },
  {
    name: 'a bare CR in a header value',
    bytes: `${OK}X: a\rb\r\n${FIVE}\r\nhello`,
    ours: HELLO,
    why: 'read as a blank (RFC 9112 §2.2); kept as it came',
  },
  { name: 'bytes over 0x7f in a header value', bytes: `${OK}X: \xe9\xa0\r\n${FIVE}\r\nhello`, ours: HELLO },
  { name: '199 header lines', bytes: `${OK}${'X: y\r\n'.repeat(198)}${FIVE}\r\nhello`, ours: HELLO },
  {
    name: '300 header lines',
    bytes: `${OK}${'X: y\r\n'.repeat(300)}${FIVE}\r\nhello`,
    ours: 'failed head-too-large',
    why: 'bounded: 200 lines',
  },
  {
    name: 'a head of 70 KB',
    bytes: `${OK}X: ${'y'.repeat(70_000)}\r\n${FIVE}\r\nhello`,
    ours: 'failed head-too-large',
    why: 'bounded: 64 KB',
  },
  { name: 'a header line of 40 KB', bytes: `${OK}X: ${'y'.repeat(40_000)}\r\n${FIVE}\r\nhello`, ours: HELLO },
  {
    name: 'eleven interim answers',
    bytes: `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(11)}${OK}${FIVE}\r\nhello`,
    ours: PROTOCOL,
    why: 'bounded: 10',
  },
  {
    name: '101 that nobody asked for',
    bytes: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nhello',
    ours: '101 ""',
    why: 'an end; what follows is no HTTP',
  },
  {
    name: 'two equal Content-Lengths',
    bytes: `${OK}${FIVE}${FIVE}\r\nhello`,
    ours: HELLO,
    why: 'they say one thing (RFC 9110 §8.6)',
  },
  {
    name: 'Content-Length: 5, 5',
    bytes: `${OK}Content-Length: 5, 5\r\n\r\nhello`,
    ours: HELLO,
    why: 'they say one thing (RFC 9110 §8.6)',
  },
  {
    name: 'two different Content-Lengths',
    bytes: `${OK}${FIVE}Content-Length: 3\r\n\r\nhello`,
    ours: PROTOCOL,
    why: guess,
  },
  { name: 'Content-Length: -5', bytes: `${OK}Content-Length: -5\r\n\r\nhello`, ours: PROTOCOL, why: guess },
  { name: 'Content-Length: +5', bytes: `${OK}Content-Length: +5\r\n\r\nhello`, ours: PROTOCOL, why: guess },
  { name: 'Content-Length: 5 apples', bytes: `${OK}Content-Length: 5 apples\r\n\r\nhello`, ours: PROTOCOL, why: guess },
  { name: 'an empty Content-Length', bytes: `${OK}Content-Length:\r\n\r\nhello`, ours: PROTOCOL, why: guess },
  {
    name: 'Content-Length of 20 digits',
    bytes: `${OK}Content-Length: 99999999999999999999\r\n\r\nhello`,
    ours: PROTOCOL,
    why: guess,
  },
  {
    name: 'Content-Length and chunks',
    bytes: `${OK}${FIVE}${CHUNKED}\r\n5\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
    why: 'chunks override a length (RFC 9112 §6.3); the connection is not used again',
  },
  {
    name: 'a body shorter than its length',
    bytes: `${OK}Content-Length: 9\r\n\r\nhello`,
    ours: 'cut disconnect "hello"',
    why: partial,
  },
  { name: 'no body where one was announced', bytes: `${OK}Content-Length: 9\r\n\r\n`, ours: 'failed reset' },
  {
    name: 'a body longer than its length',
    bytes: `${OK}Content-Length: 3\r\n\r\nhello`,
    ours: '200 "hel"',
    why: 'the connection is not used again',
  },
  {
    name: 'a second answer unasked',
    bytes: `${OK}${FIVE}\r\nhello${OK}${FIVE}\r\nworld`,
    ours: HELLO,
    why: 'the connection is not used again',
  },
  { name: '204 with a body', bytes: `HTTP/1.1 204 No Content\r\n${FIVE}\r\nhello`, ours: '204 ""' },
  { name: '304 with a length', bytes: `HTTP/1.1 304 Not Modified\r\n${FIVE}\r\n`, ours: '304 ""' },
  { name: 'closed within the head', bytes: `${OK}Content-Le`, ours: 'failed reset' },
  { name: 'closed without a byte', bytes: '', ours: 'failed reset' },
  {
    name: 'silence within the body',
    bytes: `${OK}Content-Length: 9\r\n\r\nhello`,
    open: true,
    ours: 'cut time "hello"',
    why: partial,
  },
  { name: 'chunks with bare LF', bytes: `${OK}${CHUNKED}\r\n5\nhello\n0\n\n`, ours: HELLO, why: spelling },
  {
    name: 'a chunk size with zeros before it',
    bytes: `${OK}${CHUNKED}\r\n00000005\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
  },
  {
    name: 'a chunk size with blanks after it',
    bytes: `${OK}${CHUNKED}\r\n5  \r\nhello\r\n0  \r\n\r\n`,
    ours: HELLO,
    why: spelling,
  },
  { name: 'a chunk size 0x5', bytes: `${OK}${CHUNKED}\r\n0x5\r\nhello\r\n0\r\n\r\n`, ours: PROTOCOL, why: guess },
  { name: 'a chunk size -5', bytes: `${OK}${CHUNKED}\r\n-5\r\nhello\r\n0\r\n\r\n`, ours: PROTOCOL, why: guess },
  {
    name: 'a chunk size that overflows',
    bytes: `${OK}${CHUNKED}\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n`,
    ours: PROTOCOL,
    why: guess,
  },
  {
    name: 'a chunk longer than it says',
    bytes: `${OK}${CHUNKED}\r\n3\r\nhello\r\n0\r\n\r\n`,
    ours: PROTOCOL,
    why: guess,
  },
  { name: 'no last chunk', bytes: `${OK}${CHUNKED}\r\n5\r\nhello\r\n`, ours: 'cut disconnect "hello"', why: partial },
  {
    name: 'a last chunk without its empty line',
    bytes: `${OK}${CHUNKED}\r\n5\r\nhello\r\n0\r\n`,
    ours: HELLO,
    why: 'the last chunk came: the body is whole',
  },
  { name: 'a plain body announced as chunks', bytes: `${OK}${CHUNKED}\r\nhello`, ours: 'failed reset', why: guess },
  {
    name: 'a chunk extension of 20 KB',
    bytes: `${OK}${CHUNKED}\r\n5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
    ours: PROTOCOL,
    why: 'bounded: 4 KB',
  },
  {
    name: 'trailers of 100 KB',
    bytes: `${OK}${CHUNKED}\r\n5\r\nhello\r\n0\r\n${'X: yyyyy\r\n'.repeat(10_000)}\r\n`,
    ours: PROTOCOL,
    why: 'bounded: 16 KB',
  },
  {
    name: 'Transfer-Encoding: Chunked',
    bytes: `${OK}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
  },
  {
    name: 'chunked said twice',
    bytes: `${OK}${CHUNKED}${CHUNKED}\r\n5\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
    why: 'said twice, meant once',
  },
  {
    name: 'Transfer-Encoding: identity',
    bytes: `${OK}Transfer-Encoding: identity\r\n${FIVE}\r\nhello`,
    ours: HELLO,
    why: 'RFC 2616 had it; it means nothing',
  },
  {
    name: 'Transfer-Encoding: gzip, chunked',
    bytes: `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ours: PROTOCOL,
    why: 'we asked for no such coding',
  },
  {
    name: 'chunks in HTTP/1.0',
    bytes: `HTTP/1.0 200 OK\r\n${CHUNKED}\r\n5\r\nhello\r\n0\r\n\r\n`,
    ours: HELLO,
    why: 'the connection is not used again',
  },
]

const PATIENCE_MS = 400
const run = promisify(execFile)

/** Serves one answer while `ask` asks for it. */
export async function served<T>(answer: OddAnswer, ask: (port: number) => Promise<T>): Promise<T> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      if (answer.open) socket.write(answer.bytes, 'latin1')
      else socket.end(answer.bytes, 'latin1')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await ask((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

export async function askOurs(port: number): Promise<string> {
  const session = openSessions({
    clock: realClock,
    deadlines: { connect: 5_000, firstByte: 5_000, idle: PATIENCE_MS, exchange: 10_000 },
    minRate: { bytesPerSecond: 0, graceMs: 0 },
    tls: 'open',
    guard: () => true,
    maxIdleMs: 1_000,
  })()
  const request = {
    url: `http://127.0.0.1:${port}/`,
    address: { ip: '127.0.0.1' },
    headers: [],
    may: () => true,
    wants: () => ({ download: true, limitBytes: 1_000_000 }) as const,
  }
  const { answer } = await session.fetch(request)
  session.close()
  switch (answer.kind) {
    case 'full':
      return `${answer.head.status} ${quoted(answer.payload)}`
    case 'cut':
      return `cut ${answer.why} ${quoted(answer.payload)}`
    case 'failed':
      return `failed ${answer.failure.kind}`
    default:
      return answer.kind
  }
}

/** Its version, or undefined when there is no curl. */
export async function curlVersion(): Promise<string | undefined> {
  try {
    const { stdout: said } = await run('curl', ['--version'])
    return /^curl (\S+)/.exec(said)?.[1]
  } catch {
    return undefined
  }
}

export async function askCurl(port: number): Promise<string> {
  const flags = [
    '-q',
    '--silent',
    '--http1.1',
    '--noproxy',
    '*',
    '--max-time',
    '2',
    '--write-out',
    '%{stderr}%{http_code}',
  ]
  try {
    const { stdout: body, stderr } = await run('curl', [...flags, `http://127.0.0.1:${port}/`], { encoding: 'buffer' })
    return `${stderr.toString()} ${quoted(body)}`
  } catch (error) {
    const { code, stdout: body } = error as { code: number; stdout: Buffer }
    return `error ${code}${body.length > 0 ? ` after ${quoted(body)}` : ''}`
  }
}

export async function askUndici(port: number): Promise<string> {
  const client = new Client(`http://127.0.0.1:${port}`, { headersTimeout: 5_000, bodyTimeout: PATIENCE_MS })
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: '/' })
    return `${statusCode} ${quoted(new Uint8Array(await body.arrayBuffer()))}`
  } catch (error) {
    return `error ${(error as { code?: string }).code ?? 'in parsing'}`
  } finally {
    await client.destroy()
  }
}

function quoted(bytes: Uint8Array): string {
  return bytes.length > 30 ? `${bytes.length} bytes` : JSON.stringify(Buffer.from(bytes).toString('latin1'))
}

async function table(): Promise<string> {
  const curl = await curlVersion()
  const undici = JSON.parse(readFileSync(new URL('../../node_modules/undici/package.json', import.meta.url), 'utf8'))
  const rows: string[] = []
  let differing = 0
  for (const odd of ODD_ANSWERS) {
    const ours = await served(odd, askOurs)
    const theirs = [curl === undefined ? 'not asked' : await served(odd, askCurl), await served(odd, askUndici)]
    const cells = theirs.map((cell) => (cell === ours ? 'the same' : cell))
    // An error is an error, whatever each calls it; a cut body is one that the others report as an error.
    const differs = theirs.some((cell) => cell !== ours && !(cell.startsWith('error') && /^failed|^cut/.test(ours)))
    if (differs) differing++
    rows.push(`| ${odd.name} | ${ours} | ${cells.join(' | ')} | ${differs ? '≠' : ''} | ${odd.why ?? ''} |`)
  }
  return `# HTTP answers that are odd or malformed: what we make of them

Each answer below was sent byte for byte by a server on loopback to Orbweaver, curl ${curl ?? '(not found)'} and undici ${undici.version}.
${rows.length} answers, ${differing} of which at least one of the others reads otherwise (≠; two errors are not a difference, and where we keep
a cut body the others report an error). The same list is a test: \`test/interop/http-answers.test.ts\`. This page is printed by

    node test/interop/http-answers.ts --table > docs/reference/http-differences.md

Three rules decide:

1. **Tolerant in spelling.** Bare LF, folded lines, \`Name : value\`, lines without a colon, a missing reason, equal double lengths, odd
   versions: what is meant is clear, so the page is read. The bytes are kept as they came, whatever we read into them.
2. **Strict in framing.** Where the end of a body could only be guessed (different lengths, a broken chunk), the exchange
   fails as \`protocol\`; an archive must not hold a page that was cut or joined by a guess.
3. **Bounded.** A head has at most 64 KB and 200 lines, interim answers included at most 10 of them; a chunk's line 4 KB, trailers 16 KB, framing
   64 KB plus 8 bytes per byte of body.

A body that ends before its time is kept as far as it came and marked (\`WARC-Truncated: disconnect\`, \`time\`, \`length\`); without a byte of body it is a failure.
curl's errors: 1 unsupported protocol, 8 weird reply, 18 partial file, 28 timeout, 43 bad argument, 52 empty reply, 56 receive error, 61 unknown coding.

| answer | Orbweaver | curl | undici | | why |
|---|---|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main && argv.includes('--table')) stdout.write(await table())
