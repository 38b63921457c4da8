/**
 * A catalogue to be narrowed by facets in any choice and order (`f[0]=colour:red&f[1]=size:m`), sorted and cut as one likes.
 * The products are real, and so is the plain list; of the rest there are more than anybody counts.
 */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, readPath, realSheet, sheet, slug } from './sheet.ts'

const PRODUCTS = 36
const PER_PAGE = 12
const FACETS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['colour', ['red', 'green', 'blue', 'black', 'white']],
  ['size', ['s', 'm', 'l', 'xl']],
  ['brand', ['acme', 'umbrella', 'globex', 'initech']],
  ['material', ['wool', 'cotton', 'linen']],
  ['price', ['0-10', '10-50', '50-100']],
]
const SORTS = ['name', 'price', 'newest']

interface Style {
  root: string
  facet(index: number, name: string, value: string): string
  read: RegExp
}

const STYLES: readonly Style[] = [
  {
    root: '/catalogue',
    facet: (index, name, value) => `f%5B${index}%5D=${name}%3A${value}`,
    read: /^f%5B\d{1,2}%5D=([a-z]+)%3A([a-z0-9-]+)$/,
  },
  { root: '/shop/', facet: (_, name, value) => `filter_${name}=${value}`, read: /^filter_([a-z]+)=([a-z0-9-]+)$/ },
  { root: '/browse.php', facet: (_, name, value) => `${name}%5B%5D=${value}`, read: /^([a-z]+)%5B%5D=([a-z0-9-]+)$/ },
]

/** Does a product have that value? Every fourth or so. */
const has = (seed: number, product: number, name: string, value: string) => {
  const values = FACETS.find(([facet]) => facet === name)?.[1] ?? []
  return values[draw(seed, product, name.length, 0xfa) % values.length] === value
}

export const facets: Shape = {
  entries: (seed) => [STYLES[choice(seed, 1, STYLES.length)].root],
  page(asked, bound, seed) {
    const style = STYLES[choice(seed, 1, STYLES.length)]
    const product = (number: number) => `/product/${slug(seed, number, 2)}-${number}`
    const number = readNumber(/^\/product\/[a-z-]+-(\d+)$/.exec(asked)?.[1], PRODUCTS - 1)
    if (number !== undefined && asked === product(number)) {
      return realSheet(seed, asked, slug(seed, number, 2), (pen) => {
        pen.prose(asked, 2)
        pen.link(style.root, 'All')
        pen.link(product((number + 1) % PRODUCTS))
      })
    }
    const { file, parameters } = readPath(asked)
    if (file !== style.root) return undefined
    const chosen: string[] = []
    let rest = Array.from({ length: PRODUCTS }, (_, i) => i)
    let pageNumber = 0
    const seen = new Set<string>()
    for (const [name, value] of parameters) {
      const text = `${name}=${value}`
      const facet = style.read.exec(text)
      const known = facet !== null && FACETS.find(([one]) => one === facet[1])?.[1].includes(facet[2])
      const key = known ? `${facet[1]}:${facet[2]}` : name
      if (seen.has(key)) return undefined
      seen.add(key)
      if (known) rest = rest.filter((product) => has(seed, product, facet[1], facet[2]))
      else if (name === 'page') pageNumber = readNumber(value, 99) ?? -1
      else if (!(name === 'sort' && SORTS.includes(value))) return undefined
      if (name !== 'page') chosen.push(text)
    }
    const pages = Math.ceil(rest.length / PER_PAGE)
    if (pageNumber < 0 || (pageNumber > 0 && pageNumber >= pages)) return undefined
    const bounded = bound !== Number.POSITIVE_INFINITY
    const max = bounded ? (bound >= 65 ? 2 : 1) : 30
    const to = (parts: readonly string[]) => (parts.length === 0 ? file : `${file}?${parts.join('&')}`)
    const page = sheet(seed, asked, 'Catalogue', (pen) => {
      pen.put(`<p>${rest.length} products</p>`)
      const shown = rest.slice(pageNumber * PER_PAGE, (pageNumber + 1) * PER_PAGE)
      for (const one of shown) pen.link(product(one), pen.line(product(one), 6))
      for (let other = 0; other < pages; other++)
        if (other !== pageNumber) pen.link(to([...chosen, ...(other === 0 ? [] : [`page=${other}`])]), `${other + 1}`)
      if (chosen.length >= max) return
      const free = chosen.filter((part) => style.read.test(part)).length
      for (const [name, values] of FACETS.slice(0, bounded ? 2 : 5)) {
        for (const value of values)
          if (!seen.has(`${name}:${value}`)) pen.link(to([...chosen, style.facet(free, name, value)]), value)
      }
      for (const sort of SORTS) if (!seen.has('sort')) pen.link(to([...chosen, `sort=${sort}`]), sort)
      for (const part of chosen) pen.link(to(chosen.filter((other) => other !== part)), 'remove')
    })
    return { ...page, sort: chosen.length === 0 ? 'real' : 'trap' }
  },
}
