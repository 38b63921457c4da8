/** What `text.ts` asks for: text is begun, runs are added as they queue up in memory, and what came of it lies in `RESULT`. */
import { characters, finishDigest } from './digest'
import { addRun, beginText, data, endText, isCut, leftOut, strings, textLength, words } from './fold'
import { hashLines, lines } from './lines'
import { RESULT, RUNS, TEXT } from './memory'
import { finishWords, shape, simhash } from './words'

export { LINES, MAX_LINES } from './lines'

export {
  ASIDE,
  ASIDE_AT,
  DATE_BITS,
  DATE_SLOTS,
  DATES,
  KIND_OF,
  MAX_RUNS,
  MAX_TEXT,
  PIECE,
  RESULT,
  RUNS,
  TEXT,
  WINDOW,
  WINDOW_AT,
} from './memory'
export { BINS, MINIMA } from './words'

export function begin(most: i32): void {
  beginText(most)
}

/** Folds the waiting `runs`, and returns how long the text is now. */
export function add(runs: i32): i32 {
  for (let i = 0; i < runs; i++) {
    const run = load<u32>(RUNS + 8 * i)
    addRun(run >>> 2, load<i32>(RUNS + 8 * i, 4), run & 3)
  }
  return textLength()
}

export function finish(): void {
  endText()
  finishWords()
  hashLines(TEXT, TEXT + 2 * textLength())
  store<u64>(RESULT, finishDigest())
  store<u64>(RESULT, simhash(), 8)
  store<u64>(RESULT, shape(), 16)
  store<i32>(RESULT, textLength(), 24)
  store<i32>(RESULT, words, 28)
  store<i32>(RESULT, leftOut, 32)
  store<i32>(RESULT, strings, 36)
  store<i32>(RESULT, characters - data, 40)
  store<i32>(RESULT, isCut as i32, 44)
  store<i32>(RESULT, lines, 48)
}
