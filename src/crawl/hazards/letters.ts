/**
 * What kind of letter a UTF-16 unit is, as `\p{L}` and `\p{N}` have it, looked up instead of asked: a title or a path is read
 * letter by letter, once, and a regular expression takes ten times as long for it. Filled as letters are met; 64 KB a thread.
 */
export const UNKNOWN = 0
export const OTHER = 1
export const LETTER = 2
export const NUMBER = 3
/** Half of a letter beyond 16 bits, and the two that have no lower case of their own: whoever meets one takes the slow way. */
export const HALF = 4

const KINDS = new Uint8Array(0x10000)
const LOWER = new Uint16Array(0x10000)

export function kindOf(unit: number): number {
  const kind = KINDS[unit]
  return kind === UNKNOWN ? learn(unit) : kind
}

/** In lower case; of a letter whose kind was asked for. */
export function lowerOf(unit: number): number {
  return LOWER[unit]
}

/** In lower case it is two letters, or another at the end of a word. */
const PECULIAR = 'İΣ'

function learn(unit: number): number {
  const letter = String.fromCharCode(unit)
  const isWhole = (unit < 0xd800 || unit > 0xdfff) && !PECULIAR.includes(letter)
  const kind = !isWhole ? HALF : /\p{L}/u.test(letter) ? LETTER : /\p{N}/u.test(letter) ? NUMBER : OTHER
  KINDS[unit] = kind
  LOWER[unit] = letter.toLowerCase().charCodeAt(0)
  return kind
}
