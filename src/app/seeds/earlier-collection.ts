/** The home pages of the sites that answered an earlier crawl, page by page out of its catalogue, which is only read. */
import { parseUrl } from '../../web/url/web-url.ts'
import type { Found } from './found.ts'

/** `after` is what the page before said; undefined at the beginning and at the end. */
export type ReadSites = (after: bigint | undefined) => Promise<{ urls: readonly string[]; last: bigint | undefined }>

export async function* answeredHomes(read: ReadSites): AsyncGenerator<readonly Found[]> {
  let at = 0
  for (let after: bigint | undefined; ; ) {
    const { urls, last } = await read(after)
    if (last === undefined) return
    yield urls.flatMap((text): Found[] => {
      const url = parseUrl(text)
      at++
      return url === undefined ? [] : [{ kind: 'seed', url, at }]
    })
    after = last
  }
}
