/** What characters and words are to the text of a page: tables for `assembly/` and `fold-plainly.ts`. */

/**
 * Names of months and days in en, pt, es, de, fr, it: in a page's shape they are numbers. Short ones that are common
 * words (`set`, `out`, `sun`, `mar` …) are left out where a language would lose more than calendars gain.
 */
const NAMES = `
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct
nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri
janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro fev abr ago dez
segunda terça terca quarta quinta sexta sábado sabado domingo feira
enero febrero marzo mayo junio julio septiembre setiembre octubre noviembre diciembre ene dic lunes martes miércoles miercoles
jueves viernes
januar februar märz juni juli oktober dezember jänner okt montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
janvier février fevrier mars avril juin juillet août aout septembre octobre novembre décembre decembre janv févr avr juil déc
lundi mardi mercredi jeudi vendredi samedi dimanche
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug ott lunedì martedì mercoledì giovedì
venerdì sabato domenica`

/** Their hashes, as in `assembly/words.ts`. */
export function dateWords(): number[] {
  return NAMES.trim().split(/\s+/).map(wordHash)
}

/** One bit for each of the 16,384 remainders, and each hash in the first free slot from its remainder on. */
export function placeDateWords(remainders: Int32Array, slots: Int32Array): void {
  for (const hash of dateWords()) {
    remainders[(hash >>> 5) & 511] |= 1 << hash
    let slot = hash & (slots.length - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = hash
  }
}

export function wordHash(word: string): number {
  let hash = 0
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    hash = (Math.imul(hash, 65599) + (code < 256 ? code | 0x20 : code)) | 0
  }
  return hash
}

/** The role of each character in text. `assembly/kinds.ts` computes most of it without this table. */

export const KIND = {
  /** Part of a word; the default. */
  letter: 0,
  /** Part of a word, like letters; texts that differ only in digits have the same shape. */
  digit: 1,
  /** Visible, but not in a word. */
  mark: 2,
  /** A word by itself: scripts written without spaces. */
  glyph: 3,
  /** Folded: a run of it is one space. */
  white: 4,
  /** Invisible: left out. */
  nothing: 5,
} as const

const RANGES: [kind: number, from: number, to: number][] = [
  [KIND.white, 0x00, 0x20], // controls too, so that text holds none
  [KIND.mark, 0x21, 0x2f],
  [KIND.digit, 0x30, 0x39],
  [KIND.mark, 0x3a, 0x40],
  [KIND.mark, 0x5b, 0x60],
  [KIND.mark, 0x7b, 0x7e],
  [KIND.white, 0x7f, 0xa0],
  [KIND.mark, 0xa1, 0xa9],
  [KIND.mark, 0xab, 0xb4],
  [KIND.nothing, 0xad, 0xad], // soft hyphen
  [KIND.mark, 0xb6, 0xb9],
  [KIND.mark, 0xbb, 0xbf],
  [KIND.mark, 0xd7, 0xd7],
  [KIND.mark, 0xf7, 0xf7],
  [KIND.glyph, 0x0e00, 0x0fff], // Thai, Lao, Tibetan
  [KIND.glyph, 0x1000, 0x109f], // Myanmar
  [KIND.glyph, 0x1361, 0x1361], // Ethiopic's word space, which is seen
  [KIND.white, 0x1680, 0x1680],
  [KIND.glyph, 0x1780, 0x17ff], // Khmer
  [KIND.glyph, 0x1950, 0x19df], // Tai Le, New Tai Lue
  [KIND.glyph, 0x1a20, 0x1aaf], // Tai Tham
  [KIND.glyph, 0x1b00, 0x1b7f], // Balinese
  [KIND.white, 0x2000, 0x200a],
  [KIND.nothing, 0x200b, 0x200b],
  [KIND.nothing, 0x200e, 0x200f],
  [KIND.mark, 0x2010, 0x2027],
  [KIND.white, 0x2028, 0x2029],
  [KIND.nothing, 0x202a, 0x202e],
  [KIND.white, 0x202f, 0x202f],
  [KIND.mark, 0x2030, 0x205e],
  [KIND.white, 0x205f, 0x205f],
  [KIND.nothing, 0x2060, 0x2064],
  [KIND.mark, 0x2190, 0x2bff], // arrows, shapes
  [KIND.glyph, 0x2e80, 0xa4cf], // Han, Kana, Yi (Hangul has spaces)
  [KIND.white, 0x3000, 0x3000],
  [KIND.mark, 0x3001, 0x3003],
  [KIND.mark, 0x3008, 0x3020],
  [KIND.glyph, 0xa980, 0xa9ff], // Javanese, Myanmar
  [KIND.glyph, 0xaa60, 0xaa7f],
  [KIND.glyph, 0xf900, 0xfaff],
  [KIND.nothing, 0xfeff, 0xfeff],
  [KIND.glyph, 0xff00, 0xffef], // full and half width
]

/** By UTF-16 code unit. */
export function kindsOfCharacters(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  for (const [kind, from, to] of RANGES) kinds.fill(kind, from, to + 1)
  return kinds
}
