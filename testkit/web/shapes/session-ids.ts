/** A shop that gives every page a new session id, so that each of its few articles has ever new URLs and the same content. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'

const ARTICLES = 5

const path = (seed: number, session: number, article: number) =>
  `/shop/?article=${article}&sid=${draw(seed, session, article, 0x5e55).toString(16).padStart(8, '0')}${session.toString(16)}`

export const sessionIds: Shape = {
  entries: () => ['/shop/'],
  page(asked, bound, seed) {
    if (asked === '/shop/') return { targets: pages(seed, 1), words: 'shop', sort: 'real' }
    const match = /^\/shop\/\?article=(\d)&sid=[0-9a-f]{8}([0-9a-f]{1,8})$/.exec(asked)
    if (match === null) return undefined
    const article = Number(match[1])
    const session = Number.parseInt(match[2], 16)
    if (path(seed, session, article) !== asked || session * ARTICLES > bound) return undefined
    return {
      shows: `/shop/?article=${article}`,
      targets: (session + 1) * ARTICLES > bound ? [] : pages(seed, session + 1),
      words: `article ${article}`,
    }
  },
}

function pages(seed: number, session: number): string[] {
  return Array.from({ length: ARTICLES }, (_, article) => path(seed, session, article))
}
