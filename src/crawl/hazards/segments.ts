/**
 * Folds a path segment or parameter value: digits become `#`, keys, hashes and random text `*`, words stay. Names of
 * months and days count as numbers, because calendars use them so.
 */

const LONGEST = 24
const LONGEST_DATE_WORD = 10
const DATE_WORDS = new Set(
  (
    'january february march april may june july august september october november december ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro ' +
    'enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre ' +
    'janvier fevrier mars avril mai juin juillet aout septembre octobre decembre ' +
    'januar februar maerz juni juli oktober dezember gennaio febbraio aprile maggio giugno luglio settembre ottobre ' +
    'monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun'
  ).split(' '),
)

/** Lengths of date words by first letter, as bits: rules out most words. */
const DATE_LENGTHS = new Uint16Array(128)
for (const word of DATE_WORDS) DATE_LENGTHS[word.charCodeAt(0)] |= 1 << word.length

/** This part of a text is a month or a day of the week, in any case. */
export function isDateWord(text: string, from: number, to: number): boolean {
  const first = text.charCodeAt(from) | 0x20
  if (to - from > LONGEST_DATE_WORD || first >= 128 || ((DATE_LENGTHS[first] >> (to - from)) & 1) === 0) return false
  return DATE_WORDS.has(text.slice(from, to).toLowerCase())
}

export function foldSegment(segment: string): string {
  if (segment === '') return ''
  if (isDateWord(segment, 0, segment.length)) return '#'
  if (looksRandom(segment)) return '*'
  if (segment.length <= LONGEST && isPlain(segment)) return segment
  const cut = segment.length > 4 * LONGEST ? segment.slice(0, 4 * LONGEST) : segment
  return readable(foldDigits(cut)).slice(0, LONGEST)
}

/** Nothing in it needs folding. */
function isPlain(segment: string): boolean {
  for (let at = 0; at < segment.length; at++) {
    const code = segment.charCodeAt(at)
    if (code >= 128 || READABLE[code] === 0 || CLASS[code] === KIND.digit) return false
  }
  return true
}

function foldDigits(text: string): string {
  let folded = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue
    folded += text.slice(from, at) + '#'
    while (at + 1 < text.length && isDigit(text.charCodeAt(at + 1))) at++
    from = at + 1
  }
  return from === 0 ? text : folded + text.slice(from)
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

const READABLE = new Uint8Array(128)
for (let code = 0; code < 128; code++) READABLE[code] = /[\w.~%!$'+,;=:@#-]/.test(String.fromCharCode(code)) ? 1 : 0
const EVERY_UNREADABLE = /[^\w.~%!$'+,;=:@#-]/g

/** Replaces characters that are special in patterns or unreadable by `_`. */
export function readable(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 128 || READABLE[code] === 0) return text.replace(EVERY_UNREADABLE, '_')
  }
  return text
}

/** Folds the last segment but not its extension, which starts at `dot`. */
export function foldLeaf(leaf: string, dot = extensionAt(leaf)): string {
  if (dot < 0) return foldSegment(leaf)
  return foldSegment(leaf.slice(0, dot)) + leaf.slice(dot).toLowerCase()
}

/** The index of the extension's dot; -1 without one. */
export function extensionAt(leaf: string): number {
  const dot = leaf.lastIndexOf('.')
  if (dot <= 0 || leaf.length - dot > 6 || !isLetter(leaf.charCodeAt(dot + 1))) return -1
  for (let at = dot + 2; at < leaf.length; at++) {
    const code = leaf.charCodeAt(at)
    if (!isLetter(code) && !isDigit(code) && code !== 95) return -1
  }
  return dot
}

function isLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 97 && lower <= 122
}

/** Maximum letters of a name with a number. */
const LONGEST_NUMBERED = 10

/**
 * Replaces a name made of words by `{name}`, so that `/wiki/Moth` and `/wiki/Spider` have one pattern. A short word
 * with a number stays: `photo-17.html` is `photo-#.html`.
 */
