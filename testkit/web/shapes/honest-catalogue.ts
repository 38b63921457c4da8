/** A shop of 110 articles: one template, a table of properties, a sentence or two of description. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, slug } from './sheet.ts'

const PRODUCTS = 110
const GROUPS = 6
const PROPERTIES = ['Weight', 'Height', 'Width', 'Power', 'Colour', 'Warranty', 'Order no.']

export const honestCatalogue: Shape = {
  entries: () => ['/products/'],
  page(asked, _, seed) {
    const byQuery = choice(seed, 1, 2) === 0
    const product = (number: number) =>
      byQuery ? `/product.php?id=${number}` : `/products/${slug(seed, number, 2)}-${number}.html`
    const group = (number: number) => `/products/group-${number}/`
    const number = readNumber(/(\d+)(?:\.html|\/)?$/.exec(asked)?.[1], 1_000)
    if (number !== undefined && number < PRODUCTS && asked === product(number)) {
      return realSheet(seed, asked, slug(seed, number, 2).replaceAll('-', ' '), (pen) => {
        pen.put(`<p>${pen.line(asked, 14 + (number % 8))}</p><table>`)
        for (const property of PROPERTIES)
          pen.put(`<tr><th>${property}</th><td>${draw(seed, number, property.length) % 1000}</td></tr>`)
        pen.put('</table>')
        pen.prose('terms of sale', 2)
        pen.link(group(number % GROUPS))
        pen.link(product((number + GROUPS) % PRODUCTS))
      })
    }
    const of = asked === '/products/' ? -1 : number
    if (of === undefined || (of >= 0 && (of >= GROUPS || asked !== group(of)))) return undefined
    return realSheet(seed, asked, of < 0 ? 'Products' : `Group ${of}`, (pen) => {
      pen.prose(asked, 1)
      for (let other = 0; other < GROUPS; other++) pen.link(group(other))
      for (let one = of; of >= 0 && one < PRODUCTS; one += GROUPS) pen.link(product(one), slug(seed, one, 2))
    })
  },
}
