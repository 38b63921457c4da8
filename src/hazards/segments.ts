/**
 * One segment of a path, or one value of a parameter, as its pattern has it: digits are `#`, what looks like a key, a hash or
 * a throw of dice is `*`, words stay. Names of months and days count as numbers, because calendars write them so.
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

/** A month or a day of the week, in lower case. */
export function isDateWord(word: string): boolean {
  return DATE_WORDS.has(word)
}

const DIGITS = /\d+/g

export function foldSegment(segment: string): string {
  if (segment === '') return ''
  if (segment.length <= LONGEST_DATE_WORD && isDateWord(segment.toLowerCase())) return '#'
  if (looksRandom(segment)) return '*'
  const cut = segment.length > 4 * LONGEST ? segment.slice(0, 4 * LONGEST) : segment
  return readable(cut.replace(DIGITS, '#')).slice(0, LONGEST)
}

const UNREADABLE = /[^\w.~%!$'+,;=:@#-]/
const EVERY_UNREADABLE = /[^\w.~%!$'+,;=:@#-]/g

/** A letter that means something in patterns, or nothing to people, is `_`. */
export function readable(text: string): string {
  return UNREADABLE.test(text) ? text.replace(EVERY_UNREADABLE, '_') : text
}

/** The last segment: as any other, with its extension as it is. */
export function foldLeaf(leaf: string): string {
  const dot = leaf.lastIndexOf('.')
  if (dot <= 0 || leaf.length - dot > 6 || !EXTENSION.test(leaf.slice(dot + 1))) return foldSegment(leaf)
  return foldSegment(leaf.slice(0, dot)) + leaf.slice(dot).toLowerCase()
}

const EXTENSION = /^[A-Za-z]\w*$/

/**
 * A folded last segment where every page has its own: a name of words is `{name}`, so that `/wiki/Moth` and `/wiki/Spider`
 * are one pattern. A short word before a number stays: `photo-17.html` is `photo-#.html`.
 */
export function foldName(folded: string): string {
  const dot = folded.lastIndexOf('.')
  const isExtension = dot > 0 && folded.length - dot <= 6 && EXTENSION.test(folded.slice(dot + 1))
  const name = isExtension ? folded.slice(0, dot) : folded
  if (name === '' || name === '*' || name === '#') return folded
  const numbered = name.includes('#') && name.replace(/[^A-Za-z]+/g, '').length <= 10
  return numbered ? folded : `{name}${isExtension ? folded.slice(dot) : ''}`
}

const KIND = { other: 0, digit: 1, vowel: 2, consonant: 3 }
const CLASS = new Uint8Array(128)
for (const letter of '0123456789') CLASS[letter.charCodeAt(0)] = KIND.digit
for (const letter of 'bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ') CLASS[letter.charCodeAt(0)] = KIND.consonant
for (const letter of 'aeiouyAEIOUY') CLASS[letter.charCodeAt(0)] = KIND.vowel

/** No language's word: hexadecimal, letters and digits in turn, no vowels. Machines also make names that sound like words; those pass. */
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
      // A dash inside a GUID; other words with dashes are judged by their longest part.
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
