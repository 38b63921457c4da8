/** A register in sixty pages, twenty entries on each, that ends where it ends. */
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, slug } from './sheet.ts'

const PAGES = 60
const ENTRIES = 20

export const honestListing: Shape = {
  entries: (seed) => [path(seed, 1)],
  page(asked, _, seed) {
    const digits = readNumber(/(\d+)\/?$/.exec(asked)?.[1], 10_000) ?? 0
    const number = asked.includes('start=') ? digits / ENTRIES + 1 : digits
    if (!Number.isInteger(number) || number < 1 || number > PAGES || path(seed, number) !== asked) return undefined
    return realSheet(seed, asked, `Register, page ${number}`, (pen) => {
      for (let entry = 0; entry < ENTRIES; entry++) {
        const key = `${number} ${entry}`
        pen.put(`<p><b>${slug(seed, number * ENTRIES + entry, 2)}</b> ${pen.line(key, 12)}</p>`)
      }
      for (const other of [1, number - 1, number + 1, PAGES])
        if (other !== number && other >= 1 && other <= PAGES) pen.link(path(seed, other), `${other}`)
    })
  },
}

function path(seed: number, number: number): string {
  switch (choice(seed, 1, 3)) {
    case 0:
      return `/register?page=${number}`
    case 1:
      return `/register/page/${number}/`
    default:
      return `/register.php?start=${(number - 1) * ENTRIES}`
  }
}
