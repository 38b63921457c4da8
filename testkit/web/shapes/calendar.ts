/** A calendar with a page for every month, before and after, each linking to its neighbours. */
import type { Shape } from './shape.ts'

const START = 2026 * 12

const path = (month: number) => `/calendar?year=${Math.floor(month / 12)}&month=${(month % 12) + 1}`

export const calendar: Shape = {
  entries: () => [path(START)],
  page(asked, bound) {
    const match = /^\/calendar\?year=(\d{1,6})&month=(\d{1,2})$/.exec(asked)
    if (match === null) return undefined
    const month = Number(match[1]) * 12 + Number(match[2]) - 1
    if (path(month) !== asked || Math.abs(month - START) > bound / 2) return undefined
    const targets = [month - 1, month + 1, month + 12].filter((other) => Math.abs(other - START) <= bound / 2)
    return { targets: targets.map(path), words: asked, sort: month === START ? 'neither' : 'trap' }
  },
}
