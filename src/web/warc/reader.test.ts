import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import { deflatedMember, storedMember } from './gzip-member.ts'
import { type ByteSource, type Member, MemberReader, readMember } from './reader.ts'

const bytesIn = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
})

function memberOf(bytes: Uint8Array, stored = false): Buffer {
  const pieces: Buffer[] = []
  const make = stored ? storedMember : deflatedMember
  make((piece) => pieces.push(Buffer.from(piece)), [bytes])
  return Buffer.concat(pieces)
}

function wholeMembers(file: Uint8Array): { members: Member[]; end: number; fault?: string } {
  const reader = new MemberReader(bytesIn(file))
  const members: Member[] = []
  for (;;) {
    const next = reader.next()
    if (next === undefined) return { members, end: reader.offset }
    if (next.kind === 'fault') return { members, end: reader.offset, fault: next.what }
    members.push(next)
  }
}

const contents = fc.array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 400 }), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
})

test('torn at any byte, the whole members before it are found and nothing else', () => {
  fc.assert(
    fc.property(contents, fc.nat(), (parts, where) => {
      const members = parts.map(([bytes, stored]) => memberOf(bytes, stored))
      const file = Buffer.concat(members)
      const cut = where % (file.length + 1)
      let end = 0
      let count = 0
      while (count < members.length && end + members[count].length <= cut) end += members[count++].length
      const found = wholeMembers(file.subarray(0, cut))
      assert.equal(found.end, end)
      assert.deepEqual(
        found.members.map(({ bytes }) => Buffer.from(bytes)),
        parts.slice(0, count).map(([bytes]) => Buffer.from(bytes)),
      )
      assert.equal(found.fault, cut === end ? undefined : 'torn')
    }),
    { numRuns: 500 },
  )
})

test('a hole of zeros anywhere in a member ends the row before it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (where, stored) => {
      const random = seededRandom(where)
      const content = Uint8Array.from({ length: 500 }, () => 1 + random.integer(255))
      const first = memberOf(content, stored)
      const second = Buffer.from(first)
      const from = where % (second.length - 8)
      // Bytes that are zeros anyway (in the gzip header) make no hole.
      fc.pre(second.subarray(from).some((byte) => byte !== 0))
      second.fill(0, from)
      const found = wholeMembers(Buffer.concat([first, second, first]))
      assert.equal(found.end, first.length)
      assert.ok(found.fault !== undefined)
    }),
    { numRuns: 300 },
  )
})

test('a flipped bit in what was packed is found', () => {
  const content = Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(30))
  const member = memberOf(content)
  for (let at = 10; at < member.length; at++) {
    const flipped = Buffer.from(member)
    flipped[at] ^= 1 << (at % 8)
    const read = readMember(flipped, 0)
    // The last byte of a stream may have bits that mean nothing.
    assert.ok(read.kind === 'fault' || content.equals(read.bytes), `byte ${at}`)
  }
})

test('members larger than the window, and small ones after them', () => {
  const random = seededRandom(3)
  const large = Uint8Array.from({ length: 3_000_000 }, () => random.integer(256))
  const file = Buffer.concat([
    memberOf(large, true),
    memberOf(new Uint8Array([1])),
    memberOf(large),
    memberOf(large, true),
  ])
  const { members, end, fault } = wholeMembers(file)
  assert.equal(fault, undefined)
  assert.equal(end, file.length)
  assert.deepEqual(
    members.map(({ bytes }) => bytes.length),
    [3_000_000, 1, 3_000_000, 3_000_000],
  )
})

test('what unfolds without measure is a fault, not a loss of memory', () => {
  const bomb = gzipSync(new Uint8Array(1_000_000))
  const read = readMember(bomb, 0, 10_000)
  assert.equal(read.kind === 'fault' && read.what, 'too large')
  const reader = new MemberReader(bytesIn(memberOf(new Uint8Array(50_000), true)), 0, { packed: 1000, unpacked: 1e6 })
  const fault = reader.next()
  assert.equal(fault?.kind === 'fault' && fault.what, 'too large')
})

test('headers with names, as other writers make them', () => {
  const named = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
    Buffer.from('a.warc\0'),
    memberOf(new Uint8Array([7])).subarray(10),
  ])
  const read = readMember(named, 0)
  assert.deepEqual(read.kind === 'member' && [...read.bytes], [7])
})

test('after damage, the next member is found again', () => {
  const whole = memberOf(Buffer.from('record'))
  const reader = new MemberReader(bytesIn(Buffer.concat([whole, Buffer.from('rubbish \x1f\x8b here'), whole])))
  assert.equal(reader.next()?.kind, 'member')
  assert.equal(reader.next()?.kind, 'fault')
  assert.ok(reader.skip())
  const again = reader.next()
  assert.equal(again?.kind === 'member' && Buffer.from(again.bytes).toString(), 'record')
  assert.equal(reader.next(), undefined)
})

test('any bytes at all: an answer, never an exception', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void wholeMembers(bytes)))
  const header = [0x1f, 0x8b, 8]
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      (bytes) => void wholeMembers(Uint8Array.from([...header, ...bytes])),
    ),
  )
})

test('members of every size in a row, across the borders of the window', () => {
  // 400 kB used of a window of 1 MiB leaves less than a member of 700 kB: it is read anew, not called torn.
  for (const sizes of [
    [400e3, 700e3, 1e3],
    [600e3, 600e3, 600e3, 600e3],
    [1e3, 3e6, 1e3, 1.2e6, 500e3],
  ]) {
    const file = Buffer.concat(sizes.map((size) => gzipSync(noise(size))))
    const reader = new MemberReader(bytesIn(file))
    const lengths = sizes.map(() => {
      const member = reader.next()
      return member?.kind === 'member' ? member.bytes.length : member
    })
    assert.deepEqual(lengths, sizes)
    assert.equal(reader.next(), undefined)
  }
})

/** Bytes that do not compress, the same every time. */
function noise(size: number): Uint8Array {
  const random = seededRandom(size)
  return Uint8Array.from({ length: size }, () => random.integer(256))
}
