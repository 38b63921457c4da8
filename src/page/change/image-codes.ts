/**
 * Codes of an image: the paper's *ival* (Y9), with the readings that it leaves open (decision 0010), and a perceptual hash.
 * For `diff`, and for collections that keep images; a crawl loads none of it. Decoders are loaded when first used. They see
 * only images whose header declares at most `MAX_PIXELS` pixels, and that can't grow beyond them.
 */
import { inflateSync } from 'node:zlib'

/** 64 MB once decoded. */
export const MAX_PIXELS = 1 << 24
export const MAX_IMAGE_BYTES = 1 << 25
/** A progressive JPEG has about ten. Each passes over the whole image, whatever its length. */
const MAX_SCANS = 100

export interface ImageCodes {
  width: number
  height: number
  ival: bigint
  /** 64 bits: whether each pixel of 8 × 8 is clearly lighter than its right neighbour. Like images differ in few (dHash). */
  perceptual: bigint
}

export interface Grey {
  width: number
  height: number
  /** 0 black to 255 white, by row. */
  light: Uint8Array
}

export type Rgba = { width: number; height: number; data: Uint8Array }

/** Undefined: neither PNG, JPEG nor GIF, too large, or damaged. Compare such images by their bytes. */
export async function imageCodes(bytes: Uint8Array, n: 16 | 32 | 64 = 64): Promise<ImageCodes | undefined> {
  const image = await decodeImage(bytes)
  return image && codesOf(image, n)
}

export function codesOf(image: Rgba, n: 16 | 32 | 64 = 64): ImageCodes {
  const grey = greyOf(image)
  return { width: grey.width, height: grey.height, ival: ivalOf(grey, n), perceptual: perceptualHash(grey) }
}

export type ImageKind = 'PNG' | 'JPEG' | 'GIF'

/** By its first bytes. */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const begin = Buffer.from(bytes.subarray(0, 4)).toString('latin1')
  return begin === '\x89PNG' ? 'PNG' : begin.startsWith('\xff\xd8') ? 'JPEG' : begin === 'GIF8' ? 'GIF' : undefined
}

const DECODERS = { PNG: decodePng, JPEG: decodeJpeg, GIF: decodeGif }

