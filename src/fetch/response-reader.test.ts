import assert from 'node:assert/strict'
import { memoryUsage } from 'node:process'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer, Headers, Want } from '../contracts/exchange.ts'
import { BodyBuffer, MAX_HEAD_BYTES, ResponseReader } from './response-reader.ts'

const yes =
  (limitBytes = 1_000_000) =>
  (): Want => ({ download: true, limitBytes })

/** Reads a stream cut into pieces; without an answer, the connection closes at its end. */
function read(pieces: Buffer[], wants: (status: number, headers: Headers) => Want = yes()): Answer {
  const reader = new ResponseReader(wants)
  for (const piece of pieces) {
    const answer = reader.feed(piece)
    if (answer !== undefined) return answer
  }
  return reader.end()
}

/** A short text for an answer: kind, status, payload; or the failure. */
function told(text: string, limit?: number): string {
  return tell(read([Buffer.from(text, 'latin1')], yes(limit)))
}

function tell(answer: Answer): string {
  switch (answer.kind) {
    case 'failed':
      return `failed ${answer.failure.kind}`
    case 'full':
      return `full ${answer.head.status} ${Buffer.from(answer.payload).toString('latin1')}`
    case 'cut':
      return `cut ${answer.why} ${answer.head.status} ${Buffer.from(answer.payload).toString('latin1')}`
    default:
      return answer.kind
  }
}

const OK = 'HTTP/1.1 200 OK\r\n'

