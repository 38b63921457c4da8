/** The home pages of the sites that answered in an earlier crawl, read from its catalogue in batches. */
import { parseUrl } from '../../web/url/web-url.ts'
import type { Found } from './found.ts'

/** `after` is the `last` of the previous batch, undefined at the start. `last` is undefined at the end. */
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
