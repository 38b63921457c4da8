/** An application that looks at the reader's browser and says nothing else: the same few words under every address, and "continue anyway". */
import type { Shape } from './shape.ts'
import { choice, readNumber, sheet, slug } from './sheet.ts'

const TEXTS = [
  'Your browser is not supported. Please upgrade to a recent version of Chrome, Firefox, Safari or Edge.',
  'This site requires JavaScript. Please enable JavaScript in your browser and reload the page.',
  'Sie verwenden einen veralteten Browser. Bitte aktualisieren Sie Ihren Browser, um diese Seite zu sehen.',
  'This page is optimised for Internet Explorer 6.0 or higher at 1024x768. Your browser cannot display it.',
]
const SECTIONS = 12

export const unsupportedBrowser: Shape = {
  entries: (seed) => Array.from({ length: 3 }, (_, i) => `/app/${slug(seed, i, 1)}`),
  page(asked, bound, seed) {
    const match = /^\/app\/([a-z]+)(?:\?continue=(\d+))?$/.exec(asked)
    const section = match === null ? -1 : Array.from({ length: SECTIONS }, (_, i) => slug(seed, i, 1)).indexOf(match[1])
    const tries = readNumber(match?.[2] ?? '0', Math.min(bound, 1e8))
    if (match === null || section < 0 || tries === undefined) return undefined
    const page = sheet(seed, asked, 'Browser', (pen) => {
      pen.put(
        `<noscript>${TEXTS[choice(seed, 1, TEXTS.length)]}</noscript><p>${TEXTS[choice(seed, 1, TEXTS.length)]}</p>`,
      )
      if (tries < bound) pen.link(`/app/${match[1]}?continue=${tries + 1}`, 'Continue anyway')
      pen.link(`/app/${slug(seed, (section + 1) % SECTIONS, 1)}`, 'Menu')
    })
    return { ...page, sort: tries === 0 ? 'neither' : 'trap' }
  },
}
