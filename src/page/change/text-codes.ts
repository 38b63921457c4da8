/**
 * The paper's text codes (Y8). They follow from its printed texts when bytes are read as a C program of 2007 on Windows
 * read them: cp1252, signed, and the end of the file as one more character of value −1. Decision 0010.
 */

/** What cp1252 has in place of the controls 0x80 to 0x9f. */
const HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const signed = new Map([...HIGH].map((character, i) => [character.charCodeAt(0), i - 128]))

/** Of any number of pieces of text, together. */
export class TextCode {
  /** Of signed bytes, and of their squares. */
  sum = 0
  squares = 0
  count = 0
  readonly #seen = new Uint8Array(128)
  #distinct = 0

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 128) this.#byte(code)
      else if (signed.has(code)) this.#byte(signed.get(code) as number)
      else if (code > 0x9f && code < 0x100) this.#byte(code - 256)
      else this.#utf8(code)
    }
  }

  /**
   * A character that cp1252 lacks counts as its bytes in UTF-8, each half of a surrogate pair for itself: no two
   * letters are alike.
   */
  #utf8(code: number): void {
    if (code >= 0x800) this.#byte((0xe0 | (code >> 12)) - 256)
    this.#byte((code >= 0x800 ? 0x80 | ((code >> 6) & 0x3f) : 0xc0 | (code >> 6)) - 256)
    this.#byte((0x80 | (code & 0x3f)) - 256)
  }

  #byte(value: number): void {
    this.sum += value
    this.squares += value * value
    this.count++
    if (value >= 0 && this.#seen[value] === 0) {
      this.#seen[value] = 1
      this.#distinct++
    }
  }

  /** The sums and codes, with the end of the file counted; codes as 32-bit floats, as printed. */
  finish(): TextCodes {
    const sum = this.sum - 1
    const distinct = this.#distinct
    const squares = this.squares + 1
    const characters = this.count + 1
    const codeI = distinct === 0 ? 0 : Math.fround(sum / distinct)
    return { sum, squares, characters, distinct, codeI, codeII: codeII(squares, characters) }
  }
}

export interface TextCodes {
  sum: number
  squares: number
  /** With the end of the file. */
  characters: number
  /** Values that are not negative. */
  distinct: number
  /** Σ(frequency × value) / distinct values. */
  codeI: number
  /** √Σ value² / characters; the paper calls it a root mean square, and its printed codes are this. */
  codeII: number
}

export function codeII(squares: number, characters: number): number {
  return Math.fround(Math.sqrt(squares) / characters)
}

export function textCodes(text: string): TextCodes {
  const code = new TextCode()
  code.add(text)
  return code.finish()
}
