/**
 * A host that knows no "not found": it repeats the name that was asked for and proposes others, or moves the reader to an
 * error page that carries the name, or shows its start page. Its own pages link to names that it once had.
 */
import { Draws, drawText } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, escapeHtml, madeUpWord, sheet } from './sheet.ts'

const LONGEST = 4_000

export const soft404Echo: Shape = {
  entries: (seed) => Array.from({ length: 4 }, (_, i) => `/old/${madeUpWord(new Draws(drawText(seed, `${i}`)))}.html`),
  swallowsMissing: true,
  page(asked, bound, seed) {
    if (asked.length > LONGEST) return undefined
    const way = choice(seed, 1, 3)
    const error = '/error.aspx?aspxerrorpath='
    if (way === 1 && !asked.startsWith(error))
      return { targets: [], words: 'moved', status: 302, to: error + encodeURIComponent(asked) }
    const draws = new Draws(drawText(seed, asked))
    const other = () => `/old/${proposal(draws, bound, seed)}.html`
    if (way === 2) {
      // The same start page, whatever was asked for; only what it proposes changes.
      return sheet(seed, asked, 'Welcome', (pen) => {
        pen.prose('welcome', 3)
        pen.link(other(), 'Last read')
      })
    }
    return sheet(seed, asked, 'Nothing found', (pen) => {
      pen.put(`<p>${pen.line('sorry', 8)} <b>${escapeHtml(decode(asked))}</b> ${pen.line('gone', 12)}</p>`)
      pen.link(other(), 'Did you mean')
      pen.link(`/search/${proposal(draws, bound, seed)}`, 'Search')
    })
  },
}

function proposal(draws: Draws, bound: number, seed: number): string {
  if (bound === Number.POSITIVE_INFINITY) return `${madeUpWord(draws)}-${madeUpWord(draws)}`
  return madeUpWord(new Draws(drawText(seed, `${draws.below(bound)}`)))
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
