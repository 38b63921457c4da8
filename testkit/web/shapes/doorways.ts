/** Pages for every trade in every town, one text with two words changed, each linking to some dozen of the others. */
import { Draws, drawText } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, madeUpWord, readNumber, sheet } from './sheet.ts'

const TRADES = ['plumber', 'locksmith', 'roofer', 'dentist', 'lawyer', 'florist', 'cleaner', 'notary']
const TOWNS = 2_000

const town = (seed: number, number: number) => `${madeUpWord(new Draws(drawText(seed, `town ${number}`)))}-${number}`

export const doorways: Shape = {
  entries: (seed) => [path(seed, 0, 0)],
  page(asked, bound, seed) {
    const towns = Math.max(1, Math.min(TOWNS, Math.floor(bound / TRADES.length)))
    const match = /^\/([a-z]+)(?:-in-|\/)[a-z]+-(\d+)(?:\.html|\/)$/.exec(asked)
    const trade = TRADES.indexOf(match?.[1] ?? '')
    const place = readNumber(match?.[2], towns - 1)
    if (trade < 0 || place === undefined || path(seed, trade, place) !== asked) return undefined
    const name = `${TRADES[trade]} in ${town(seed, place)}`
    return sheet(seed, asked, name, (pen) => {
      for (let part = 0; part < 4; part++)
        pen.put(`<p>${pen.line(`text ${part}`, 30)} ${name}. ${pen.line(`more ${part}`, 20)}</p>`)
      const draws = new Draws(drawText(seed, asked))
      for (let i = 0; i < 12; i++) pen.link(path(seed, draws.below(TRADES.length), draws.below(towns)))
    })
  },
}

function path(seed: number, trade: number, place: number): string {
  const name = town(seed, place)
  return choice(seed, 1, 2) === 0 ? `/${TRADES[trade]}-in-${name}.html` : `/${TRADES[trade]}/${name}/`
}
