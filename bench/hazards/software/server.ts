/** What a made-up server is asked and answers, and the honest part that all of them have: 240 articles with real prose in twelve sections. */
import { draw, SENTENCES } from './text.ts'

export interface Ask {
  path: string
  query: URLSearchParams
  /** Path and query. */
  href: string
  cookie: string
}

export interface Reply {
  /** 200, or 302 with `to`, unless told otherwise. */
  status?: number
  to?: string
  html?: string
  type?: string
  cookie?: string
  /** The honest page that it shows, however it was asked for. */
  honest?: string
}

export interface Software {
  name: string
  /** Honest pages that it has; each counts once, under whatever URL it was collected. */
  honest: number
  answer(ask: Ask): Reply
}

export const ARTICLES = 240
export const SECTIONS = 12
const PER_SECTION = ARTICLES / SECTIONS
const SENTENCES_EACH = 10

export const count = <T>(length: number, make: (nth: number) => T): T[] => Array.from({ length }, (_, nth) => make(nth))
export const all = (length: number, make: (nth: number) => string): string => count(length, make).join('\n')

/** The same sentence may not be enough to tell articles apart, so the name has its number. */
export const slugOf = (n: number): string =>
  `${titleOf(n)
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')}-${n}`
export const titleOf = (n: number): string => SENTENCES[n * SENTENCES_EACH].split(' ').slice(0, 4).join(' ')
export const sectionOf = (n: number): number => Math.floor(n / PER_SECTION)
export const articlesIn = (section: number): number[] => count(PER_SECTION, (nth) => section * PER_SECTION + nth)
export const SECTION_NAMES =
  'history science travel cooking music gardens sports letters maps trains birds weather'.split(' ')

/** `sentences`: fewer of them are an older version of the article. */
export function prose(n: number, sentences = SENTENCES_EACH): string {
  const own = SENTENCES.slice(n * SENTENCES_EACH, n * SENTENCES_EACH + sentences)
  return `<h1>${titleOf(n)}</h1>\n<p>${own.slice(0, 5).join(' ')}</p>\n<p>${own.slice(5).join(' ')}</p>`
}

export const a = (href: string, text: string): string => `<a href="${href.replaceAll('&', '&amp;')}">${text}</a>`
export const page = (title: string, ...parts: string[]): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>\n${parts.join('\n')}\n</body></html>`
export const missing: Reply = { status: 404, html: page('Not found', '<h1>Not found</h1>') }
/** A key as sessions and forms have them. */
export const key = (seed: string | number): string =>
  all(16, (nth) => 'abcdefghijkmnpqrstuvwxyz23456789'[draw(`${seed}:${nth}`, 32)]).replaceAll('\n', '')

export interface Library {
  /** How the site writes a link to one of its own addresses. */
  link?(to: string): string
  /** More on every page, on an article (`n`), on a list of a section. */
  menu?: string
  onArticle?(n: number): string
  onSection?(section: number): string
  /** Address of an article. */
  article?(n: number): string
}

export const articlePath = (n: number): string => `/${SECTION_NAMES[sectionOf(n)]}/${slugOf(n)}.html`
const numbers = new Map<string, number>(count(ARTICLES, (n) => [articlePath(n), n]))

export function homePage({ link = (to) => to, menu = '' }: Library): Reply {
  const sections = SECTION_NAMES.map((name) => `<li>${a(link(`/${name}/`), name)}`).join('')
  return {
    html: page('Library', menu, '<h1>Library</h1><p>What people wrote, by subject.</p>', `<ul>${sections}</ul>`),
  }
}

export function sectionPage(section: number, library: Library): Reply {
  const { link = (to) => to, menu = '', onSection = () => '', article = articlePath } = library
  const name = SECTION_NAMES[section]
  const list = articlesIn(section).map((n) => `<li>${a(link(article(n)), titleOf(n))}`)
  return {
    html: page(
      name,
      menu,
      `<h1>All about ${name}</h1><ul>${list.join('\n')}</ul>`,
      onSection(section),
      a(link('/'), 'Home'),
    ),
  }
}

export function articlePage(n: number, library: Library, sentences?: number): Reply {
  const { link = (to) => to, menu = '', onArticle = () => '', article = articlePath } = library
  const next = a(link(article((n + 1) % ARTICLES)), 'Next article')
  const up = a(link(`/${SECTION_NAMES[sectionOf(n)]}/`), SECTION_NAMES[sectionOf(n)])
  const html = page(titleOf(n), menu, prose(n, sentences), onArticle(n), `<p>${next} ${up} ${a(link('/'), 'Home')}</p>`)
  return sentences === undefined ? { html, honest: `article ${n}` } : { html }
}

/** Home, sections and articles at their usual addresses; undefined for any other address. */
export function libraryAt(path: string, library: Library): Reply | undefined {
  if (path === '/') return homePage(library)
  const section = SECTION_NAMES.indexOf(path.slice(1, -1))
  if (section >= 0 && path.endsWith('/')) return sectionPage(section, library)
  const n = numbers.get(path)
  return n === undefined ? undefined : articlePage(n, library)
}

/** The parameters without those that are empty, in a link to `path`. */
export const withQuery = (path: string, parameters: Record<string, string | undefined>): string => {
  const query = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  const joined = query.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')
  return joined === '' ? path : `${path}?${joined}`
}

const DAY = 86_400_000
export const dayAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

const xml = (body: string): Reply => ({ type: 'application/xml', html: `<?xml version="1.0"?>${body}` })
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
export const urlset = (paths: string[]): Reply =>
  xml(`<urlset ${NAMESPACE}>${paths.map((path) => `<url><loc>http://soft.test${path}</loc></url>`).join('')}</urlset>`)
export const sitemapindex = (paths: string[]): Reply =>
  xml(
    `<sitemapindex ${NAMESPACE}>${paths.map((path) => `<sitemap><loc>http://soft.test${path}</loc></sitemap>`).join('')}</sitemapindex>`,
  )
export const robots = (lines: string): Reply => ({ type: 'text/plain', html: lines })
