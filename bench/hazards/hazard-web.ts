/** The webs of `bench hazards`: every hazard on one site in five, honest look-alikes on another, wildcards; and webs for single questions. */
import { PLAIN, type WebOptions } from '../../testkit/web/options.ts'
import { TRAP_SHAPES, type TrapShapeName } from '../../testkit/web/shapes/all.ts'
import { walk } from '../../testkit/web/walker.ts'
import type { TestWeb } from '../../testkit/web/web.ts'

/** What is looked at is which requests are made: small pages show it as well. */
const SMALL = { pageBytes: 3_000, linksPerPage: 15, latencyMs: 50 } as const

export const SCOPE = 'test,wild'

export function hazardWeb(seed: number, sites: number, pages: number, shapes: readonly TrapShapeName[]): WebOptions {
  return {
    ...SMALL,
    seed,
    sites,
    pagesPerSite: pages,
    hazardShare: 0.2,
    hazardShapes: shapes.length === 0 ? TRAP_SHAPES : shapes,
    hazardBound: 0,
    lookalikeShare: 0.2,
    sitemapShare: 0.1,
    sitemapKinds: ['xml', 'endless', 'index', 'loop', 'gzip', 'foreign', 'text', 'entities', 'rss', 'broken'],
    sharedAddressShare: 0.2,
    changesPerDay: 0,
    wildcards: [
      { domain: 'blogs.test', kind: 'hosting', sites: Math.ceil(sites / 10), pages: 12 },
      { domain: 'wild', kind: 'registry', sites: Math.ceil(sites / 20), pages: 12 },
    ],
  }
}

/** Sites of one shape and ordinary ones between them. */
export function sessionWeb(seed: number, sites: number, pages: number, shape: TrapShapeName): WebOptions {
  return {
    ...PLAIN,
    ...SMALL,
    seed,
    sites,
    pagesPerSite: pages,
    hazardShare: 0.34,
    hazardShapes: [shape],
    hazardBound: 0,
  }
}

/** Mirrors, twins, index files and session ids: about a quarter of the documents are there twice. */
export function duplicatesWeb(seed: number, sites: number, pages: number): WebOptions {
  return {
    ...PLAIN,
    ...SMALL,
    seed,
    sites,
    pagesPerSite: pages,
    mirrorShare: 0.36,
    mirrorKinds: ['full', 'www', 'www', 'partial', 'full', 'www-redirect'],
    falseMirrors: Math.ceil(sites / 25),
    indexFileShare: 0.5,
    hazardShare: 0.03,
    hazardShapes: ['session-ids-always'],
    hazardBound: 8,
  }
}

export function seedsOf(web: TestWeb): string[] {
  return [...web.homes(), ...web.wildcardHomes(), ...web.mirrorHomes()]
}

/** Everything real that can be reached without setting foot in a trap, once each, by the name that stands for it. */
export function realPages(web: TestWeb): Set<string> {
  const right = walk(web, {
    seeds: seedsOf(web),
    scope: { kind: 'tld', tld: SCOPE },
    links: 'combined',
    ideal: true,
    sitemaps: true,
  })
  return new Set([...right.documents].flatMap((url) => web.realOf(url) ?? []))
}
