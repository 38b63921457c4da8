import assert from 'node:assert/strict'
import { test } from 'node:test'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { diffImages } from './image-diff.ts'

/** Grey stripes with a dark box. */
function pixels(width: number, height: number, box: number): Buffer {
  const data = Buffer.alloc(width * height * 4, 255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isBox = x >= box && x < box + 10 && y >= 20 && y < 30
      data.fill(isBox ? 0 : 100 + (x % 50), (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  return data
}

function png(width: number, height: number, box: number, deflateLevel = 9): Buffer {
  const image = new PNG({ width, height })
  image.data = pixels(width, height, box)
  return PNG.sync.write(image, { deflateLevel })
}

test('whether pixels differ, how many, by how much, and where', async () => {
  const moved = await diffImages(png(100, 80, 0), png(100, 80, 50))
  assert.equal(moved?.pixels?.changed, 200)
  assert.deepEqual(moved?.pixels?.area, { left: 0, top: 20, right: 60, bottom: 30 })
  assert.ok(moved?.pixels !== undefined && moved.pixels.mean > 100)
  assert.ok(moved?.perceptual !== undefined && moved.perceptual < 16)
  const stored = await diffImages(png(100, 80, 0), png(100, 80, 0, 0))
  assert.equal(stored?.pixels?.changed, 0)
  assert.equal(stored?.isSameIval, true)
  const resized = await diffImages(png(100, 80, 0), png(50, 80, 0))
  assert.equal(resized?.pixels, undefined)
  assert.equal(typeof resized?.perceptual, 'number')
  const saved = await diffImages(
    png(100, 80, 0),
    jpeg.encode({ width: 100, height: 80, data: pixels(100, 80, 0) }, 90).data,
  )
  assert.ok(saved?.pixels !== undefined && saved.pixels.mean < 20)
})

test('what can not be decoded is named, and nothing else is an image', async () => {
  const whole = png(100, 80, 0)
  const huge = Buffer.from(whole)
  huge.writeUInt32BE(1_000_000, 16)
  for (const bytes of [whole.subarray(0, 60), huge, whole.subarray(0, 5)]) {
    const found = await diffImages(whole, bytes)
    assert.deepEqual(found?.after, {
      kind: 'PNG',
      undecoded: 'is a PNG that is damaged, or has over 16.8 million pixels',
    })
    assert.equal(found?.pixels, undefined)
  }
  const other = await diffImages(whole, Buffer.from('<svg/>'))
  assert.deepEqual(other?.after, { kind: undefined, undecoded: 'is neither PNG, JPEG nor GIF' })
  assert.equal(await diffImages(Buffer.from('%PDF-1.4 one'), Buffer.from('')), undefined)
})
