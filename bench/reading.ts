/** What reading costs: µs per page, for a generated page of 15 KB with 40 links. */
import { type Random, seededRandom } from '../src/base/random.ts'
import { readPage } from '../src/page/reading.ts'
import { timeEach } from './pieces/stopwatch.ts'

const PAGES = 200
const BYTES = 15_000
const LINKS = 40

/** Reading only: no fetching, no resolving of links. */
export function benchReading(): { microsecondsPerPage: number; bytesPerPage: number } {
  const random = seededRandom(7)
  const pages = Array.from({ length: PAGES }, () => new TextEncoder().encode(samplePage(random)))
  const microsecondsPerPage = timeEach(
    pages,
    (bytes) => void readPage({ mediaType: 'text/html', charset: undefined, bytes }),
  )
  const bytes = pages.reduce((sum, page) => sum + page.length, 0)
  return { microsecondsPerPage, bytesPerPage: bytes / PAGES }
}

function samplePage(random: Random): string {
  const head = `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${words(random, 5)}</title>
<link rel="stylesheet" href="/style.css"><script>var page = ${random.integer(1000)}; if (page < 3) start()</script></head><body>\n`
  let page = head
  for (let link = 0; page.length < BYTES; link++) {
    page += `<div class="entry wide" id="e${link}"><h2>${words(random, 4)}</h2>\n  <p>${words(random, 18)} &amp; `
    page += `<b>${words(random, 3)}</b> ${words(random, 14)}</p>\n`
    if (link < LINKS)
      page += `  <p><a class="more" href="/section/${random.integer(90)}/page-${link}.html?x=1&amp;y=2">${words(random, 3)}</a></p>`
    page += '</div>\n'
  }
  return page + '</body></html>\n'
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => (random.integer(36 ** 5) + 36).toString(36)).join(' ')
}
