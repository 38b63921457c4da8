/** A forum whose threads go on for pages (`start=15`), with posts that people wrote. */
import type { Shape } from './shape.ts'
import { choice, readNumber, readPath, realSheet, slug } from './sheet.ts'

const THREADS = 16
const PER_PAGE = 15

const pagesOf = (seed: number, thread: number) => 1 + choice(seed, 20 + thread, 10)
const path = (thread: number, page: number) =>
  `/forum/viewtopic.php?f=${1 + (thread % 3)}&t=${thread}${page === 0 ? '' : `&start=${page * PER_PAGE}`}`

export const honestForum: Shape = {
  entries: () => ['/forum/'],
  page(asked, _, seed) {
    if (asked === '/forum/') {
      return realSheet(seed, asked, 'Forum', (pen) => {
        for (let thread = 0; thread < THREADS; thread++) {
          pen.put(`<p>${pen.line(`thread ${thread}`, 7)}</p>`)
          for (let number = 0; number < Math.min(3, pagesOf(seed, thread)); number++)
            pen.link(path(thread, number), `${number + 1}`)
        }
      })
    }
    const { parameters } = readPath(asked)
    const thread = readNumber(parameters[1]?.[1], THREADS - 1)
    const start = readNumber(parameters[2]?.[1] ?? '0', 1_000)
    if (thread === undefined || start === undefined || path(thread, start / PER_PAGE) !== asked) return undefined
    const number = start / PER_PAGE
    if (number >= pagesOf(seed, thread)) return undefined
    return realSheet(seed, asked, `Thread ${thread}`, (pen) => {
      for (let post = 0; post < PER_PAGE; post++) {
        const key = `${thread} ${number} ${post}`
        pen.put(
          `<div class="post"><b>${slug(seed, post * 7 + thread, 1)}</b><p>${pen.line(key, 8 + ((post * 5) % 30))}</p></div>`,
        )
      }
      for (const other of [number - 1, number + 1])
        if (other >= 0 && other < pagesOf(seed, thread)) pen.link(path(thread, other))
      pen.link('/forum/', 'Index')
    })
  },
}
