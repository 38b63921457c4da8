/** What the detectors of traps cost a page: all of them together, on sites as they are and on one in which a trap was found. */
import { hash64 } from '../../src/base/digest.ts'
import { seededRandom } from '../../src/base/random.ts'
import { freshMemory, type SiteMemory } from '../../src/contracts/site-memory.ts'
import { admitUrl, type HazardOptions, judgePage } from '../../src/crawl/hazards/detect.ts'
import { UNLIMITED } from '../../src/crawl/hazards/limits.ts'
import { closeTraps, type OpenTraps, openTraps } from '../../src/crawl/hazards/open-traps.ts'
import type { PageFacts } from '../../src/crawl/hazards/page-facts.ts'
import { timeEach } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

const PAGES = 2000
const LINKS = 40
const SECTIONS = 12
const OPTIONS: HazardOptions = {
  urlsPerSite: UNLIMITED,
  duplicatesPerSite: UNLIMITED,
  depth: UNLIMITED,
  trusted: () => false,
}

export function hazardPieces(): Piece[] {
  const pages = honestPages()
  const { memory, traps } = read([...pages.slice(0, 200), ...calendarPages()])
  const waiting = pages.flatMap(({ links }) => links.slice(0, 2))
  const { length } = JSON.stringify(closeTraps(read(pages).traps))
  return [
    {
      name: 'hazards: judge a page',
      microseconds: timeEach([pages], read) / PAGES,
      note: `all detectors, ${LINKS} links a page; memory of ${Math.round(length / 1000)} KB`,
    },
    {
      name: 'hazards: may we',
      microseconds: timeEach(
        waiting,
        ({ path }) => void admitUrl(memory, traps, { path, depth: 1, generation: 1 }, OPTIONS),
      ),
      note: `a URL, ${traps.suspects.length} suspect patterns`,
    },
  ]
}

function read(pages: readonly PageFacts[]): { memory: SiteMemory; traps: OpenTraps } {
  let memory = freshMemory()
  const traps = openTraps(undefined)
  for (const page of pages) ({ memory } = judgePage(memory, traps, page, OPTIONS))
  return { memory, traps }
}

/** An honest site of twelve sections: half of a page's links are fresh at first, fewer later. */
function honestPages(): PageFacts[] {
  const random = seededRandom(3)
  const seen = new Set<string>()
  const pathOf = (at: number) =>
    `/section-${'abcdefghijkl'[at % SECTIONS]}/articles/${2000 + (at % 20)}/some-title-of-it-${at}.html`
  return Array.from({ length: PAGES }, (_, at) => {
    const links = Array.from({ length: LINKS }, (_, link) => {
      const path = link < 8 ? `/section-${link}/` : pathOf(random.integer(2 * PAGES))
      const fresh = !seen.has(path)
      seen.add(path)
      return { key: hash64(path), path, fresh }
    })
    return facts(pathOf(at), `text ${at}`, links)
  })
}

function calendarPages(): PageFacts[] {
  return Array.from({ length: 30 }, (_, at) =>
    facts(`/calendar/${2024 + at}/5`, 'no events', [linkTo(`/calendar/${2025 + at}/5`)]),
  )
}

function linkTo(path: string): PageFacts['links'][number] {
  return { key: hash64(path), path, fresh: true }
}

function facts(path: string, text: string, links: PageFacts['links']): PageFacts {
  const hash = hash64(text)
  const content = {
    digest: text,
    textDigest: hash,
    simhash: hash,
    shape: hash,
    embeds: 0n,
    length: 9000 + (text.length % 7),
    words: 1500,
  }
  return {
    url: `http://site.test${path}`,
    path,
    depth: 3,
    generation: 1,
    at: 0,
    status: 200,
    mediaType: 'text/html',
    bytes: 15_000,
    tookMs: 80,
    outcome: 'kept',
    duplicate: false,
    content: { ...content, tags: 7n, title: text, text: () => text },
    links,
    crossSite: 1,
  }
}