test('bodies end as their heads say', () => {
  assert.equal(told(`${OK}Content-Length: 5\r\n\r\nhello`), 'full 200 hello')
  assert.equal(told(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n`), 'full 200 hello')
  assert.equal(told(`${OK}\r\nuntil the close`), 'full 200 until the close')
  assert.equal(told(`${OK}Content-Length: 0\r\n\r\n`), 'full 200 ')
  assert.equal(told('HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello'), 'full 204 ')
  assert.equal(told('HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n'), 'full 304 ')
  assert.equal(told('HTTP/1.1 101 Up\r\n\r\nwhat'), 'full 101 ')
})

test('status lines are read tolerantly, other protocols not at all', () => {
  assert.equal(told('HTTP/1.0 200 OK\r\n\r\nx'), 'full 200 x')
  assert.equal(told('HTTP/1.1 200\r\n\r\nx'), 'full 200 x')
  assert.equal(told('HTTP/1.1  404  Not  Found\n\nx'), 'full 404 x')
  assert.equal(told('\r\n\n\r\nHTTP/1.1 200 OK\r\n\r\nx'), 'full 200 x')
  assert.equal(told('HTTP/1.1 999 Odd\r\n\r\n'), 'full 999 ')
  assert.equal(told('HTTP/2 200\r\n\r\nx'), 'full 200 x')
  assert.equal(told('http/1.1 200 OK\r\n\r\nx'), 'full 200 x')
  for (const start of [
    'ICY 200 OK',
    'HTTP/0.9 200 OK',
    'HTTP 200 OK',
    'HTTPS/1.1 200 OK',
    '<html>',
    'SSH-2.0-x',
    '\0',
  ]) {
    assert.equal(told(`${start}\r\n\r\n`), 'failed protocol', start)
  }
  for (const line of [
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1',
    'HTTP/1.1 OK',
    'HTTP/1.1 200OK',
  ]) {
    assert.equal(told(`${line}\r\n\r\n`), 'failed protocol', line)
  }
})

test('header lines are kept as they came, their oddities read as browsers do', () => {
  const head = [
    'HTTP/1.1 200 Fine\r',
    'Plain: a',
    'Spaced  :  b c  \r',
    'Folded: d\r',
    '\t e\r',
    'no colon here\r',
    ': no name\r',
    'Latin: \xe0\xa0\r',
    'Bare: x\ry\0z\r',
    'Empty:\r',
    '\r',
    '',
  ].join('\n')
  const answer = read([Buffer.from(head, 'latin1')])
  assert.equal(answer.kind, 'full')
  if (answer.kind !== 'full') return
  assert.deepEqual(answer.head, {
    version: 'HTTP/1.1',
    status: 200,
    reason: 'Fine',
    headers: [
      ['Plain', 'a'],
      ['Spaced', 'b c'],
      ['Folded', 'd e'],
      ['Latin', '\xe0\xa0'],
      ['Bare', 'x y z'],
      ['Empty', ''],
    ],
  })
  assert.equal(Buffer.from(answer.wireHead).toString('latin1'), head)
})

test('a length is one number, however often it is said', () => {
  assert.equal(told(`${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`), 'full 200 hello')
  assert.equal(told(`${OK}content-length: 5, 5\r\n\r\nhello`), 'full 200 hello')
  assert.equal(told(`${OK}Content-Length : 05\r\n\r\nhello`), 'full 200 hello')
  for (const value of [
    '5\r\nContent-Length: 6',
    '5, 6',
    '-5',
    '+5',
    '0x5',
    '5 5',
    '',
    'five',
    '5.0',
    '9999999999999999',
  ]) {
    assert.equal(told(`${OK}Content-Length: ${value}\r\n\r\nhello`), 'failed protocol', value)
  }
  for (const value of ['2', '9', '2\r\nContent-Length: 3', 'x'])
    assert.equal(
      told(`${OK}Content-Length: ${value}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`),
      'full 200 hi',
      value,
    )
  assert.equal(told(`${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`), 'failed protocol')
  assert.equal(told(`${OK}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi`), 'full 200 hi')
})

test('chunks', () => {
  const chunked = (body: string, limit?: number) => told(`${OK}Transfer-Encoding: Chunked\r\n\r\n${body}`, limit)
  assert.equal(chunked('5;a=b;c="d"\r\nhello\r\n0;x\r\nTrailer: y\r\n\r\n'), 'full 200 hello')
  assert.equal(chunked('5\nhello\n0\n\n'), 'full 200 hello')
  assert.equal(chunked('0005  \r\nhello\r\n000\r\n\r\n'), 'full 200 hello')
  assert.equal(chunked('A\r\n0123456789\r\n0\r\n'), 'full 200 0123456789', 'only the last empty line is missing')
  assert.equal(chunked('5\r\nhello\r\n'), 'cut disconnect 200 hello')
  assert.equal(chunked('5\r\nhel'), 'cut disconnect 200 hel')
  assert.equal(chunked('5\r\n'), 'failed reset')
  for (const body of [
    'x\r\n',
    '\r\n5\r\nhello',
    '0x5\r\nhello',
    '-1\r\n',
    '5\r\nhelloX\r\n',
    '5\r\nhello\rX',
    'fffffffffffffffff\r\n',
  ]) {
    assert.equal(chunked(body), 'failed protocol', body)
  }
  assert.equal(chunked(`5;${'x'.repeat(5000)}\r\nhello\r\n0\r\n\r\n`), 'failed protocol')
  assert.equal(chunked(`0\r\n${'A: b\r\n'.repeat(4000)}\r\n`), 'failed protocol')
  assert.equal(chunked(`${`1;${'x'.repeat(4000)}\r\nx\r\n`.repeat(20)}0\r\n\r\n`), 'failed protocol')
  assert.equal(chunked(`${'1\r\nx\r\n'.repeat(90_000)}0\r\n\r\n`), `full 200 ${'x'.repeat(90_000)}`)
  assert.equal(chunked('3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 4), 'cut length 200 hell')
  assert.equal(chunked('3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 3), 'cut length 200 hel')
  assert.equal(chunked('3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n', 5), 'full 200 hello')
})

test('the framing of chunks, their extensions and trailers are taken off; the head stays as it came', () => {
  const wire = '5;x=y\r\nhello\r\n0\r\nT: u\r\n\r\n'
  const answer = read([Buffer.from(`${OK}Transfer-Encoding: chunked\r\n\r\n${wire}PIPELINED`)])
  assert.ok(answer.kind === 'full')
  assert.equal(Buffer.from(answer.wireHead).toString(), `${OK}Transfer-Encoding: chunked\r\n\r\n`)
  assert.equal(Buffer.from(answer.payload).toString(), 'hello')
})

test('a body longer than wanted is cut exactly there', () => {
  assert.equal(told(`${OK}Content-Length: 9\r\n\r\n123456789`, 4), 'cut length 200 1234')
  assert.equal(told(`${OK}Content-Length: 4\r\n\r\n1234`, 4), 'full 200 1234')
  assert.equal(told(`${OK}\r\n123456789`, 4), 'cut length 200 1234')
  assert.equal(told(`${OK}\r\n1234`, 4), 'full 200 1234')
  assert.equal(told(`${OK}Content-Length: 9\r\n\r\n123`), 'cut disconnect 200 123')
  assert.equal(told(`${OK}Content-Length: 9\r\n\r\n`), 'failed reset')
  assert.equal(told(`${OK}Content-Length: 9\r\n\r\nx`, 0), 'cut length 200 ')
})

test('interim answers are skipped, a flood of them ends', () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'
  assert.equal(told(`${interim.repeat(10)}${OK}Content-Length: 2\r\n\r\nhi`), 'full 200 hi')
  assert.equal(told(`${interim.repeat(11)}${OK}Content-Length: 2\r\n\r\nhi`), 'failed protocol')
  assert.equal(told(interim), 'failed reset')
  const large = `HTTP/1.1 103 Early\r\nLink: ${'x'.repeat(6_000)}\r\n\r\n`
  assert.equal(told(`${large.repeat(10)}${OK}Content-Length: 2\r\n\r\nhi`), 'full 200 hi')
  const largest = large.repeat(9) + large.replace('x', 'x'.repeat(6_000))
  assert.equal(told(`${largest}${OK}Content-Length: 2\r\n\r\nhi`), 'failed head-too-large', 'together')
  const answer = read([Buffer.from(`${interim}${OK}\r\n`)])
  assert.ok(answer.kind === 'full' && Buffer.from(answer.wireHead).toString() === `${OK}\r\n`)
})

test('heads are bounded in bytes and lines', () => {
  assert.equal(told(`${OK}${'X: y\r\n'.repeat(199)}\r\n`), 'full 200 ')
  assert.equal(told(`${OK}${'X: y\r\n'.repeat(200)}\r\n`), 'failed head-too-large')
  const padding = MAX_HEAD_BYTES - `${OK}X: \r\n\r\n`.length
  assert.equal(told(`${OK}X: ${'y'.repeat(padding)}\r\n\r\n`), 'full 200 ')
  assert.equal(told(`${OK}X: ${'y'.repeat(padding + 1)}\r\n\r\n`), 'failed head-too-large')
  assert.equal(told('\r\n'.repeat(40_000)), 'failed head-too-large')
  assert.equal(
    told(`HTTP/1.1 100 ${'y'.repeat(40_000)}\r\n\r\nHTTP/1.1 100 ${'y'.repeat(40_000)}`),
    'failed head-too-large',
  )
})

test('what does not begin like HTTP is refused by its first bytes', () => {
  const first = (text: string) => new ResponseReader(yes()).feed(Buffer.from(text))
  for (const text of ['S', 'SSH-2.0-OpenSSH', 'HTTQ', '\r\n<html>']) assert.equal(first(text)?.kind, 'failed', text)
  for (const text of ['h', 'HTT', '\r\n', 'Http/1.1']) assert.equal(first(text), undefined, text)
})

test('what is not wanted is not waited for', () => {
  const first = (text: string, limit: number) => {
    const answer = new ResponseReader(yes(limit)).feed(Buffer.from(OK + text))
    return answer && tell(answer)
  }
  assert.equal(first('Content-Length: 5\r\n\r\n', 0), 'cut length 200 ')
  assert.equal(first('Content-Length: 9\r\n\r\nhello', 5), 'cut length 200 hello')
  assert.equal(first('\r\nhello', 5), undefined, 'perhaps that was all')
  assert.equal(first('\r\nhello!', 5), 'cut length 200 hello')
})

test('an unwanted body is declined on its head, whatever its framing', () => {
  const wants = (status: number): Want =>
    status === 200 ? { download: false, kind: 'image/png', rule: 'media type' } : { download: true, limitBytes: 9 }
  const answer = read([Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: x\r\n\r\nbytes`)], wants)
  assert.equal(answer.kind, 'declined')
})

test('a connection is used again only when nothing speaks against it', () => {
  const reusable = (text: string): boolean => {
    const reader = new ResponseReader(yes())
    assert.equal(reader.feed(Buffer.from(text))?.kind, 'full')
    return reader.reusable
  }
  assert.equal(reusable(`${OK}Content-Length: 1\r\n\r\nx`), true)
  assert.equal(reusable(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`), true)
  assert.equal(reusable(`${OK}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`), false)
  assert.equal(reusable('HTTP/1.1 304 x\r\n\r\n'), true)
  assert.equal(reusable('HTTP/1.0 200 x\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx'), true)
  assert.equal(reusable('HTTP/1.0 200 x\r\nContent-Length: 1\r\n\r\nx'), false)
  assert.equal(
    reusable('HTTP/1.0 200 x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
    false,
  )
  assert.equal(reusable(`${OK}Connection: x, Close\r\nContent-Length: 1\r\n\r\nx`), false)
  assert.equal(reusable(`${OK}Content-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n`), false)
  assert.equal(reusable(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n`), false)
  assert.equal(reusable('HTTP/1.1 304 x\r\nConnection: close\r\n\r\n'), false)
  assert.equal(reusable('HTTP/1.1 204 x\r\n\r\nbody'), false)
  assert.equal(reusable('HTTP/1.1 101 x\r\n\r\n'), false)
})

const line = fc.constantFrom(
  'Content-Length: 12',
  'Content-Length: 3',
  'Transfer-Encoding: chunked',
  'X : y',
  ' folded',
  'no colon',
  'Connection: close',
)
const eol = fc.constantFrom('\r\n', '\n')
const body = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc
    .array(fc.tuple(fc.stringMatching(/^[a-z]{1,20}$/), eol), { maxLength: 4 })
    .map(
      (chunks) => `${chunks.map(([data, end]) => `${data.length.toString(16)}${end}${data}${end}`).join('')}0\r\n\r\n`,
    ),
)
const stream = fc
  .tuple(
    fc.constantFrom('', '\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', '\nHTTP/1.1 103 x\n\n'),
    fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 404', 'HTTP/1.1 204 No', 'HTTP/1.x 200', 'ICY 200 OK'),
    fc.array(line, { maxLength: 4 }),
    eol,
    body,
  )
  .map(([before, status, lines, end, rest]) =>
    Buffer.from(before + [status, ...lines, '', ''].join(end) + rest, 'latin1'),
  )

