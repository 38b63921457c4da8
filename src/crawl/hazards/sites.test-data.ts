/** Made-up sites for the detectors' tests: honest ones, honest ones that look like traps, and traps in honest sites. */
import { hash64 } from '../../base/digest.ts'
import { type Random, seededRandom } from '../../base/random.ts'
import type { Answer, Site } from './traces.test-data.ts'

export function randomOf(name: string | number): Random {
  return seededRandom(Number(hash64(`${name}`) & 0x7fffffffn))
}

const SYLLABLES = 'ka lo mi tur ven ras del pon ti gar sel mo na bri cu fen do lis har wen'.split(' ')
const WORDS = Array.from({ length: 3000 }, (_, at) => {
  const random = seededRandom(at + 1)
  return Array.from({ length: 2 + random.integer(3) }, () => SYLLABLES[random.integer(SYLLABLES.length)]).join('')
})

/** Words that the name decides. */
export function words(name: string | number, count: number): string {
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

/** What is found in a path: a number for `#`, a text for `*` and `(a|b)`, either or nothing in `[…]`; last, the path. */
type Parts<Form, Found extends unknown[] = [], Maybe = never> = Form extends `${infer First}${infer Rest}`
  ? Parts<
      Rest,
      First extends '#' ? [...Found, number | Maybe] : First extends '*' | '(' ? [...Found, string | Maybe] : Found,
      First extends '[' ? undefined : First extends ']' ? never : Maybe
    >
  : [...Found, path: string]

export type Routes<Form extends string> = { [One in Form]: (...parts: Parts<One>) => Answer | undefined }

type Route = (...parts: never[]) => Answer | undefined

const MEANINGS: Record<string, string> = { '#': '(\\d+)', '*': '([\\w-]+)', '[': '(?:', ']': ')?' }

/** What is at a path, by its form. */
export function site<Form extends string>(routes: Routes<Form>): Site {
  const all = Object.entries(routes as unknown as Record<string, Route>).map(([form, answer]) => {
    const pattern = form.replace(/[#*[\].?+]/g, (sign) => MEANINGS[sign] ?? `\\${sign}`)
    const kinds = form.match(/[#*(]/g) ?? []
    return { pattern: new RegExp(`^${pattern}$`), kinds, answer }
  })
  return (path) => {
    for (const { pattern, kinds, answer } of all) {
      const found = pattern.exec(path)?.slice(1)
      if (found === undefined) continue
      const parts = found.map((text, at) => (kinds[at] === '#' && text !== undefined ? Number(text) : text))
      return answer(...([...parts, path] as never[]))
    }
    return undefined
  }
}

/** `/albums/0`, `/albums/1` … for `/albums/#`. */
export const each = (count: number, form: string): string[] => range(count).map((at) => form.replace('#', String(at)))

export const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

export const MENU = ['/', '/about.html', '/news.html', '/contact.html']

/** Fifty real pages with navigation; `more` links are on its home page. */
export function honestSite(more: readonly string[], onEveryPage: readonly string[] = []): Site {
  const articles = range(46).map((at) => `/texts/${slug(`article ${at}`)}-${at}.html`)
  return site({
    '/': () => page('Home', words('home', 80), [...MENU, ...articles.slice(0, 15), ...onEveryPage, ...more]),
    '/(about|news|contact).html': (name) =>
      page(name, words(name, 60), [...MENU, ...articles.slice(10, 30), ...onEveryPage]),
    '/texts/*-#.html': (_, at, path) => {
      if (articles[at] !== path) return undefined
      const others = [articles[at + 1], articles[at + 7], articles[at - 1]].filter((one) => one !== undefined)
      return page(slug(path), words(path, 150), [...MENU, ...others, ...onEveryPage])
    },
  })
}

export function isHonest(path: string): boolean {
  return path === '/' || /^\/(about|news|contact)\.html$/.test(path) || path.startsWith('/texts/')
}

/** The pages of a menu, and other ones. */
export function siteWith(menu: readonly string[]) {
  const texts = menu.flatMap((path) => /^\/(.*)\.html$/.exec(path)?.[1] ?? [])
  return <Form extends string>(home: readonly string[], routes: Routes<Form>): Site => {
    const others = site(routes)
    return (path) => {
      if (path === '/') return page('Home', words('home', 60), [...menu, ...home])
      const name = texts.find((text) => path === `/${text}.html`)
      return name === undefined ? others(path) : page(name, words(name, 80), menu)
    }
  }
}

/** The honest site, with a trap behind one link of its home page. */
export function withTrap<Form extends string>(
  entries: readonly string[],
  trap: Site | Routes<Form>,
  onEveryPage: readonly string[] = [],
): Site {
  const honest = honestSite(entries, onEveryPage)
  const others = typeof trap === 'function' ? trap : site(trap)
  return (path) => honest(path) ?? others(path)
}

export const MONTHS = 'January February March April May June July August September October November December'.split(' ')

export function monthAfter(year: number, month: number, by: number): [number, number] {
  const all = year * 12 + month - 1 + by
  return [Math.floor(all / 12), (all % 12) + 1]
}
