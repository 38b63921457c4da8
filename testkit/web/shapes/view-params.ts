/** Articles that can be had for print, in other letters, languages and skins: every choice is a parameter more, in the order of the clicks. */
import type { Shape } from './shape.ts'
import { choice, readNumber, readPath, realSheet, sheet } from './sheet.ts'

const ARTICLES = 20
const CHOICES: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['print', ['1']],
  ['lang', ['en', 'de', 'fr']],
  ['view', ['full', 'compact', 'mobile']],
  ['font', ['small', 'large']],
  ['ref', ['menu', 'foot', 'related']],
  ['theme', ['dark', 'light']],
]

export const viewParams: Shape = {
  entries: () => ['/articles/'],
  page(asked, bound, seed) {
    const byQuery = choice(seed, 1, 2) === 0
    const article = (number: number) => (byQuery ? `/article.php?id=${number}` : `/article/${number}`)
    if (asked === '/articles/') {
      return realSheet(seed, asked, 'Articles', (pen) => {
        for (let number = 1; number <= ARTICLES; number++) pen.link(article(number), pen.line(`title ${number}`, 5))
        pen.prose(asked, 1)
      })
    }
    const { file, parameters } = readPath(asked)
    const own = byQuery ? parameters.shift() : undefined
    const text = byQuery
      ? file === '/article.php' && own?.[0] === 'id'
        ? own[1]
        : undefined
      : /^\/article\/(\d+)$/.exec(file)?.[1]
    const number = readNumber(text, ARTICLES)
    if (number === undefined || number === 0) return undefined
    const known = (name: string, value: string) =>
      CHOICES.some(([one, values]) => one === name && values.includes(value))
    const names = new Set(parameters.map(([name]) => name))
    if (names.size !== parameters.length || parameters.some(([name, value]) => !known(name, value))) return undefined
    const plain = article(number)
    const max = bound === Number.POSITIVE_INFINITY ? CHOICES.length : 1
    const page = sheet(seed, asked, `Article ${number}`, (pen) => {
      pen.prose(plain, 4)
      if (!names.has('print')) pen.link(article((number % ARTICLES) + 1), 'Next')
      if (parameters.length >= max) return
      const now = parameters.map(([name, value]) => `${name}=${value}`)
      for (const [name, values] of CHOICES) {
        if (names.has(name)) continue
        for (const value of values)
          pen.link(`${plain}${byQuery ? '&' : '?'}${[...now, `${name}=${value}`].join('&')}`, `${name} ${value}`)
      }
    })
    return parameters.length === 0 ? { ...page, sort: 'real' } : { ...page, shows: plain }
  },
}