test('how the stream is cut into pieces makes no difference', () => {
  fc.assert(
    fc.property(stream, fc.nat(30), fc.array(fc.nat(300), { maxLength: 8 }), (bytes, limit, cuts) => {
      const whole = read([bytes], yes(limit))
      const single = read(
        Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)),
        yes(limit),
      )
      assert.deepEqual(plain(single), plain(whole))
      const at = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b)
      const pieces = [...at, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : at[i - 1], end))
      assert.deepEqual(plain(read(pieces, yes(limit))), plain(whole))
    }),
    { numRuns: 1_000 },
  )
})

function plain(answer: Answer): unknown {
  if (answer.kind !== 'full' && answer.kind !== 'cut') return answer
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
  return { ...answer, wireHead: text(answer.wireHead), payload: text(answer.payload) }
}

test('random bytes never throw, always end, and never give more than was asked for', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.constantFrom(13, 10, 32, 58, 48, 49, 53, 97, 59, 0, 255), { maxLength: 200 })
      .map((a) => Uint8Array.from(a)),
  )
  const start = fc.constantFrom(
    '',
    'HTTP/1.1 ',
    OK,
    `${OK}Transfer-Encoding: chunked\r\n\r\n`,
    `${OK}Content-Length: 9\r\n`,
  )
  fc.assert(
    fc.property(start, fc.array(noise, { maxLength: 6 }), (prefix, pieces) => {
      const answer = read([Buffer.from(prefix), ...pieces.map((piece) => Buffer.from(piece))], yes(100))
      if (answer.kind === 'full' || answer.kind === 'cut') assert.ok(answer.payload.length <= 100)
    }),
    { numRuns: 2_000 },
  )
})

