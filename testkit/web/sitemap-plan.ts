/** The sitemaps of a site: which files there are, what they list, what they say of changes, and how they are written. */
import { gzipSync } from 'node:zlib'
import type { Instant } from '../../src/base/clock.ts'
import { draw } from './chance.ts'
import type { SitemapKind } from './options.ts'
import type { RobotsDefinition } from './robots-plan.ts'
import { defineRobots } from './robots-plan.ts'
import type { ShapePage } from './shapes/shape.ts'
import { readNumber, sheet, slug } from './shapes/sheet.ts'

/** What it says of changes. */
export type Lastmod =
  | 'true'
  | 'now' // whatever was asked for changed just now
  | 'frozen' // nothing has changed since the site was made
  | 'none'

export interface SitemapDefinition {
  kind: SitemapKind
  lastmod: Lastmod
  /** Pages that nothing else names. */
  hidden: number
}

const LASTMODS: readonly Lastmod[] = ['true', 'now', 'true', 'frozen', 'none', 'true']

export function defineSitemap(kind: SitemapKind, seed: number, hidden: number): SitemapDefinition {
  return { kind, lastmod: LASTMODS[draw(seed, 0x517) % LASTMODS.length], hidden }
}

/** The file by which one comes to the others. */
export function firstFile(kind: SitemapKind): string {
  switch (kind) {
    case 'gzip':
      return '/sitemap.xml.gz'
    case 'text':
      return '/sitemap.txt'
    case 'rss':
      return '/feed.xml'
    case 'index':
    case 'loop':
    case 'endless':
      return '/sitemap_index.xml'
    default:
      return '/sitemap.xml'
  }
}

/** All files that a careful reader asks for, from the first on. */
export function filesOf(kind: SitemapKind): string[] {
  const first = firstFile(kind)
  if (kind === 'index') return [first, '/sitemap-1.xml', '/sitemap-2.xml']
  return kind === 'loop' || kind === 'endless' ? [first, '/sitemap-1.xml'] : [first]
}

/** robots.txt names the sitemap. One that had no rules to give has some now; one that shut everybody out does so no more. */
export function withSitemaps(robots: RobotsDefinition, origin: string, kind: SitemapKind): RobotsDefinition {
  const open = robots.state === 'rules' && robots.kind !== 'everything' ? robots : defineRobots('allow-all', 0)
  const end = open.kind === 'cr' ? '\r' : '\n'
  const text = open.text.replace(/Sitemap: \/sitemap\.xml[\r\n]+$/, '')
  return kind === 'unnamed' ? { ...open, text } : { ...open, text: `Sitemap: ${origin}${firstFile(kind)}${end}${text}` }
}

export const hiddenPath = (seed: number, number: number) => `/archive/${slug(seed, 7_000 + number, 2)}-${number}.html`

/** A page that is in the sitemap only. */
export function hiddenPage(path: string, seed: number, sitemap: SitemapDefinition): ShapePage | undefined {
  const number = readNumber(/^\/archive\/[a-z-]+-(\d+)\.html$/.exec(path)?.[1], sitemap.hidden - 1)
  if (number === undefined || path !== hiddenPath(seed, number)) return undefined
  return { ...sheet(seed, path, `Archive ${number}`, (pen) => pen.prose(path, 3)), sort: 'real' }
}

export interface Listed {
  url: string
  lastmod?: Instant
}

export interface SitemapFile {
  contentType: string
  body: Uint8Array<ArrayBuffer>
}

/** `listed`: what the site has to list; undefined: there is no such file. */
export function sitemapFile(
  path: string,
  { kind }: SitemapDefinition,
  origin: string,
  listed: readonly Listed[],
): SitemapFile | undefined {
  const xml = (text: string) => ({ contentType: 'application/xml', body: bytes(text) })
  const level = Number(/^\/sitemap_index(\d{0,8})\.xml$/.exec(path)?.[1] || '0')
  if (kind === 'endless' && path === `/sitemap_index${level === 0 ? '' : level}.xml`)
    return xml(
      indexOf(['-1', `_index${level + 1}`, `_index${level + 2}`].map((name) => `${origin}/sitemap${name}.xml`)),
    )
  if (!filesOf(kind).includes(path)) return undefined
  const half = Math.ceil(listed.length / 2)
  switch (kind) {
    case 'text':
      return { contentType: 'text/plain', body: bytes(listed.map(({ url }) => `${url}\n`).join('')) }
    case 'rss':
      return { contentType: 'application/rss+xml', body: bytes(rss(origin, listed)) }
    case 'gzip':
      return { contentType: 'application/x-gzip', body: new Uint8Array(gzipSync(urlset(listed))) }
    case 'index':
      if (path === '/sitemap-1.xml') return xml(urlset(listed.slice(0, half)))
      if (path === '/sitemap-2.xml') return xml(urlset(listed.slice(half)))
      return xml(indexOf([`${origin}/sitemap-1.xml`, `${origin}/sitemap-2.xml`]))
    case 'loop':
      if (path === '/sitemap-1.xml') return xml(urlset(listed))
      return xml(indexOf([`${origin}/sitemap_index.xml`, `${origin}/sitemap-1.xml`]))
    case 'foreign':
      return xml(urlset([...listed, ...FOREIGN.map((url) => ({ url }))]))
    case 'entities':
      return xml(urlset(listed).replace('?>', `?>${ENTITIES}`))
    case 'broken': {
      const whole = urlset(listed)
      return xml(whole.slice(0, whole.lastIndexOf('</urlset>')) + '<url><loc>http://')
    }
    default:
      return xml(urlset(listed))
  }
}

const FOREIGN = ['http://elsewhere.invalid/', 'http://victim.invalid/login?try=1', 'ftp://files.invalid/x']
const ENTITIES = `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 9 },
  (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`,
).join('')}]>`
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'utf8'))
const SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const escaped = (url: string) => url.replaceAll('&', '&amp;').replaceAll("'", '&apos;')

function urlset(listed: readonly Listed[]): string {
  const entries = listed.map(({ url, lastmod }) => {
    const when = lastmod === undefined ? '' : `<lastmod>${new Date(lastmod).toISOString()}</lastmod>`
    return `<url><loc>${escaped(url)}</loc>${when}<changefreq>weekly</changefreq></url>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${SPACE}>\n${entries.join('')}</urlset>\n`
}

function indexOf(files: readonly string[]): string {
  const entries = files.map((file) => `<sitemap><loc>${escaped(file)}</loc></sitemap>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex ${SPACE}>\n${entries.join('')}</sitemapindex>\n`
}

function rss(origin: string, listed: readonly Listed[]): string {
  const items = listed.map(({ url, lastmod }) => {
    const when = lastmod === undefined ? '' : `<pubDate>${new Date(lastmod).toUTCString()}</pubDate>`
    return `<item><title>x</title><link>${escaped(url)}</link>${when}</item>\n`
  })
  return `<?xml version="1.0"?>\n<rss version="2.0"><channel><title>x</title><link>${origin}/</link>\n${items.join('')}</channel></rss>\n`
}
