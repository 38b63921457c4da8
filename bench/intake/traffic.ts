/** Visits over a numbered web, as intake gets them: ten pages a part, each with forty links, a capture and what is counted. */
import { hash64, sha1 } from '../../src/base/digest.ts'
import { packLinks } from '../../src/contracts/adjacency.ts'
import { Tally } from '../../src/contracts/counts.ts'
import type { Link, PageReport, VisitReport } from '../../src/contracts/report.ts'
import { type SealedPart, seal } from '../../src/contracts/sealed-part.ts'
import type { Visit } from '../../src/contracts/visit.ts'
import type { OpenFrontier } from '../../src/frontier/contract.ts'
import type { NumberedWeb } from '../frontier/numbered-web.ts'

export interface Brought {
  parts: SealedPart[]
  pages: number
  /** Pages, and links that the visits did not know to be known: what the coordinator has to look at. */
  urls: number
}

const WORKER = 'w1'

/** Whatever is free, at most so many sites, asked for to the end of their agendas. */
export async function visited({ frontier }: OpenFrontier, web: NumberedWeb, atMost: number): Promise<Brought> {
  const { visits } = await frontier.checkOut(WORKER, atMost)
  const reports = visits.map((visit) => report(web, visit))
  return {
    parts: reports.map(seal),
    pages: reports.reduce((sum, { pages }) => sum + pages.length, 0),
    urls: reports.reduce((sum, { pages, found, crossSite }) => sum + pages.length + found.length + crossSite.length, 0),
  }
}

function report(web: NumberedWeb, visit: Visit): VisitReport {
  const site = web.numberOf(visit.site)
  const known = new Set(visit.known === 'too many' ? [] : visit.known)
  const links = visit.agenda.map(({ url }) => web.internal(site, url))
  const found = links.flat().filter(({ key }) => !known.has(key))
  const part = web.part(visit, found, Date.now())
  const tally = new Tally()
  const pages = part.pages.map((page, at) => {
    tally.add('requests')
    tally.add('documents')
    tally.add('bytes', page.bytes)
    tally.add('status:200')
    return collected(page, links[at])
  })
  return { ...part, pages, counts: tally.take() }
}

function collected(page: PageReport, links: readonly Link[]): PageReport {
  const digest = sha1(Buffer.from(page.url))
  const signature = hash64(page.url)
  return {
    ...page,
    title: `An article of some length, ${page.url.slice(-12)}`,
    links: packLinks(links.map(({ key }) => ({ key }))),
    capture: {
      volume: 'V-1.warc.gz',
      offset: Number(signature % 1_000_000_000n),
      length: 4000,
      digest,
      kind: 'response',
    },
    memory: { digest, textDigest: signature, simhash: signature },
  }
}
