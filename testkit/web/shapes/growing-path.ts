/** A relative link that a careless server answers at any depth: /a/a/a/… */
import type { Shape } from './shape.ts'

/** Servers refuse longer ones. */
const LONGEST = 8_000

export const growingPath: Shape = {
  entries: () => ['/a/'],
  page(asked, bound) {
    if (asked.length > LONGEST || !/^\/(a\/)+$/.test(asked)) return undefined
    const depth = (asked.length - 1) / 2
    if (depth > bound) return undefined
    return { targets: depth + 1 > bound ? ['/a/'] : [asked + 'a/', '/a/'], words: 'a page about a', shows: '/a/' }
  },
}
