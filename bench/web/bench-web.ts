/** The web that benchmarks crawl: ordinary pages of about 15 KB with about 40 links, most of them inside their site. */
import { PLAIN, type WebOptions } from '../../src/testweb/options.ts'
import { walk } from '../../src/testweb/walker.ts'
import { makeWeb } from '../../src/testweb/web.ts'

/** Robots files that refuse nothing, whoever asks: crawlers must fetch the same pages to be compared. */
export function benchWeb(sites: number, pagesPerSite: number): WebOptions {
  return { ...PLAIN, seed: 4, sites, pagesPerSite, latencyMs: 0, robots: ['allow-all', 'empty', 'missing'] }
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
