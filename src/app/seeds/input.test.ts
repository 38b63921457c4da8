import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Damaged, linesOf, unfolded } from './input.ts'
import { chunksOf } from './sources.test-data.ts'

const text = (n: number) => Array.from({ length: n }, (_, i) => `line ${i} ${(i * 7919) % 1000}\n`).join('')

async function read(bytes: Uint8Array, size = 1000): Promise<{ text: string; damage?: string }> {
  let read = ''
  try {
    for await (const chunk of unfolded(chunksOf(bytes, size))) read += Buffer.from(chunk).toString('latin1')
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return { text: read, damage: error.message }
  }
  return { text: read }
}

test('plain, packed, packed in several members, in pieces of any size', async () => {
  const whole = text(3000)
  const half = whole.length / 2
  const members = Buffer.concat([gzipSync(whole.slice(0, half)), gzipSync(whole.slice(half))])
  for (const bytes of [Buffer.from(whole), gzipSync(whole), members])
    for (const size of [17, 1000, 1e7]) assert.deepEqual(await read(bytes, size), { text: whole })
  assert.deepEqual(await read(Buffer.alloc(0)), { text: '' })
  assert.deepEqual(await read(Buffer.from([0x1f])), { text: '\x1f' })
})

test('truncated and damaged files are read up to the damage, and its position is reported', async () => {
  const first = gzipSync(text(20_000))
  const second = gzipSync(text(5000))
  const torn = await read(Buffer.concat([first, second.subarray(0, -100)]))
  assert.match(torn.damage ?? '', /ends inside a gzip member/)
  assert.ok(torn.text.startsWith(text(20_000)) && torn.text.length > text(20_000).length)
  const holed = await read(Buffer.concat([first, Buffer.alloc(5000), second]))
  assert.equal(holed.text, text(20_000))
  assert.match(holed.damage ?? '', new RegExp(`at byte ${first.length}: no gzip member`))
  const flipped = Buffer.concat([first, second])
  flipped[first.length + 500] ^= 0xff
  const read2 = await read(flipped)
  assert.match(read2.damage ?? '', /is damaged near byte/)
  // What a damaged member may cost before the damage is bounded by what is unfolded at once.
  assert.ok(read2.text.length > text(20_000).length - 2 * 65_536)
  assert.match((await read(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]))).damage ?? '', /zstd/)
})

test('an error of the disk is not reported as damage', async () => {
  const failing = async function* () {
    yield gzipSync('x'.repeat(1000)).subarray(0, 20)
    throw Object.assign(new Error('EIO'), { code: 'EIO' })
  }
  await assert.rejects(async () => {
    for await (const _ of unfolded(failing())) {
    }
  }, /EIO/)
})

async function lines(bytes: Uint8Array | string, size: number, longest?: number) {
  const list = []
  for await (const some of linesOf(chunksOf(bytes, size), longest)) list.push(...some)
  return list
}

test('lines may end with LF, CRLF, CR or the file; a byte order mark is dropped', async () => {
  for (const size of [1, 2, 3, 100]) {
    const read = await lines('\ufeffa\nb\r\nc\rd\r\n\r\nü\r\r\nend', size)
    assert.deepEqual(
      read.map(({ number, text }) => [number, text]),
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [4, 'd'],
        [5, ''],
        [6, 'ü'],
        [7, ''],
        [8, 'end'],
      ],
      `pieces of ${size}`,
    )
  }
})

test('a byte order mark of UTF-16 is obeyed', async () => {
  const little = Buffer.from('\ufeffa\r\nü\n\n日本', 'utf16le')
  for (const bytes of [little, Buffer.from(little).swap16()])
    for (const size of [1, 3, 100]) {
      const read = await lines(bytes, size)
      assert.deepEqual(
        read.map(({ text }) => text),
        ['a', 'ü', '', '日本'],
      )
    }
})

test('a line that is too long is cut, and the next is read', async () => {
  for (const size of [7, 100, 10_000]) {
    const read = await lines(`short\n${'x'.repeat(5000)}\nnext`, size, 1000)
    assert.deepEqual(
      read.map(({ number, isTooLong, text }) => [number, isTooLong, text.length]),
      [
        [1, false, 5],
        [2, true, 200],
        [3, false, 4],
      ],
    )
  }
})

test('lines equal those of a split, however the bytes are chunked', async () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r')
  const parts = fc.array(
    fc.tuple(
      fc.string({ maxLength: 20 }).map((s) => s.replace(/[\r\n\ufeff]/g, '_')),
      ends,
    ),
    { maxLength: 30 },
  )
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 40 }), async (list, size) => {
      const whole = list.map(([line, end]) => line + end).join('')
      const expected = whole.split(/\r\n|\n|\r/)
      if (expected.at(-1) === '') expected.pop()
      const read = await lines(whole, size)
      assert.deepEqual(
        read.map(({ text }) => text),
        expected,
      )
    }),
    { numRuns: 500 },
  )
})
