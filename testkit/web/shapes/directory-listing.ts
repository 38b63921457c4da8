/**
 * A server's own listings of directories: each can be sorted in eight ways, and one of the directories leads back to the top
 * (a symbolic link), so that every path goes on for ever.
 */
import type { Shape } from './shape.ts'
import { choice, sheet, slug } from './sheet.ts'

const LONGEST = 8_000
const FOLDERS = 4
const FILES = 7
/** Apache 2, and Apache 1.3. */
const SORTS = [
  ['C=N;O=D', 'C=M;O=A', 'C=S;O=A', 'C=D;O=A', 'C=N;O=A', 'C=M;O=D', 'C=S;O=D', 'C=D;O=D'],
  ['N=D', 'M=A', 'S=A', 'D=A', 'N=A', 'M=D', 'S=D', 'D=D'],
]

export const directoryListing: Shape = {
  entries: () => ['/pub/'],
  page(asked, bound, seed) {
    if (asked.length > LONGEST || !asked.startsWith('/pub/')) return undefined
    const back = ['current', 'latest', 'mirror', 'pub'][choice(seed, 1, 4)]
    const sorts = SORTS[choice(seed, 2, 2)]
    const [path, query] = asked.split('?')
    if (query !== undefined && !sorts.includes(query)) return undefined
    const loops = new RegExp(`^(?:${back}/)*`).exec(path.slice(5))?.[0] ?? ''
    const turns = loops.length / (back.length + 1)
    const max = bound / (sorts.length * (FOLDERS + 1))
    if (turns > max) return undefined
    const inside = path.slice(5 + loops.length)
    const folders = Array.from({ length: FOLDERS }, (_, i) => `${slug(seed, i, 1)}${i}/`)
    const sort = turns === 0 && query === undefined ? ({ sort: 'real' } as const) : { shows: `/pub/${inside}` }
    const folder = inside === '' ? -1 : folders.findIndex((name) => inside.startsWith(name))
    if (folder < 0 && inside !== '') return undefined
    const files = Array.from(
      { length: FILES },
      (_, i) => `${slug(seed, 100 + folder * FILES + i, 2)}.${i % 3 === 0 ? 'txt' : 'html'}`,
    )
    const leaf = folder < 0 ? '' : inside.slice(folders[folder].length)
    if (leaf === '') {
      const page = sheet(seed, asked, `Index of /pub/${loops}${inside}`, (pen) => {
        pen.put('<pre>')
        for (const sort of sorts.slice(0, 4))
          pen.link(`?${query === sort ? sorts[4 + sorts.indexOf(sort)] : sort}`, sort)
        pen.link('../', 'Parent Directory')
        for (const name of folder < 0 ? [...folders, ...(turns + 1 <= max ? [`${back}/`] : [])] : files) {
          pen.link(name, name)
          pen.put('14-Mar-2026 10:31    -')
        }
        pen.put('</pre><address>Apache/1.3.37 Server</address>')
      })
      return { ...page, ...sort }
    }
    if (!files.includes(leaf) || query !== undefined) return undefined
    const page = sheet(seed, asked, leaf, (pen) => pen.prose(inside, 3))
    if (leaf.endsWith('.html')) return { ...page, ...sort }
    const text = page.body.replace(/<[^>]*>/g, '')
    return { ...page, ...sort, targets: [], body: text, contentType: 'text/plain; charset=utf-8' }
  },
}
