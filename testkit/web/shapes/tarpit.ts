/** A maze of made-up pages, each slow and full of links to others. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'

const DOORS = 5

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
