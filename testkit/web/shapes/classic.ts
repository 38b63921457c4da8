/** The oldest tricks: short, and bounded like all others by the number of pages that a test allows. */
import { draw } from '../chance.ts'
import type { Misbehaviour, Shape } from './shape.ts'

const THIS_MONTH = 2026 * 12

const monthPath = (month: number) => `/calendar?year=${Math.floor(month / 12)}&month=${(month % 12) + 1}`

/** A calendar with a page for every month, before and after, each linking to its neighbours. */
export const calendar: Shape = {
  entries: () => [monthPath(THIS_MONTH)],
  page(asked, bound) {
    const match = /^\/calendar\?year=(\d{1,6})&month=(\d{1,2})$/.exec(asked)
    if (match === null) return undefined
    const month = Number(match[1]) * 12 + Number(match[2]) - 1
    if (monthPath(month) !== asked || Math.abs(month - THIS_MONTH) > bound / 2) return undefined
    const targets = [month - 1, month + 1, month + 12].filter((other) => Math.abs(other - THIS_MONTH) <= bound / 2)
    return { targets: targets.map(monthPath), words: asked, sort: month === THIS_MONTH ? 'neither' : 'trap' }
  },
}

const ARTICLES = 5

const articlePath = (seed: number, session: number, article: number) =>
  `/shop/?article=${article}&sid=${draw(seed, session, article, 0x5e55).toString(16).padStart(8, '0')}${session.toString(16)}`

/** A shop that gives every page a new session id, so that each of its few articles has ever new URLs and the same content. */
export const sessionIds: Shape = {
  entries: () => ['/shop/'],
  page(asked, bound, seed) {
    if (asked === '/shop/') return { targets: articlesOf(seed, 1), words: 'shop', sort: 'real' }
    const match = /^\/shop\/\?article=(\d)&sid=[0-9a-f]{8}([0-9a-f]{1,8})$/.exec(asked)
    if (match === null) return undefined
    const article = Number(match[1])
    const session = Number.parseInt(match[2], 16)
    if (articlePath(seed, session, article) !== asked || session * ARTICLES > bound) return undefined
    return {
      shows: `/shop/?article=${article}`,
      targets: (session + 1) * ARTICLES > bound ? [] : articlesOf(seed, session + 1),
      words: `article ${article}`,
    }
  },
}

function articlesOf(seed: number, session: number): string[] {
  return Array.from({ length: ARTICLES }, (_, article) => articlePath(seed, session, article))
}

/** Servers refuse longer ones. */
const LONGEST_PATH = 8_000

/** A relative link that a careless server answers at any depth: /a/a/a/… */
export const growingPath: Shape = {
  entries: () => ['/a/'],
  page(asked, bound) {
    if (asked.length > LONGEST_PATH || !/^\/(a\/)+$/.test(asked)) return undefined
    const depth = (asked.length - 1) / 2
    if (depth > bound) return undefined
    return { targets: depth + 1 > bound ? ['/a/'] : [asked + 'a/', '/a/'], words: 'a page about a', shows: '/a/' }
  },
}

const FILTERS = ['colour', 'size', 'sort', 'page', 'view', 'brand', 'price', 'stock']

/** A filter whose parameters may stand in any order: the same list under as many names as there are orders of choices. */
export const permutations: Shape = {
  entries: () => ['/filter'],
  page(asked, bound) {
    // Three parameters in any choice and order make 16 pages, four 65, eight over 100,000.
    const names = FILTERS.slice(0, bound === Number.POSITIVE_INFINITY ? 8 : bound >= 65 ? 4 : 3)
    if (asked !== '/filter' && !asked.startsWith('/filter?')) return undefined
    const chosen = asked === '/filter' ? [] : asked.slice('/filter?'.length).split('&')
    const known = chosen.every((part) => names.some((name) => part === `${name}=1`))
    if (!known || new Set(chosen).size !== chosen.length) return undefined
    const left = names.map((name) => `${name}=1`).filter((part) => !chosen.includes(part))
    return {
      targets: left.map((part) => `/filter?${[...chosen, part].join('&')}`),
      words: `filter ${[...chosen].sort().join(' ')}`,
      sort: chosen.length === 0 ? 'real' : 'trap',
    }
  },
}

/** A host that answers 200 and a friendly page to whatever is asked, and links to pages that it does not have. */
export const soft404: Shape = {
  entries: () => ['/lost-1.html', '/lost-2.html', '/no/such/page'],
  page(asked, bound) {
    const match = /^\/lost-(\d{1,9})\.html$/.exec(asked)
    const number = match === null ? bound : Number(match[1])
    const targets = number + 2 <= bound ? [`/lost-${number + 2}.html`, '/'] : ['/']
    return { targets, words: 'nothing was found here' }
  },
}

const DOORS = 5

/** A maze of made-up pages, each slow and full of links to others. */
export const tarpit: Shape = {
  entries: () => ['/maze/0'],
  page(asked, bound, seed) {
    const match = /^\/maze\/(\d{1,9})$/.exec(asked)
    if (match === null) return undefined
    const room = Number(match[1])
    if (room >= bound || `/maze/${room}` !== asked) return undefined
    const rooms = Math.min(bound, 1e9)
    const targets = Array.from({ length: DOORS }, (_, door) => `/maze/${draw(seed, room, door, 0x3a2e) % rooms}`)
    return { targets, words: asked, misbehaves: 'slow' }
  },
}

/** One page that misbehaves. */
const single = (path: string, misbehaves: Misbehaviour): Shape => ({
  entries: () => [path],
  page: (asked) => (asked === path ? { targets: [], words: asked, misbehaves } : undefined),
})

/** Comes a byte at a time and never ends. */
export const dripFeed = single('/drip.html', 'drip')
/** Some kilobytes that decode to hundreds of megabytes. */
export const gzipBomb = single('/bomb.html', 'bomb')
/** Under a megabyte of header lines. */
export const hugeHead = single('/heavy.html', 'huge-head')
/** A body that does not end. */
export const endlessBody = single('/endless.html', 'endless')
