import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BodyBuffer } from './body-buffer.ts'

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
