/**
 * Sites with their contents and the truth about them: real mirrors in the states in which a crawl finds them, and what is
 * only like a mirror. Shares are those of VN §4.3 by order of magnitude: some 4 % replicas, mostly sites of one page.
 */
import { type Random, seededRandom } from '../../src/base/random.ts'

export interface LabelledSite {
  name: string
  https: boolean
  /** Contents by path; the first is the home page. */
  contents: string[]
  /** Sites of one family are truly the same site; undefined: a site of its own. */
  family?: string
}

/** Kinds of groups, the share of all sites that belong to one, sizes, and whether its sites are truly one. */
interface Kind {
  name: string
  share: number
  sites: readonly [min: number, max: number]
  mirrors: boolean
  /** The contents of its i-th site. */
  contents(group: string, i: number, random: Random, pages: number): string[]
}

const own = (group: string, pages: number) => Array.from({ length: pages }, (_, i) => `${group}/${i}`)
/** Some of its pages are others by the time the second one is crawled. */
const changed = (contents: string[], share: number, i: number, random: Random, from = 0) =>
  contents.map((content, at) => (i > 0 && at >= from && random.next() < share ? `${content} changed ${i}` : content))

const KINDS: readonly Kind[] = [
  { name: 'exact', share: 0.01, sites: [2, 6], mirrors: true, contents: (group, _, __, pages) => own(group, pages) },
  {
    name: 'changing',
    share: 0.02,
    sites: [2, 4],
    mirrors: true,
    contents: (group, i, random, pages) => changed(own(group, pages), 0.05 + 0.4 * random.next(), i, random, 1),
  },
  {
    name: 'advertisement',
    share: 0.01,
    sites: [2, 4],
    mirrors: true,
    contents: (group, i, random, pages) => [
      `${group} home with advertisement ${i}`,
      ...changed(own(group, pages), 0.15, i, random).slice(1),
    ],
  },
  {
    name: 'half crawled',
    share: 0.01,
    sites: [2, 3],
    mirrors: true,
    contents: (group, i, random, pages) =>
      own(group, pages).slice(0, i === 0 ? pages : Math.max(1, Math.round(pages * (0.3 + 0.7 * random.next())))),
  },
  // One page, the same for all customers of a designer: sites of their own a month later.
  { name: 'under construction', share: 0.03, sites: [2, 40], mirrors: false, contents: (group) => [`${group} soon`] },
  {
    name: 'begun',
    share: 0.005,
    sites: [2, 10],
    mirrors: false,
    contents: (group, i, random) => [`${group} soon`, ...own(`${group} site ${i}`, 1 + random.integer(10))],
  },
  {
    name: 'fresh installation',
    share: 0.002,
    sites: [2, 30],
    mirrors: false,
    contents: (group, i, random) => [
      `${group} it works`,
      `${group} manual`,
      ...own(`${group} site ${i}`, random.integer(6)),
    ],
  },
  {
    name: 'one family of sites',
    share: 0.02,
    sites: [2, 60],
    mirrors: false,
    contents: (group, i, _, pages) => [...own(`${group} site ${i}`, pages), `${group} imprint`, `${group} conditions`],
  },
  {
    name: 'parked',
    share: 0.02,
    sites: [300, 300],
    mirrors: false,
    contents: (group) => [`${group} for sale`, `${group} privacy`, `${group} links`],
  },
]

/** `pages`: of a site, on average. */
export function* labelledSites(sites: number, pages: number, seed: number): Iterable<LabelledSite> {
  const random = seededRandom(seed)
  let made = 0
  for (const kind of KINDS) {
    const end = made + Math.round(sites * kind.share)
    for (let group = 0; made < end; group++) {
      const [min, max] = kind.sites
      const size = min + random.integer(max - min + 1)
      const name = `${kind.name} ${group}`
      const many = pagesOf(pages, random)
      for (let i = 0; i < size; i++, made++) {
        const contents = kind.contents(name, i, random, many)
        yield { ...site(made, random, contents), ...(kind.mirrors ? { family: name } : {}) }
      }
    }
  }
  for (; made < sites; made++) yield site(made, random, own(`site ${made}`, pagesOf(pages, random)))
}

/** Few sites are large, most are small: the mean is `pages`. */
function pagesOf(pages: number, random: Random): number {
  return Math.max(2, Math.round(-Math.log(1 - random.next()) * pages))
}

function site(number: number, random: Random, contents: string[]): LabelledSite {
  const name = `${'x'.repeat(random.integer(8))}site${number}.test`
  // A licence that a tenth of all sites has, and a default page of the server.
  const common = [random.next() < 0.1 ? 'the licence' : '', random.next() < 0.02 ? 'it works!' : '']
  return { name, https: random.next() < 0.6, contents: [...contents, ...common.filter((text) => text !== '')] }
}
