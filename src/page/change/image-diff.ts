/** Two versions of an image: whether their pixels differ, by how much and where, and the codes of both (decision 0010). */
import {
  codesOf,
  decodeImage,
  type ImageKind,
  imageKind,
  MAX_IMAGE_BYTES,
  MAX_PIXELS,
  type Rgba,
} from './image-codes.ts'

interface Decoded {
  kind: ImageKind
  width: number
  height: number
  ival: bigint
  perceptual: bigint
}

/** `undecoded`: why, as the end of a sentence that begins with the image. */
export type ImageVersion = Decoded | { kind: ImageKind | undefined; undecoded: string }

export interface ImageDiff {
  before: ImageVersion
  after: ImageVersion
  /** Of images of the same size. */
  pixels?: Pixels
  /** Bits of 64 in which the perceptual hashes differ. */
  perceptual?: number
  isSameIval?: boolean
}

export interface Pixels {
  changed: number
  /** Of those that changed: the largest difference of a colour or of the opacity, 0 to 255. */
  mean: number
  /** Around all of them; right and bottom are the first ones outside. */
  area: { left: number; top: number; right: number; bottom: number }
}

/** Undefined: neither is an image that could be decoded. */
export async function diffImages(before: Uint8Array, after: Uint8Array): Promise<ImageDiff | undefined> {
  if (imageKind(before) === undefined && imageKind(after) === undefined) return undefined
  const [old, now] = [await decodeImage(before), await decodeImage(after)]
  const versions = { before: versionOf(before, old), after: versionOf(after, now) }
  if (old === undefined || now === undefined) return versions
  const [one, other] = [versions.before as Decoded, versions.after as Decoded]
  return {
    ...versions,
    ...(old.width === now.width && old.height === now.height && { pixels: pixelsOf(old, now) }),
    perceptual: (one.perceptual ^ other.perceptual).toString(2).replaceAll('0', '').length,
    isSameIval: one.ival === other.ival,
  }
}

function versionOf(bytes: Uint8Array, image: Rgba | undefined): ImageVersion {
  const kind = imageKind(bytes)
  if (image !== undefined) return { kind: kind!, ...codesOf(image) }
  const undecoded =
    kind === undefined
      ? 'is neither PNG, JPEG nor GIF'
      : bytes.length > MAX_IMAGE_BYTES
        ? `is a ${kind} of over ${MAX_IMAGE_BYTES >> 20} MB`
        : `is a ${kind} that is damaged, or has over ${(MAX_PIXELS / 1e6).toFixed(1)} million pixels`
  return { kind, undecoded }
}

function pixelsOf({ width, height, data: old }: Rgba, { data: now }: Rgba): Pixels {
  const area = { left: width, top: height, right: 0, bottom: 0 }
  let [changed, sum] = [0, 0]
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      // Colours of what is transparent are not seen.
      if (old[at + 3] === 0 && now[at + 3] === 0) continue
      let most = 0
      for (let i = at; i < at + 4; i++) most = Math.max(most, Math.abs(old[i] - now[i]))
      if (most === 0) continue
      changed++
      sum += most
      area.left = Math.min(area.left, x)
      area.right = Math.max(area.right, x + 1)
      area.top = Math.min(area.top, y)
      area.bottom = Math.max(area.bottom, y + 1)
    }
  }
  return { changed, mean: changed === 0 ? 0 : sum / changed, area }
}