export function foldName(folded: string, dot = extensionAt(folded)): string {
  const end = dot < 0 ? folded.length : dot
  if (end === 0) return folded
  let numbered = false
  let letters = 0
  for (let at = 0; at < end; at++) {
    const code = folded.charCodeAt(at)
    if (code === 35) numbered = true
    else if (isLetter(code)) letters++
  }
  if (numbered && letters <= LONGEST_NUMBERED) return folded
  if (end === 1 && folded.charCodeAt(0) === 42) return folded
  return dot < 0 ? '{name}' : `{name}${folded.slice(dot)}`
}

const KIND = { other: 0, digit: 1, vowel: 2, consonant: 3 }
const CLASS = new Uint8Array(128)
for (const letter of '0123456789') CLASS[letter.charCodeAt(0)] = KIND.digit
for (const letter of 'bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ') CLASS[letter.charCodeAt(0)] = KIND.consonant
for (const letter of 'aeiouyAEIOUY') CLASS[letter.charCodeAt(0)] = KIND.vowel

/**
 * Not a word of any language: hexadecimal, alternating letters and digits, no vowels. Made-up names that sound like
 * words pass.
 */
export function looksRandom(word: string): boolean {
  if (word.length < 5 || word.length > 200) return word.length > 200
  let hex = true
  let digits = 0
  let letters = 0
  let vowels = 0
  let turns = 0
  let run = 0
  let longestRun = 0
  let before = 0
  let runs = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    const kind = code < 128 ? CLASS[code] : KIND.vowel
    if (kind === KIND.other) {
      // GUIDs have dashes; other words with dashes are judged by their longest part.
      if (code !== 45) hex = false
      runs++
      run = 0
      before = 0
      continue
    }
    if (kind === KIND.digit) digits++
    else letters++
    if (kind === KIND.vowel) vowels++
    if (kind !== KIND.digit && !isHexLetter(code)) hex = false
    const isDigit = kind === KIND.digit ? 1 : 2
    if (before !== 0 && before !== isDigit) turns++
    before = isDigit
    run = kind === KIND.consonant ? run + 1 : 0
    if (run > longestRun) longestRun = run
  }
  if (hex && digits >= 2 && letters >= 1 && digits + letters >= 8) return true
  if (runs > 1) return false
  return (
    turns >= 4 ||
    longestRun >= 6 ||
    (turns >= 2 && letters >= 3 && vowels === 0) ||
    (digits === 0 && vowels === 0 && letters >= 6)
  )
}

function isHexLetter(code: number): boolean {
  const lower = code | 0x20
  return lower >= 97 && lower <= 102
}

/**
 * The class of a UTF-16 unit, as `\p{L}` and `\p{N}` define it, from a table filled on demand (64 KB per thread). A
 * regular expression takes ten times as long.
 */
export const UNKNOWN = 0
export const OTHER = 1
export const LETTER = 2
export const NUMBER = 3
/** Surrogates, and the two letters without a simple lower case: the caller falls back to a slower way. */
export const SPECIAL = 4

const KINDS = new Uint8Array(0x10000)
const LOWER = new Uint16Array(0x10000)

export function kindOf(unit: number): number {
  const kind = KINDS[unit]
  return kind === UNKNOWN ? learn(unit) : kind
}

/** Lower case; only valid after `kindOf`. */
export function lowerOf(unit: number): number {
  return LOWER[unit]
}

/** Lower case has two letters, or depends on the position in a word. */
const PECULIAR = 'İΣ'

function learn(unit: number): number {
  const letter = String.fromCharCode(unit)
  const isWhole = (unit < 0xd800 || unit > 0xdfff) && !PECULIAR.includes(letter)
  const kind = !isWhole ? SPECIAL : /\p{L}/u.test(letter) ? LETTER : /\p{N}/u.test(letter) ? NUMBER : OTHER
  KINDS[unit] = kind
  LOWER[unit] = letter.toLowerCase().charCodeAt(0)
  return kind
}
