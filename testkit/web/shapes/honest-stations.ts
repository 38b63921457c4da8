/** Measurements of ninety stations: one template, and on each page other numbers in the same table. */
import { Draws, draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, slug } from './sheet.ts'

const STATIONS = 90
const ROWS = 24

export const honestStations: Shape = {
  entries: () => ['/stations/'],
  page(asked, _, seed) {
    const station = (number: number) =>
      choice(seed, 1, 2) === 0
        ? `/stations/${10_000 + number * 3}`
        : `/stations/data.php?station=${10_000 + number * 3}`
    const digits = readNumber(/(\d+)$/.exec(asked)?.[1], 99_999)
    const number = digits === undefined ? undefined : (digits - 10_000) / 3
    const own =
      number !== undefined && Number.isInteger(number) && number >= 0 && number < STATIONS && asked === station(number)
    if (!own && asked !== '/stations/') return undefined
    return realSheet(seed, asked, own ? `Station ${slug(seed, number, 1)}` : 'Stations', (pen) => {
      if (!own) {
        for (let one = 0; one < STATIONS; one += 5) pen.link(station(one), slug(seed, one, 1))
        return
      }
      const draws = new Draws(draw(seed, number, 0x57a))
      pen.put('<table>')
      for (let hour = 0; hour < ROWS; hour++)
        pen.put(
          `<tr><td>${hour}:00</td><td>${draws.below(400) / 10}</td><td>${draws.below(1000)}</td><td>${draws.below(360)}</td></tr>`,
        )
      pen.put(`</table><p>${pen.line(`remark ${number}`, 7)}</p>`)
      for (const other of [number - 1, number + 1]) if (other >= 0 && other < STATIONS) pen.link(station(other))
    })
  },
}
