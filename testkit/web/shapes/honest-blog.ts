/** A blog by date: seventy posts, archives by month and by page, tags. Dates only go one way, templates are alike, words are its own. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, slug } from './sheet.ts'

const POSTS = 70
const PER_PAGE = 10
const TAGS = ['life', 'travel', 'code', 'food', 'music']
const DAY = 86_400_000

/** Posts some days apart, the first in 2019. */
const dateOf = (seed: number, number: number) => {
  const day = number * 11 + (draw(seed, number, 0xb10) % 9)
  return new Date(Date.UTC(2019, choice(seed, 1, 12), 1) + day * DAY).toISOString().slice(0, 10)
}

export const honestBlog: Shape = {
  entries: () => ['/blog/'],
  page(asked, _, seed) {
    const all = Array.from({ length: POSTS }, (_, number) => number)
    const post = (number: number) => `/${dateOf(seed, number).replaceAll('-', '/')}/${slug(seed, number)}/`
    const month = (number: number) => `/${dateOf(seed, number).slice(0, 7).replace('-', '/')}/`
    const tag = (number: number) => `/tag/${TAGS[draw(seed, number, 0x7a6) % TAGS.length]}/`
    const own = all.find((number) => asked === post(number))
    if (own !== undefined) {
      return realSheet(seed, asked, slug(seed, own).replaceAll('-', ' '), (pen) => {
        pen.put(`<p>${dateOf(seed, own)}</p>`)
        pen.prose(asked, 2 + (own % 3))
        for (const other of [own - 1, own + 1]) if (all.includes(other)) pen.link(post(other))
        pen.link(tag(own))
        pen.link(month(own))
      })
    }
    const number = asked === '/blog/' ? 1 : readNumber(/^\/blog\/page\/(\d+)\/$/.exec(asked)?.[1], POSTS / PER_PAGE)
    const listed =
      number !== undefined && number > (asked === '/blog/' ? 0 : 1)
        ? all.slice((number - 1) * PER_PAGE, number * PER_PAGE)
        : all.filter((one) => asked === month(one) || asked === tag(one))
    if (listed.length === 0) return undefined
    return realSheet(seed, asked, asked, (pen) => {
      for (const one of listed) {
        pen.put(`<h2>${slug(seed, one)}</h2><p>${pen.line(`excerpt ${one}`, 25)}</p>`)
        pen.link(post(one), 'Continue')
      }
      if (number === undefined) return
      if (number < POSTS / PER_PAGE) pen.link(`/blog/page/${number + 1}/`, 'Older')
      pen.link(number <= 2 ? '/blog/' : `/blog/page/${number - 1}/`, 'Newer')
    })
  },
}
