/** A list that writes its own query into its links, escaped once too often: `&amp;amp;amp;…`, each time one more. */
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, sheet } from './sheet.ts'

const LONGEST = 8_000
const LISTS = 5
const ITEMS = 40
const ORDERS = ['price', 'name', 'date']

export const ampEntities: Shape = {
  entries: () => ['/list.php?cat=1'],
  page(asked, bound, seed) {
    if (asked.length > LONGEST) return undefined
    const id = readNumber(/^\/item\.php\?id=(\d+)$/.exec(asked)?.[1], ITEMS)
    if (id !== undefined && id > 0) {
      return realSheet(seed, asked, `Item ${id}`, (pen) => {
        pen.prose(asked, 2)
        pen.link(`/list.php?cat=${1 + (id % LISTS)}`)
      })
    }
    const match = /^\/list\.php\?cat=(\d)((?:&(?:amp;)*[a-z]+=\w*)*)$/.exec(asked)
    const cat = readNumber(match?.[1], LISTS)
    if (match === null || cat === undefined || cat === 0) return undefined
    const plain = match[2] === ''
    const depth = plain ? 0 : Math.max(...match[2].split('&').map((part) => part.split('amp;').length))
    const names = ORDERS.slice(0, bound === Number.POSITIVE_INFINITY ? 1 + choice(seed, 1, ORDERS.length) : 1)
    const page = sheet(seed, asked, `List ${cat}`, (pen) => {
      for (let other = 1; other <= LISTS; other++) pen.link(`/list.php?cat=${other}`)
      for (let item = cat; item <= ITEMS; item += LISTS) pen.link(`/item.php?id=${item === 0 ? ITEMS : item}`)
      pen.prose(`list ${cat}`, 1)
      // The query as the server got it, escaped by the template, then again by whoever did not trust the template.
      const query = `cat=${cat}${match[2].replaceAll('&', '&amp;')}`
      if (depth * 4 < bound)
        for (const name of names)
          pen.rawLink(`?${query.replaceAll('&', '&amp;')}&amp;sort=${name}`, `?${query}&sort=${name}`, name)
    })
    return plain ? { ...page, sort: 'real' } : { ...page, shows: `/list.php?cat=${cat}` }
  },
}
