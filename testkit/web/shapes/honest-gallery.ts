/** Photographs, a page each: a large template, a number that grows, and a caption of some words that is all that differs. */
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet } from './sheet.ts'

const ALBUMS = 4
const PHOTOS = 25

export const honestGallery: Shape = {
  entries: () => ['/gallery/'],
  page(asked, _, seed) {
    const byQuery = choice(seed, 1, 2) === 0
    const album = (number: number) => (byQuery ? `/gallery/album.php?a=${number}` : `/gallery/${number}/`)
    const photo = (of: number, number: number) =>
      byQuery ? `/gallery/photo.php?a=${of}&p=${number}` : `/gallery/${of}/photo-${number}.html`
    const match = /^\/gallery\/(?:(?:album|photo)\.php\?a=)?(\d+)?(?:(?:&p=|\/photo-)(\d+))?/.exec(asked)
    const of = readNumber(match?.[1] ?? '0', ALBUMS) ?? 0
    const number = readNumber(match?.[2] ?? '0', PHOTOS) ?? 0
    if (asked !== (of === 0 ? '/gallery/' : number === 0 ? album(of) : photo(of, number))) return undefined
    return realSheet(seed, asked, number === 0 ? `Album ${of}` : `Photo ${number}`, (pen) => {
      pen.prose('about the gallery', 1)
      for (let other = 1; other <= ALBUMS; other++) pen.link(album(other))
      if (of > 0 && number === 0)
        for (let one = 1; one <= PHOTOS; one++) pen.link(photo(of, one), pen.line(photo(of, one), 4))
      if (number === 0) return
      pen.put(`<img src="/img/${of}-${number}.jpg" alt=""><p>${pen.line(`caption ${asked}`, 10 + (number % 9))}</p>`)
      if (number > 1) pen.link(photo(of, number - 1), 'Previous')
      if (number < PHOTOS) pen.link(photo(of, number + 1), 'Next')
    })
  },
}
