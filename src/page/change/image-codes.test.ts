import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import jpeg from 'jpeg-js'
import { GifWriter } from 'omggif'
import { PNG } from 'pngjs'
import { determinant, type Grey, imageCodes, ivalOf, MAX_PIXELS, perceptualHash, scaled } from './image-codes.ts'

/** `dark`: whether a pixel is black. */
function picture(width: number, height: number, dark: (x: number, y: number) => boolean): Grey {
  const light = new Uint8Array(width * height)
  for (let i = 0; i < light.length; i++) light[i] = dark(i % width, Math.floor(i / width)) ? 0 : 255
  return { width, height, light }
}

function rgba({ light }: Grey): Buffer {
  return Buffer.from([...light].flatMap((each) => [each, each, each, 255]))
}

function png(grey: Grey): Buffer {
  const image = new PNG({ width: grey.width, height: grey.height })
  image.data = rgba(grey)
  return PNG.sync.write(image)
}

const disc = picture(100, 80, (x, y) => (x - 40) ** 2 + (y - 40) ** 2 < 900)
const moved = picture(100, 80, (x, y) => (x - 60) ** 2 + (y - 40) ** 2 < 900)

test('PNG, JPEG and GIF of one picture have equal codes; others and damaged ones have none', async () => {
  const gif = Buffer.alloc(20_000)
  const writer = new GifWriter(gif, disc.width, disc.height, { palette: [0, 0xffffff] })
  writer.addFrame(
    0,
    0,
    disc.width,
    disc.height,
    [...disc.light].map((each) => each & 1),
  )
  const formats = [
    png(disc),
    gif.subarray(0, writer.end()),
    jpeg.encode({ width: disc.width, height: disc.height, data: rgba(disc) }, 95).data,
  ]
  for (const bytes of formats) {
    const codes = await imageCodes(bytes)
    assert.deepEqual(codes && [codes.width, codes.height], [100, 80])
    assert.equal(codes?.ival, ivalOf(disc, 64))
    assert.ok(bitsApart(codes?.perceptual ?? 0n, perceptualHash(disc)) <= 3)
    for (const length of [0, 1, 9, 30, bytes.length >> 1]) await imageCodes(bytes.subarray(0, length))
    assert.equal(await imageCodes(bytes.subarray(0, 30)), undefined)
  }
  assert.equal(await imageCodes(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), undefined)
  assert.notEqual(ivalOf(moved, 64), ivalOf(disc, 64))
  assert.ok(bitsApart(perceptualHash(moved), perceptualHash(disc)) > 8)
})

function bitsApart(one: bigint, other: bigint): number {
  return (one ^ other).toString(2).replaceAll('0', '').length
}

test('transparent is white', async () => {
  const image = new PNG({ width: 4, height: 4 })
  const white = picture(4, 4, () => false)
  assert.equal((await imageCodes(PNG.sync.write(image)))?.ival, ivalOf(white, 64))
})

test('Y9: ival of pictures that can be worked out by hand', () => {
  // One number per row: the sum of their squares. The left half is dark, the right light: 0x00ff in 16 rows.
  const halves = picture(16, 16, (x) => x < 8)
  assert.equal(ivalOf(halves, 16), 16n * 0xffn ** 2n)
  // The leftmost bit is the highest.
  assert.equal(
    ivalOf(
      picture(16, 16, (x, y) => !(x === 0 && y === 0)),
      16,
    ),
    0x8000n ** 2n,
  )
  // Two numbers in 32 rows: [1, 0] and [0, 1] once each, so AᵀA is the unit matrix.
  const two = picture(32, 32, (x, y) => !((x === 15 && y === 0) || (x === 31 && y === 1)))
  assert.equal(ivalOf(two, 32), 1n)
  // A picture of twice the size has the same.
  assert.equal(
    ivalOf(
      picture(64, 64, (x, y) => !((x >> 1 === 15 && y >> 1 === 0) || (x >> 1 === 31 && y >> 1 === 1))),
      32,
    ),
    1n,
  )
})

