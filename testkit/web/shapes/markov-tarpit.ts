/**
 * Mazes made for crawlers: any path answers, with text that nobody wrote and links to more of it. Three makes: one that is
 * slow and babbles, one that is fast, one whose pages look like the articles of a magazine.
 */
import { Draws, draw, drawText } from '../chance.ts'
import { babble, sentence } from '../language.ts'
import type { Shape } from './shape.ts'
import { choice, languageOf, madeUpWord, pick, sheet } from './sheet.ts'

const LONGEST = 2_000

const ROOTS = ['/lib/', '/archive/', '/wp-content/notes/', '/docs/old/', '/articles/']

/** The name of a room: a number as a trail of words. */
function room(seed: number, number: number, root: string): string {
  const draws = new Draws(draw(seed, number, 0x3a3e))
  const steps = Array.from(
    { length: 1 + draws.below(4) },
    () => madeUpWord(draws) + (draws.yes(0.3) ? `-${madeUpWord(draws)}` : ''),
  )
  switch (choice(seed, 3, 3)) {
    case 0:
      return `${root}${steps.join('/')}/`
    case 1:
      return `${root}${steps.join('/')}.html`
    default:
      return `${root}20${10 + draws.below(16)}/${String(1 + draws.below(12)).padStart(2, '0')}/${steps.join('-')}`
  }
}

export const markovTarpit: Shape = {
  entries: (seed) => [room(seed, 0, pick(seed, 1, ROOTS))],
  page(asked, bound, seed) {
    const root = pick(seed, 1, ROOTS)
    if (!asked.startsWith(root) || asked.length > LONGEST || asked.includes('?')) return undefined
    const make = choice(seed, 2, 3)
    const language = languageOf(seed)
    const draws = new Draws(drawText(seed, asked))
    const rooms = Math.max(1, Math.min(bound, 2 ** 32))
    const page = sheet(seed, asked, babble(language, draws, 3 + draws.below(5)), (pen) => {
      const parts = 3 + draws.below(8)
      for (let part = 0; part < parts; part++) {
        if (make === 2 && part % 3 === 0) pen.put(`<h2>${sentence(language, draws, 4 + draws.below(4))}</h2>`)
        const words = 20 + draws.below(80)
        pen.put(`<p>${make === 1 ? babble(language, draws, words) : sentences(language, draws, words)}</p>`)
        for (let door = 1 + draws.below(3); door > 0; door--)
          pen.link(room(seed, draws.bits() % rooms, root), babble(language, draws, 2 + draws.below(3)))
      }
    })
    return make === 0 ? { ...page, misbehaves: 'slow' } : page
  },
}

function sentences(language: ReturnType<typeof languageOf>, draws: Draws, words: number): string {
  let text = ''
  for (let left = words; left > 0; left -= 12) text += `${babble(language, draws, 6 + draws.below(12))} `
  return text
}
