/** Results of searches as pages to be found, each proposing longer searches: every order of every choice of words. */
import { Draws, drawText } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, madeUpWord, sheet } from './sheet.ts'

const LONGEST = 1_000
const WORDS = 40

const SPELLINGS: readonly { path(words: readonly string[]): string; read: RegExp; by: string }[] = [
  { path: (words) => `/search?q=${words.join('+')}`, read: /^\/search\?q=([a-z+]+)$/, by: '+' },
  { path: (words) => `/tag/${words.join('-')}/`, read: /^\/tag\/([a-z-]+)\/$/, by: '-' },
  { path: (words) => `/find/${words.join('/')}`, read: /^\/find\/([a-z/]+)$/, by: '/' },
]

const word = (seed: number, number: number) => madeUpWord(new Draws(drawText(seed, `word ${number}`)))

export const searchSpiral: Shape = {
  entries: (seed) => [SPELLINGS[choice(seed, 1, SPELLINGS.length)].path([word(seed, 0)])],
  page(asked, bound, seed) {
    const { path, read, by } = SPELLINGS[choice(seed, 1, SPELLINGS.length)]
    const match = read.exec(asked)
    if (match === null || asked.length > LONGEST) return undefined
    const words = match[1].split(by)
    const draws = new Draws(drawText(seed, asked))
    const bounded = bound !== Number.POSITIVE_INFINITY
    const stock = bounded ? Math.max(1, Math.min(WORDS, bound)) : WORDS
    return sheet(seed, asked, words.join(' '), (pen) => {
      for (let result = 0; result < 4; result++) {
        const one = words[draws.below(words.length)]
        pen.put(`<p><b>${one}</b> ${pen.line(`${one} ${draws.below(3)}`, 20)}</p>`)
      }
      for (let i = 0; i < 6; i++) {
        const other = word(seed, draws.below(stock))
        if (bounded) pen.link(path([other]), other)
        else pen.link(path([...words.slice(draws.yes(0.3) ? 1 : 0), other]), `${words.join(' ')} ${other}`)
      }
    })
  },
}
