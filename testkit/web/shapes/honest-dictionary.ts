/** A dictionary: 140 words, a page each, most of them shorter than what stands round them. */
import type { Shape } from './shape.ts'
import { choice, realSheet, slug } from './sheet.ts'

const ENTRIES = 140

export const honestDictionary: Shape = {
  entries: () => ['/dictionary/'],
  page(asked, _, seed) {
    const words = wordsOf(seed)
    const entry = (word: string) => (choice(seed, 1, 2) === 0 ? `/word/${word}` : `/define?word=${word}`)
    if (asked === '/dictionary/') {
      return realSheet(seed, asked, 'Dictionary', (pen) => {
        for (let i = 0; i < words.length; i += 7) pen.link(entry(words[i]), words[i])
        pen.prose(asked, 1)
      })
    }
    const at = words.findIndex((word) => asked === entry(word))
    if (at < 0) return undefined
    return realSheet(seed, asked, words[at], (pen) => {
      pen.put(`<p><i>n.</i> ${pen.line(`meaning ${at}`, 6 + (at % 11))}</p>`)
      for (const other of [at - 1, at + 1]) if (words[other] !== undefined) pen.link(entry(words[other]), words[other])
      pen.put(`<p>${pen.line('licence', 30)}</p>`)
    })
  },
}

let kept: { seed: number; words: string[] } | undefined

/** Sorted once for each site in turn: a page asks for all of them. */
function wordsOf(seed: number): string[] {
  if (kept?.seed !== seed) {
    const words = Array.from({ length: ENTRIES }, (_, i) => slug(seed, 3_000 + i, 1))
    kept = { seed, words: [...new Set(words)].sort() }
  }
  return kept.words
}
