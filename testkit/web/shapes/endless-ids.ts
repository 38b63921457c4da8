/** A page for every number there is (of telephones, of addresses, of nothing), each alike but for the number, each with its neighbours. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, sheet } from './sheet.ts'

const MAX = 999_999_999

interface Kind {
  path(number: number): string
  read: RegExp
  title: string
}

const KINDS: readonly Kind[] = [
  { path: (number) => `/phone/0${30_000_000 + number}`, read: /^\/phone\/0(\d{8,10})$/, title: 'Who called from' },
  { path: (number) => `/lookup.php?n=${number}`, read: /^\/lookup\.php\?n=(\d+)$/, title: 'Facts about' },
  { path: (number) => `/node/${number}/view.html`, read: /^\/node\/(\d+)\/view\.html$/, title: 'Node' },
]

export const endlessIds: Shape = {
  entries: (seed) => [KINDS[choice(seed, 1, KINDS.length)].path(start(seed))],
  page(asked, bound, seed) {
    const { path, read, title } = KINDS[choice(seed, 1, KINDS.length)]
    const digits = readNumber(read.exec(asked)?.[1], MAX)
    if (digits === undefined) return undefined
    const number = asked.startsWith('/phone/') ? digits - 30_000_000 : digits
    const first = start(seed)
    const end = first + Math.min(bound, MAX)
    if (number < first || number > end || path(number) !== asked) return undefined
    const next = [number + 1, number + 10, number + 1000, first + (draw(seed, number) % 1e7)]
    return sheet(seed, asked, `${title} ${number}`, (pen) => {
      pen.put(`<p>${pen.line('intro', 25)} ${number}. ${pen.line('more', 18)} ${draw(seed, number) % 900}.</p>`)
      pen.put(`<table><tr><td>${number % 97}</td><td>${number % 13}</td><td>${number * 2}</td></tr></table>`)
      pen.prose('about', 1)
      for (const other of next) if (other <= end && other !== number) pen.link(path(other), `${other}`)
    })
  },
}

const start = (seed: number) => 1000 + choice(seed, 2, 500)
