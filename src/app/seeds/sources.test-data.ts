/** Bytes as a file hands them over, in pieces of any size. */
import { type Chunks, Damaged, type Found, type Line } from './input.ts'

export async function* chunksOf(bytes: Uint8Array | string, size = 1000): Chunks {
  const all = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

export async function all(found: AsyncIterable<readonly Found[]>): Promise<{ found: Found[]; damage?: string }> {
  const list: Found[] = []
  try {
    for await (const some of found) list.push(...some)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    return { found: list, damage: error.message }
  }
  return { found: list }
}

export const brief = (found: Found): string => {
  if (found.kind === 'note') return `note ${found.what}`
  if (found.kind === 'refused') return `${found.at} refused ${found.text}: ${found.why}`
  return `${found.at} ${found.path === undefined ? '' : `${found.path} `}${found.url.href}`
}

export const line = (text: string, number = 2): Line => ({ number, text, isTooLong: false })
