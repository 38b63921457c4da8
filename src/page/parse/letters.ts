/** The characters that matter in HTML's grammar, and the commonest references. */

export const TAB = 9
export const LF = 10
export const FF = 12
export const CR = 13
export const SPACE = 32
export const BANG = 33
export const DOUBLE_QUOTE = 34
export const SINGLE_QUOTE = 39
export const DASH = 45
export const SLASH = 47
export const LESS = 60
export const EQUALS = 61
export const GREATER = 62
export const QUESTION = 63

/** HTML's white space, with CR: the standard makes it LF before tokenizing, we do so only when a text is asked for. */
export function isSpace(code: number): boolean {
  return code <= SPACE && (code === SPACE || code === LF || code === TAB || code === CR || code === FF)
}

export function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 97 && lower <= 122
}

/** What may follow the name of a tag. */
export function endsTagName(code: number): boolean {
  return code <= GREATER && (code === GREATER || code === SLASH || isSpace(code))
}

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code | 0x20 : code
}

/** Whether `input` has `word` (given in lower case) at `at`, in any case. */
export function reads(input: string, at: number, word: string): boolean {
  if (at + word.length > input.length) return false
  for (let i = 0; i < word.length; i++) {
    if (lowerCase(input.charCodeAt(at + i)) !== word.charCodeAt(i)) return false
  }
  return true
}

/** The commonest references, recognised without making a string. */

const HASH = 35
const ZERO = 48
const SEMICOLON = 59
const NAMES: readonly (readonly [code: number, rest: string])[] = [
  [38, 'amp;'],
  [160, 'nbsp;'],
  [60, 'lt;'],
  [62, 'gt;'],
  [34, 'quot;'],
]
/** From here up to the surrogates, a number is the character's own code. */
const MIN_NUMBER = 160
const MAX_DIGITS = 5
const SURROGATES = 0xd800

/**
 * The character of the reference at `at`, and above its 16 bits the length of the reference; 0 when it is a rarer one,
 * or none: then the decoder must look. With its `;` a reference means the same whatever follows.
 */
export function commonReference(input: string, at: number): number {
  if (at + 1 >= input.length) return 0
  if (input.charCodeAt(at + 1) === HASH) return decimal(input, at + 2)
  for (const [code, rest] of NAMES) {
    if (stands(input, at + 1, rest)) return code | ((rest.length + 1) << 16)
  }
  return 0
}

function stands(input: string, at: number, word: string): boolean {
  if (at + word.length > input.length) return false
  for (let i = 0; i < word.length; i++) if (input.charCodeAt(at + i) !== word.charCodeAt(i)) return false
  return true
}

function decimal(input: string, from: number): number {
  let number = 0
  for (let i = 0; i <= MAX_DIGITS && from + i < input.length; i++) {
    const code = input.charCodeAt(from + i)
    if (code === SEMICOLON) return number >= MIN_NUMBER && number < SURROGATES ? number | ((i + 3) << 16) : 0
    const digit = code - ZERO
    if (digit < 0 || digit > 9) return 0
    number = number * 10 + digit
  }
  return 0
}
