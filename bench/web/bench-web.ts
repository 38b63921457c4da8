/** The web that benchmarks crawl: ordinary pages of about 15 KB with about 40 links, most of them inside their site. */
import { PLAIN, type WebOptions } from '../../testkit/web/options.ts'
import { walk } from '../../testkit/web/walker.ts'
import { makeWeb } from '../../testkit/web/web.ts'

/**
 * A page's size varies and is counted in letters: of the six languages of this web, two take two bytes a letter. This many
 * give 15 KB a page on average (`bench.test.ts` holds that).
 */
const LETTERS = 10_200

/**
 * Robots files that refuse nothing, however they are read: crawlers must fetch the same pages to be compared, and one
 * (wget2) takes `Disallow: # why` for a refusal. `secure`: the same
 * sites under https.
 */
export function benchWeb(sites: number, pagesPerSite: number, secure = false): WebOptions {
  return {
    ...PLAIN,
    seed: 4,
    sites,
    pagesPerSite,
    pageBytes: LETTERS,
    latencyMs: 0,
    secureShare: secure ? 1 : 0,
    robots: ['empty', 'missing'],
  }
}

export interface WebFacts {
  seeds: string[]
  /** What a right crawl of these seeds' hosts keeps. */
  documents: number
}

export function factsOf(options: WebOptions): WebFacts {
  const web = makeWeb(options)
  const seeds = web.homes()
  const { documents } = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  return { seeds, documents: documents.size }
}
