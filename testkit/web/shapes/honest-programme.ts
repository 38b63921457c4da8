/** What a coordinator played, day by day through a season: a calendar in which every day has something to tell, with a first and a last. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, slug } from './sheet.ts'

const DAYS = 120
const DAY = 86_400_000

export const honestProgramme: Shape = {
  entries: (seed) => [path(seed, 0)],
  page(asked, _, seed) {
    const text = /(\d{4})[-/]?(\d\d)[-/]?(\d\d)\/?$/.exec(asked)
    const digits = /^\/(?:programme\/day|programme\.php\?day=)/.test(asked)
      ? readNumber(/(\d+)$/.exec(asked)?.[1], DAYS - 1)
      : undefined
    const day =
      text === null
        ? digits
        : Math.round((Date.UTC(Number(text[1]), Number(text[2]) - 1, Number(text[3])) - START) / DAY)
    if (day === undefined || day < 0 || day >= DAYS || path(seed, day) !== asked) return undefined
    return realSheet(seed, asked, `Programme of ${dateOf(day)}`, (pen) => {
      for (let show = 0; show < 2 + (draw(seed, day) % 3); show++) {
        pen.put(`<h2>${slug(seed, day * 5 + show, 2)}</h2><p>${18 + show}:30 ${pen.line(`${day} ${show}`, 22)}</p>`)
      }
      for (const other of [day - 1, day + 1, day + 7])
        if (other >= 0 && other < DAYS) pen.link(path(seed, other), dateOf(other))
    })
  },
}

const START = Date.UTC(2024, 8, 1)
const dateOf = (day: number) => new Date(START + day * DAY).toISOString().slice(0, 10)

function path(seed: number, day: number): string {
  const date = dateOf(day)
  return [
    `/programme/${date}`,
    `/programme/${date.replaceAll('-', '/')}/`,
    `/programme.php?date=${date.replaceAll('-', '')}`,
  ][choice(seed, 1, 3)]
}
