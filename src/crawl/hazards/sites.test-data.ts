/** Made-up sites for the detectors' tests: honest ones, honest ones that look like traps, and traps in honest sites. */
import { hash64 } from '../../base/digest.ts'
import { type Random, seededRandom } from '../../base/random.ts'
import type { Answer, Site } from './traces.test-data.ts'

export function randomOf(name: string): Random {
  return seededRandom(Number(hash64(name) & 0x7fffffffn))
}

const SYLLABLES = 'ka lo mi tur ven ras del pon ti gar sel mo na bri cu fen do lis har wen'.split(' ')
const WORDS = Array.from({ length: 3000 }, (_, at) => {
  const random = seededRandom(at + 1)
  return Array.from({ length: 2 + random.integer(3) }, () => SYLLABLES[random.integer(SYLLABLES.length)]).join('')
})

/** Words that the name decides. */
export function words(name: string, count: number): string {
  const random = randomOf(name)
  return Array.from({ length: count }, () => WORDS[random.integer(WORDS.length)]).join(' ')
}

export function slug(name: string): string {
  return words(`slug ${name}`, 3).replaceAll(' ', '-')
}

export function hex(name: string): string {
  return hash64(name).toString(16).padStart(16, '0').slice(0, 10)
}

export function page(title: string, body: string, links: readonly (string | readonly [string, string])[]): Answer {
  const list = links.map((link) => (typeof link === 'string' ? [link, slug(link)] : link))
  const anchors = list
    .map(([href, text]) => `<li><a href="${href.replaceAll('&', '&amp;')}">${text}</a></li>`)
    .join('\n')
  return {
    html: `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${body}</p><ul>${anchors}</ul></body></html>`,
  }
}

/** What is at a path, by its form. */
export function site(
  routes: readonly (readonly [RegExp, (parts: string[], path: string) => Answer | undefined])[],
): Site {
  return (path) => {
    for (const [form, answer] of routes) {
      const match = form.exec(path)
      if (match !== null) return answer(match.slice(1), path)
    }
    return undefined
  }
}

const NAV = ['/', '/about.html', '/news.html', '/contact.html']

/** Fifty real pages with navigation; `more` links are on its home page. */
export function honestSite(more: readonly string[], onEveryPage: readonly string[] = []): Site {
  const articles = Array.from({ length: 46 }, (_, at) => `/texts/${slug(`article ${at}`)}-${at}.html`)
  return site([
    [/^\/$/, () => page('Home', words('home', 80), [...NAV, ...articles.slice(0, 15), ...onEveryPage, ...more])],
    [
      /^\/(about|news|contact)\.html$/,
      ([name]) => page(name, words(name, 60), [...NAV, ...articles.slice(10, 30), ...onEveryPage]),
    ],
    [
      /^\/texts\/.*-(\d+)\.html$/,
      ([number], path) => {
        const at = Number(number)
        if (articles[at] !== path) return undefined
        const others = [articles[at + 1], articles[at + 7], articles[at - 1]].filter((one) => one !== undefined)
        return page(slug(path), words(path, 150), [...NAV, ...others, ...onEveryPage])
      },
    ],
  ])
}

export function isHonest(path: string): boolean {
  return path === '/' || /^\/(about|news|contact)\.html$/.test(path) || path.startsWith('/texts/')
}

/** The honest site, with a trap behind one link of its home page. */
export function withTrap(entries: readonly string[], trap: Site, onEveryPage: readonly string[] = []): Site {
  const honest = honestSite(entries, onEveryPage)
  return (path) => honest(path) ?? trap(path)
}

export const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export function monthAfter(year: number, month: number, by: number): [number, number] {
  const all = year * 12 + month - 1 + by
  return [Math.floor(all / 12), (all % 12) + 1]
}
