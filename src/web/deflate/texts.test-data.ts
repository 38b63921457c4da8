/** Texts to pack and unpack: such as are found, and such as are not. */
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'

export function noise(size: number, values = 256): Uint8Array {
  const random = seededRandom(size + values)
  return Uint8Array.from({ length: size }, () => random.integer(values))
}

const WORDS = 'a the of crawler page <p> </p> <a href="/ "> link about 2026 , . \n and that which weaves'.split(' ')

export function prose(size: number): Uint8Array {
  const random = seededRandom(size)
  let text = ''
  while (text.length < size)
    text += WORDS[random.integer(WORDS.length)] + (random.integer(9) === 0 ? random.integer(1e6) : ' ')
  return Buffer.from(text.slice(0, size), 'latin1')
}

/** Bytes in runs, and copies of what came before, near and far: what is found in texts, at any length. */
export const texts = fc
  .array(
    fc.oneof(
      fc.record({ bytes: fc.uint8Array({ maxLength: 300 }) }),
      fc.record({ byte: fc.nat(255), times: fc.nat(700) }),
      fc.record({ back: fc.integer({ min: 1, max: 40_000 }), length: fc.nat(600) }),
      fc.record({ prose: fc.nat(4000) }),
    ),
    { maxLength: 30 },
  )
  .map((steps) => {
    const text: number[] = []
    for (const step of steps) {
      if ('bytes' in step) text.push(...step.bytes)
      else if ('byte' in step) text.push(...Array(step.times).fill(step.byte))
      else if ('prose' in step) text.push(...prose(step.prose))
      else for (let left = step.length; left > 0 && step.back <= text.length; left--) text.push(text.at(-step.back)!)
    }
    return Uint8Array.from(text)
  })