test('a drip of single bytes costs no more memory than its bytes', () => {
  const reader = new ResponseReader(yes(3_000_000))
  reader.feed(Buffer.from(`${OK}\r\n`))
  const before = memoryUsage().arrayBuffers
  for (let i = 0; i < 300_000; i++) reader.feed(Buffer.from([97]))
  const answer = reader.end()
  assert.ok(answer.kind === 'full' && answer.payload.length === 300_000)
  assert.ok(memoryUsage().arrayBuffers - before < 20_000_000)
})

test('what went in comes out, however it was cut and whatever was announced', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 40 }),
      fc.option(fc.nat(200_000), { nil: undefined }),
      (pieces, announced) => {
        const pile = new BodyBuffer()
        if (announced !== undefined) pile.expect(announced)
        for (const piece of pieces) pile.add(piece)
        const all = Buffer.concat(pieces)
        assert.equal(pile.length, all.length)
        assert.deepEqual(Buffer.from(pile.bytes()), all)
      },
    ),
  )
})

test('the bytes are its own: the pieces may be written over', () => {
  const pile = new BodyBuffer()
  const piece = Buffer.from('first')
  pile.add(piece)
  piece.fill('x')
  pile.add(piece)
  assert.equal(Buffer.from(pile.bytes()).toString(), 'firstxxxxx')
})

test('a length that is announced is believed as far as it is ordinary', () => {
  const page = new BodyBuffer()
  page.expect(15_000)
  page.add(new Uint8Array(100))
  assert.equal(page.bytes().buffer.byteLength, 15_000)
  const boast = new BodyBuffer()
  boast.expect(1e9)
  boast.add(new Uint8Array(100))
  assert.equal(boast.bytes().buffer.byteLength, 256 * 1024)
})

test('a million small pieces take little more than their bytes', () => {
  const pile = new BodyBuffer()
  const byte = new Uint8Array(1)
  for (let n = 0; n < 1_000_000; n++) pile.add(byte)
  assert.equal(pile.length, 1_000_000)
  assert.ok(pile.bytes().buffer.byteLength <= 2_000_000)
})
