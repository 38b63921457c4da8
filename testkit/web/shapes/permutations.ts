/** A filter whose parameters may stand in any order: the same list under as many names as there are orders of choices. */
import type { Shape } from './shape.ts'

const NAMES = ['colour', 'size', 'sort', 'page', 'view', 'brand', 'price', 'stock']

export const permutations: Shape = {
  entries: () => ['/filter'],
  page(asked, bound) {
    // Three parameters in any choice and order make 16 pages, four 65, eight over 100,000.
    const names = NAMES.slice(0, bound === Number.POSITIVE_INFINITY ? 8 : bound >= 65 ? 4 : 3)
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
