/** A host that answers 200 and a friendly page to whatever is asked, and links to pages that it does not have. */
import type { Shape } from './shape.ts'

export const soft404: Shape = {
  entries: () => ['/lost-1.html', '/lost-2.html', '/no/such/page'],
  page(asked, bound) {
    const match = /^\/lost-(\d{1,9})\.html$/.exec(asked)
    const number = match === null ? bound : Number(match[1])
    const targets = number + 2 <= bound ? [`/lost-${number + 2}.html`, '/'] : ['/']
    return { targets, words: 'nothing was found here' }
  },
}
