/** What the reader of the wire calls the payload is found again in the stored block, however odd the answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ResponseReader } from '../../src/fetch/response-reader.ts'
import { parseHttpBlock, storedHead } from '../../src/web/warc/http-block.ts'

const headLine = fc.constantFrom(
  'Transfer-Encoding: chunked',
  'transfer-encoding : Chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: ,chunked,chunked',
  '\u00a0Transfer-Encoding: chunked',
  'Content-Length: 7',
  'X: y\r',
  'X: \u00a0',
  ' folded',
  'no colon',
)
const statusLine = fc.constantFrom(
  'HTTP/1.1 200 OK',
  'HTTP/1.0 404',
  'HTTP/1.1 200 a\rb',
  'http/1.1\t301  x ',
  'HTTP/1.1 204',
)
const lineEnd = fc.constantFrom('\r\n', '\n')
const bodyPart = fc.oneof(
  fc.constantFrom('5\r\nabcde\r\n', '5\nabcde\n', '000000000000000003;x="y"\r\nabc\r\n', 'a\t ; q\r\n0123456789\r\n'),
  fc.constantFrom('0\r\n\r\n', '0\r\nTrailer: x\r\n\r\n', '1', '\r\n', 'zz\r\n', 'fffff\r\nshort'),
)

const answer = fc
  .tuple(statusLine, fc.array(headLine, { maxLength: 4 }), lineEnd, fc.array(bodyPart, { maxLength: 6 }))
  .map(([status, lines, end, body]) => [status, ...lines, '', ''].join(end) + body.join(''))

test('the payload of every answer that is kept is the payload of its record', () => {
  let kept = 0
  fc.assert(
    fc.property(answer, fc.integer({ min: 1, max: 40 }), (text, limitBytes) => {
      const reader = new ResponseReader(() => ({ download: true, limitBytes }))
      const read = reader.feed(Buffer.from(text, 'latin1')) ?? reader.end()
      if (read.kind !== 'full' && read.kind !== 'cut') return
      kept++
      const block = parseHttpBlock(Buffer.concat([storedHead(read.wireHead, read.kind === 'cut'), read.payload]))
      assert.ok(block !== undefined)
      assert.equal(block.status, read.head.status)
      assert.ok(!block.headers.some(([name]) => name.toLowerCase() === 'transfer-encoding'))
      assert.deepEqual(Buffer.from(block.payload).toString('latin1'), Buffer.from(read.payload).toString('latin1'))
    }),
    { numRuns: 5000 },
  )
  assert.ok(kept > 1000, `only ${kept} answers were kept`)
})

/** Lines with every byte there is, blanks of all kinds around them. */
const anyLine = fc
  .tuple(
    fc.constantFrom('', ' ', '\t', '\u00a0'),
    fc.constantFrom('X', 'Set-Cookie', 'x y', '', '\u00e9'),
    fc.constantFrom(':', ' :', ''),
    fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((byte) => (byte === 10 ? ' ' : String.fromCharCode(byte))),
    }),
    fc.constantFrom('', ' ', '\t ', '\r', '\u00c3\u00a0', '\u0080', '\u0085'),
  )
  .map((parts) => parts.join(''))
  .filter((line) => line.replaceAll('\r', '') !== '')

test('a head from a socket, in whatever pieces, is read as it is from a record', () => {
  let read = 0
  fc.assert(
    fc.property(
      statusLine,
      fc.array(fc.oneof(headLine, anyLine), { maxLength: 6 }),
      lineEnd,
      fc.array(fc.nat(200), { maxLength: 6 }),
      (status, lines, end, cuts) => {
        const bytes = Buffer.from([status, ...lines, '', ''].join(end), 'latin1')
        const block = parseHttpBlock(bytes)
        const reader = new ResponseReader(() => ({ download: false, kind: '', rule: '' }))
        const at = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b)
        let answer: ReturnType<ResponseReader['feed']>
        for (const [i, to] of [...at, bytes.length].entries())
          answer ??= reader.feed(bytes.subarray(i === 0 ? 0 : at[i - 1], to))
        if (answer?.kind !== 'declined') {
          assert.equal(block, undefined)
          return
        }
        read++
        const { version, status: code, reason, headers } = block!
        assert.deepEqual({ version, status: code, reason, headers }, answer.head)
        assert.deepEqual(Buffer.from(block!.wireHead), Buffer.from(answer.wireHead))
      },
    ),
    { numRuns: 3000 },
  )
  assert.ok(read > 2000, `only ${read} heads were read`)
})

test('values are bytes: no letter is lost or changed', () => {
  const head = 'HTTP/1.1 200 D\u00c3\u00a0\r\nX: D\u00c3\u00a0\r\nY:\t\u0080 \u0085\r\n\r\n'
  const block = parseHttpBlock(Buffer.from(head, 'latin1'))
  assert.deepEqual(block?.headers, [
    ['X', 'D\u00c3\u00a0'],
    ['Y', '\u0080 \u0085'],
  ])
  assert.equal(block?.reason, 'D\u00c3\u00a0')
})
