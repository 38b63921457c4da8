/** What the rules of URLs cost: on the links of the pages at hand, and on forty links that give every rule something to do. */
import { readPage } from '../../src/page/reading.ts'
import { resolver, usualUrls } from '../../src/web/url/web-url.ts'
import type { Material } from './material.ts'
import { timeEach } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

/** Forty links as a page of a shop, a forum and an Apache folder would have them together. */
export const KNOTTY = Array.from({ length: 5 }, (_, i) => [
  `http://h.test/shop/item.php?id=${i}&PHPSESSID=9682993c8daa2c5497996114facdc80${i}&cat=7`,
  `http://h.test/forum/thread.do;jsessionid=E85FAC04E331FFCA55549B10B7C7A4F${i}?t=${i}&p=2`,
  `http://h.test/news/${i}/index.html?utm_source=feed&utm_medium=rss&utm_campaign=may`,
  `http://h.test/search?q=caf%c3%a9&amp;page=${i}&amp;amp;sort=date`,
  `http://h.test/files/?C=M;O=${i % 2 === 0 ? 'A' : 'D'}`,
  `http://h.test/list?z=${i}&y=2&x=3&&w=4&a=5&`,
  `http://h.test/(S(4hqa0555fwsecu455xqckv45))/page${i}.aspx?lang=en`,
  `http://h.test/%7Euser/a%20b/${i}.html`,
]).flat()

export function urlPieces({ pages }: Material): Piece[] {
  const hrefs = pages.map(({ url, answer }) => {
    const reading = readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: answer.payload })
    const resolve = resolver(url)
    return reading.links.flatMap(({ href }) => {
      const read = resolve(href)
      return read.kind === 'url' ? [read.url.href] : []
    })
  })
  const links = hrefs.reduce((sum, page) => sum + page.length, 0) / pages.length
  const normaliseAll = (urls: readonly string[]) => {
    for (const url of urls) usualUrls.normalise(url)
  }
  return [
    {
      name: 'normalise links',
      microseconds: timeEach(hrefs, normaliseAll),
      note: `${links.toFixed(0)} a page, of this web; part of resolving them`,
    },
    {
      name: 'normalise links, knotty',
      microseconds: timeEach(Array<string[]>(200).fill(KNOTTY), normaliseAll),
      note: `${KNOTTY.length} a page; each gives a rule something to do`,
    },
  ]
}
