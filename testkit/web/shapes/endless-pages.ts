/** A list in pages that knows no last one: beyond it the last is shown again, or the first, or nothing, and always a link to the next. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, sheet, slug } from './sheet.ts'

const PAGES = 6
const PER_PAGE = 8

const SPELLINGS: readonly ((number: number) => string)[] = [
  (number) => (number === 1 ? '/news' : `/news?page=${number}`),
  (number) => (number === 1 ? '/news/' : `/news/page/${number}/`),
  (number) => (number === 1 ? '/news.php' : `/news.php?start=${(number - 1) * PER_PAGE}`),
]

export const endlessPages: Shape = {
  entries: (seed) => [SPELLINGS[choice(seed, 1, 3)](1)],
  page(asked, bound, seed) {
    const spell = SPELLINGS[choice(seed, 1, 3)]
    const item = (number: number) => `/story/${slug(seed, number)}-${number}.html`
    const story = readNumber(/^\/story\/[a-z-]+-(\d+)\.html$/.exec(asked)?.[1], PAGES * PER_PAGE - 1)
    if (story !== undefined && asked === item(story)) {
      return realSheet(seed, asked, slug(seed, story), (pen) => {
        pen.prose(asked, 3)
        pen.link(item((draw(seed, story) >>> 3) % (PAGES * PER_PAGE)))
      })
    }
    const digits = readNumber(/(\d+)\/?$/.exec(asked)?.[1] ?? '1', 1e8) ?? 0
    const number = asked.startsWith('/news.php?') ? digits / PER_PAGE + 1 : digits
    if (!Number.isInteger(number) || number < 1 || number > PAGES + bound || spell(number) !== asked) return undefined
    const way = choice(seed, 2, 3)
    const shown = number <= PAGES ? number : way === 0 ? PAGES : way === 1 ? 1 : 0
    const page = sheet(seed, asked, 'News', (pen) => {
      for (let i = (shown - 1) * PER_PAGE; shown > 0 && i < shown * PER_PAGE; i++)
        pen.link(item(i), pen.line(item(i), 12))
      if (shown === 0) pen.put(`<p>${pen.line('no results', 7)}</p>`)
      for (const other of [1, number - 1, number + 1, number + 2])
        if (other > 0 && other !== number && other <= PAGES + bound) pen.link(spell(other), `${other}`)
    })
    if (number <= PAGES) return { ...page, sort: 'real' }
    return shown === 0 ? page : { ...page, shows: spell(shown) }
  },
}
