/**
 * A menu of relative links behind a server that looks at the last part of a path only: every click makes the address longer
 * and shows one of the same few pages.
 */
import type { Shape } from './shape.ts'
import { choice, escapeHtml, sheet } from './sheet.ts'

const SECTIONS = ['news', 'about', 'products', 'team', 'contact', 'jobs', 'press', 'support']
/** Servers refuse longer ones. */
const LONGEST = 8_000

interface Spelling {
  root: string
  /** The reference in the menu. */
  reference(section: string): string
  /** One step of the path. */
  step: RegExp
  /** The path without what has piled up. */
  plain(section: string): string
}

const SPELLINGS: readonly Spelling[] = [
  {
    root: '/site/',
    reference: (section) => `${section}/`,
    step: /([a-z]+)\//y,
    plain: (section) => `/site/${section}/`,
  },
  {
    root: '/web/index.php/',
    reference: (section) => `${section}/index.php/`,
    step: /([a-z]+)\/index\.php\//y,
    plain: (section) => `/web/index.php/${section}/index.php/`,
  },
  {
    root: '/portal/',
    reference: (section) => `${section}/${section}.html`,
    step: /([a-z]+)\/(?:\1\.html$)?/y,
    plain: (section) => `/portal/${section}/${section}.html`,
  },
]

export const brokenRelative: Shape = {
  entries: (seed) => [SPELLINGS[choice(seed, 1, SPELLINGS.length)].root],
  page(asked, bound, seed) {
    const { root, reference, step, plain } = SPELLINGS[choice(seed, 1, SPELLINGS.length)]
    const sections = SECTIONS.slice(0, 3 + choice(seed, 2, SECTIONS.length - 2))
    if (asked.length > LONGEST || !asked.startsWith(root)) return undefined
    const trail = trailOf(asked, root, step)
    if (trail === undefined || trail.some((section) => !sections.includes(section))) return undefined
    const last = trail.at(-1)
    if (last !== undefined && !asked.endsWith(reference(last))) return undefined
    // As many pages as the bound has: all trails up to a length.
    const deepest = bound === Number.POSITIVE_INFINITY ? bound : Math.floor(Math.log(bound) / Math.log(sections.length))
    if (trail.length > deepest) return undefined
    const page = sheet(seed, asked, last ?? 'Start', (pen) => {
      pen.put(`<p class="crumbs">${escapeHtml(trail.join(' › '))}</p>`)
      if (trail.length < deepest) for (const section of sections) pen.link(reference(section), section)
      pen.prose(last ?? root, 3)
    })
    return trail.length <= 1 ? { ...page, sort: 'real' } : { ...page, shows: plain(last ?? '') }
  },
}

function trailOf(asked: string, root: string, step: RegExp): string[] | undefined {
  const trail: string[] = []
  for (let at = root.length; at < asked.length; at = step.lastIndex) {
    step.lastIndex = at
    const match = step.exec(asked)
    if (match === null) return undefined
    trail.push(match[1])
  }
  return trail
}
