/** Reads a sitemap file: XML, text or a feed, compressed or not. Its URLs are seeds; visits read the sitemaps that an index lists. */
import { MAX_SITEMAP_BYTES, parseSitemap } from '../../web/sitemap/sitemap.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { type Chunks, Damaged, type Found, refused, unfolded } from './input.ts'

export async function* sitemapUrls(chunks: Chunks): AsyncGenerator<readonly Found[]> {
  const { bytes, damage } = await gathered(chunks)
  const { kind, urls, sitemaps, troubles } = parseSitemap(bytes, undefined)
  if (kind === 'unknown' && damage === undefined) throw new Damaged('is not a sitemap')
  yield troubles.map((what) => ({ kind: 'note', what }))
  yield urls.map(({ loc, lastmod }, i): Found => {
    const url = parseUrl(loc)
    if (url === undefined) return refused(loc, i + 1, 'it is not a URL that can be crawled')
    return { kind: 'seed', url, at: i + 1, ...(lastmod === undefined ? {} : { lastmod }) }
  })
  yield sitemaps.map((loc, i): Found => {
    const url = parseUrl(loc)
    if (url === undefined) return refused(loc, i + 1, 'it is not the URL of a sitemap')
    return { kind: 'seed', url, at: i + 1, path: 'M' }
  })
  if (damage !== undefined) throw damage
}

/** Up to the maximum size of a sitemap and one byte more, which shows that it is too long. */
async function gathered(chunks: Chunks): Promise<{ bytes: Uint8Array; damage?: Damaged }> {
  const pieces: Uint8Array[] = []
  let length = 0
  let damage: Damaged | undefined
  try {
    for await (const chunk of unfolded(chunks)) {
      pieces.push(chunk.slice(0, MAX_SITEMAP_BYTES + 1 - length))
      length += chunk.length
      if (length > MAX_SITEMAP_BYTES) break
    }
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    damage = error
  }
  const bytes = Buffer.concat(pieces)
  return damage === undefined ? { bytes } : { bytes, damage }
}
