import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dechunk } from '../http/chunked.ts'
import { isPacked, parseHttpBlock, payloadDigest, storedHead } from './http-block.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

test('head, body and payload of a chunked answer', () => {
  const block = Buffer.from(
    'HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  )
  const read = parseHttpBlock(block)
  assert.equal(read?.status, 200)
  assert.equal(read?.reason, 'OK')
  assert.deepEqual(read?.headers[0], ['A', '1 folded'])
  assert.equal(text(read?.payload ?? block), 'abcde')
  assert.ok(text(read?.wireBody ?? block).startsWith('3;x=y'))
})

test('a stored head announces no transfer coding, nor a length that may be untrue, and is otherwise as it came', () => {
  const every = Buffer.from(Array.from({ length: 128 }, (_, i) => i + 128)).toString('latin1')
  const stored = (head: string, isCut = false) => text(storedHead(Buffer.from(head, 'latin1'), isCut))
  const plain = `HTTP/1.1 200 OK\r\nX: ${every}\r\nTE: a\r\nNo-Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`
  assert.equal(stored(plain), plain)
  assert.equal(stored(plain, true), plain.replace('Content-Length', 'X-Crawler-Content-Length'))
  assert.equal(
    stored(`HTTP/1.1 200 OK\r\nX: ${every}\r\ntransfer-encoding : Chunked\nTransfer-Encoding:\r\n identity\r\n\r\n`),
    `HTTP/1.1 200 OK\r\nX: ${every}\r\nX-Crawler-transfer-encoding : Chunked\n` +
      'X-Crawler-Transfer-Encoding:\r\n identity\r\n\r\n',
  )
  assert.equal(
    stored('HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n'),
    'HTTP/1.1 200 OK\r\nX-Crawler-Content-Length: 9\r\nX-Crawler-Transfer-Encoding: chunked\r\n\r\n',
  )
})

test('bare line feeds, no reason, no body', () => {
  assert.equal(text(parseHttpBlock(Buffer.from('HTTP/1.0 404\nA: 1\n\nbody'))?.payload ?? Buffer.from('')), 'body')
  assert.equal(parseHttpBlock(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'))?.payload.length, 0)
  assert.equal(parseHttpBlock(Buffer.from('not http')), undefined)
})

test('chunks of any sizes give back the payload; cut anywhere, a beginning of it', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), fc.nat(), (chunks, where) => {
      const wire = Buffer.concat([
        ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
        Buffer.from('0\r\nTrailer: x\r\n\r\n'),
      ])
      const payload = Buffer.concat(chunks)
      assert.ok(payload.equals(dechunk(wire)))
      const part = Buffer.from(dechunk(wire.subarray(0, where % wire.length)))
      assert.ok(payload.subarray(0, part.length).equals(part))
    }),
  )
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void dechunk(bytes)))
})

test('what is compressed already is not compressed again', () => {
  const type = (value: string) => isPacked([['Content-Type', value]])
  assert.ok(isPacked([['content-encoding', 'x-gzip']]))
  assert.ok(isPacked([['Content-Encoding', 'identity, BR']]))
  assert.ok(!isPacked([['Content-Encoding', 'identity']]))
  for (const packed of ['image/png', 'video/mp4', 'application/zip', 'font/woff2', 'application/pdf; x=y'])
    assert.ok(type(packed))
  for (const plain of ['text/html', 'image/svg+xml', 'application/json', 'font/ttf', '']) assert.ok(!type(plain))
})

test('the digest is that of the payload', () => {
  assert.equal(payloadDigest({ payload: new Uint8Array(0) }), 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ')
})

test('a head of very many folded lines is read in one pass', () => {
  const block = Buffer.from(`HTTP/1.1 200 OK\r\nX: 1\r\n${' a\r\n'.repeat(400_000)}\r\nbody`)
  const parsed = parseHttpBlock(block)
  assert.equal(parsed?.headers[0][1].length, 1 + 2 * 400_000)
  assert.equal(parsed?.payload.length, 4)
})
