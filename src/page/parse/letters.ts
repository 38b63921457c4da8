/** The characters that matter in HTML's grammar. */

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