test('the determinant, by Leibniz, of up to 4 × 4', () => {
  const leibniz = (matrix: bigint[][], rows: number[] = [], sign = 1n): bigint =>
    rows.length === matrix.length
      ? rows.reduce((product, column, row) => product * matrix[row][column], sign)
      : matrix.reduce((sum, _, column) => {
          if (rows.includes(column)) return sum
          const inversions = rows.filter((each) => each > column).length
          return sum + leibniz(matrix, [...rows, column], inversions % 2 === 0 ? sign : -sign)
        }, 0n)
  const square = fc.integer({ min: 1, max: 4 }).chain((n) => {
    const row = fc.array(fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }), { minLength: n, maxLength: n })
    return fc.array(row, { minLength: n, maxLength: n })
  })
  fc.assert(fc.property(square, (matrix) => assert.equal(determinant(matrix), leibniz(matrix))))
})

test('scaling keeps the mean, up and down', () => {
  const any = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }))
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: width * height, maxLength: width * height })
        .map((light) => ({ width, height, light })),
    )
  const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, each) => sum + each, 0) / values.length
  fc.assert(
    fc.property(any, (grey) => {
      assert.ok(Math.abs(mean(scaled(grey, 16, 9)) - mean(grey.light)) < 1e-9)
      assert.deepEqual(scaled(grey, grey.width, grey.height), [...grey.light])
    }),
  )
})

test('why ival is not the default: a determinant of zero says nothing, and rows may change places', () => {
  // A pale picture, such as a screenshot with some text in the middle: columns of the array depend on each other.
  const pale = (dark: (x: number, y: number) => boolean) => picture(640, 480, dark)
  const pictures = [
    pale(() => false),
    pale((x, y) => x > 200 && x < 400 && y > 100 && y < 300),
    pale((x, y) => (x - 300) ** 2 + (y - 200) ** 2 < 10_000),
  ]
  for (const each of pictures) assert.equal(ivalOf(each, 64), 0n)
  assert.equal(new Set(pictures.map(perceptualHash)).size, 3)
  const flag = picture(64, 64, (x, y) => (x * 7 + y * 13) % 31 < y / 4)
  const upsideDown = picture(64, 64, (x, y) => (x * 7 + (63 - y) * 13) % 31 < (63 - y) / 4)
  assert.notEqual(ivalOf(flag, 64), 0n)
  assert.equal(ivalOf(flag, 64), ivalOf(upsideDown, 64))
  assert.notEqual(perceptualHash(flag), perceptualHash(upsideDown))
})

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, data, Buffer.alloc(4)])
}

function pngOf(width: number, height: number, interlaced: number, packed: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, interlaced], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))])
}

test('hostile images: what declares too much or grows too large is not decoded', async () => {
  const memory = () => process.memoryUsage().rss
  const before = memory()
  const bomb = deflateSync(Buffer.alloc(300_000_000))
  const hostile: Buffer[] = [
    pngOf(100_000, 100_000, 0, bomb),
    pngOf(2 ** 31, 2 ** 31, 1, bomb),
    pngOf(16, 16, 1, bomb),
    pngOf(16, 16, 0, bomb),
    Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0])]),
    // A small screen with a picture of 65,535 × 65,535.
    Buffer.from('474946383961040004000000002c00000000ffffffff0002024401003b', 'hex'),
    // SOF0 of 65,535 × 65,535, then a scan.
    Buffer.from('ffd8ffc0000b08ffffffff01011100ffda0008010100003f00ffd9', 'hex'),
    // A baseline image of 4,000 × 4,000 and a thousand scans.
    Buffer.from(`ffd8ffc2000b080fa00fa001011100${'ffda0008010100003f0000'.repeat(1000)}ffd9`, 'hex'),
  ]
  const begun = process.cpuUsage()
  for (const bytes of hostile) assert.equal(await imageCodes(bytes), undefined)
  assert.ok(process.cpuUsage(begun).user < 5e6)
  assert.ok(memory() - before < 900e6, `${memory() - before} bytes more`)
  assert.ok(MAX_PIXELS * 4 <= 64 << 20)
})