export async function decodeImage(bytes: Uint8Array): Promise<Rgba | undefined> {
  const kind = imageKind(bytes)
  if (kind === undefined || bytes.length > MAX_IMAGE_BYTES) return undefined
  try {
    return await DECODERS[kind](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  } catch {
    // Damaged, or of a kind that its decoder does not know.
    return undefined
  }
}

function isSmall(width: number, height: number): boolean {
  return width > 0 && height > 0 && width * height <= MAX_PIXELS
}

async function decodePng(bytes: Buffer): Promise<Rgba | undefined> {
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  if (!isSmall(width, height)) return undefined
  // The library inflates interlaced images without a limit: make sure that there is no more than the pixels need.
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  // Eight bytes a pixel at most, and a filter byte for each row of each of the seven passes.
  inflateSync(Buffer.concat(data), { maxOutputLength: width * height * 8 + height * 7 + 64 })
  const { PNG } = await import('pngjs')
  return PNG.sync.read(bytes)
}

async function decodeJpeg(bytes: Buffer): Promise<Rgba | undefined> {
  let scans = 0
  for (let at = bytes.indexOf('ffda', 0, 'hex'); at >= 0; at = bytes.indexOf('ffda', at + 2, 'hex')) scans++
  if (scans > MAX_SCANS) return undefined
  const { default: jpeg } = await import('jpeg-js')
  return jpeg.decode(bytes, { useTArray: true, maxResolutionInMP: MAX_PIXELS / 1e6, maxMemoryUsageInMB: 512 })
}

/** Its first picture. */
async function decodeGif(bytes: Buffer): Promise<Rgba | undefined> {
  const width = bytes.readUInt16LE(6)
  const height = bytes.readUInt16LE(8)
  if (!isSmall(width, height)) return undefined
  const { GifReader } = await import('omggif')
  const reader = new GifReader(bytes)
  const frame = reader.frameInfo(0)
  if (frame.x + frame.width > width || frame.y + frame.height > height) return undefined
  const data = new Uint8Array(width * height * 4)
  reader.decodeAndBlitFrameRGBA(0, data)
  return { width, height, data }
}

/** Rec. 601 luma, on white where it is transparent. */
function greyOf({ width, height, data }: Rgba): Grey {
  const light = new Uint8Array(width * height)
  for (let i = 0, at = 0; i < light.length; i++, at += 4) {
    const luma = 299 * data[at] + 587 * data[at + 1] + 114 * data[at + 2]
    const alpha = data[at + 3]
    light[i] = Math.round((luma * alpha + 255_000 * (255 - alpha)) / 255_000)
  }
  return { width, height, light }
}

/**
 * Each new pixel is the mean of the area that it covers. Exact: a pixel of the image counts as `columns` × `rows` small
 * squares, a new one covers `width` × `height` of them.
 */
export function scaled({ width, height, light }: Grey, columns: number, rows: number): number[] {
  const sums = new Array<number>(columns * rows).fill(0)
  for (let y = 0; y < height; y++) {
    for (let row = Math.floor((y * rows) / height); row * height < (y + 1) * rows; row++) {
      const tall = Math.min((y + 1) * rows, (row + 1) * height) - Math.max(y * rows, row * height)
      for (let x = 0; x < width; x++) {
        for (let column = Math.floor((x * columns) / width); column * width < (x + 1) * columns; column++) {
          const wide = Math.min((x + 1) * columns, (column + 1) * width) - Math.max(x * columns, column * width)
          sums[row * columns + column] += light[y * width + x] * tall * wide
        }
      }
    }
  }
  return sums.map((sum) => sum / (width * height))
}

/**
 * Scaled to n × n, light pixels (128 and more) as 1, each 16 of a row as one number with the leftmost bit first: n rows of
 * n/16 numbers. That array A is square only in the paper's text; we take the determinant of AᵀA, which is of the
 * printed size, has every number in it, and is the square of A's determinant where A is square.
 */
export function ivalOf(grey: Grey, n: 16 | 32 | 64): bigint {
  const bits = scaled(grey, n, n).map((light) => (light >= 128 ? 1 : 0))
  const wide = n / 16
  const numbers: bigint[] = []
  for (let at = 0; at < bits.length; at += 16)
    numbers.push(BigInt(bits.slice(at, at + 16).reduce((number: number, bit) => number * 2 + bit, 0)))
  const product = Array.from({ length: wide }, (_, i) =>
    Array.from({ length: wide }, (_, j) => {
      let sum = 0n
      for (let row = 0; row < n; row++) sum += numbers[row * wide + i] * numbers[row * wide + j]
      return sum
    }),
  )
  return determinant(product)
}

/** By minors: at most 4 × 4. */
export function determinant(matrix: readonly (readonly bigint[])[]): bigint {
  if (matrix.length === 1) return matrix[0][0]
  const [top, ...rest] = matrix
  return top.reduce((sum, value, column) => {
    const minor = determinant(rest.map((row) => row.filter((_, i) => i !== column)))
    return column % 2 === 0 ? sum + value * minor : sum - value * minor
  }, 0n)
}

/** By less, flat areas differ through JPEG's noise alone. */
const CLEARLY = 2

export function perceptualHash(grey: Grey): bigint {
  const small = scaled(grey, 9, 8)
  let hash = 0n
  for (let row = 0; row < 8; row++)
    for (let column = 0; column < 8; column++)
      hash = (hash << 1n) | (small[row * 9 + column] > small[row * 9 + column + 1] + CLEARLY ? 1n : 0n)
  return hash
}
