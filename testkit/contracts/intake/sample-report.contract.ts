/** Reports for tests. */
import { hash64, sha1 } from '../../../src/base/digest.ts'
import { packLinks } from '../../../src/contracts/adjacency.ts'
import { type CountName, Tally } from '../../../src/contracts/counts.ts'
import { keptAs } from '../../../src/contracts/outcome.ts'
import type { PageReport, VisitReport } from '../../../src/contracts/report.ts'
import { freshMemory } from '../../../src/contracts/site-memory.ts'

export const NOON = 1_704_110_400_000

/** A kept page of `http://SITE/PATH` with the given content and links. As in a visit, only what is kept or read is remembered. */
export function samplePage(
  url: string,
  changes: Partial<PageReport> = {},
  content = url,
  links: string[] = [],
): PageReport {
  const site = new URL(url).host
  const digest = sha1(Buffer.from(content))
  const { kind } = changes.outcome ?? { kind: 'kept' }
  const memory = { digest, textDigest: hash64(content), simhash: hash64(content) }
  return {
    url,
    key: hash64(url),
    depth: 1,
    via: `http://${site}/`,
    path: 'L',
    at: NOON,
    status: 200,
    mediaType: 'text/html',
    bytes: content.length,
    tookMs: 12.5,
    tries: 1,
    outcome: { kind: 'kept', how: 'first' },
    title: `The page ${url}`,
    links: packLinks(links.map((link) => outLink(link, site))),
    capture: { volume: 'V-1.warc.gz', offset: Number(hash64(url) % 1_000_000n), length: 300, digest, kind: 'response' },
    memory: kind === 'kept' || kind === 'read' ? memory : undefined,
    annotations: [],
    ownRequest: false,
    ...changes,
  }
}

/** The same page fetched again: a visit derives the outcome from the fetch before. */
export function lookedAgain(page: PageReport, before: PageReport | undefined): PageReport {
  return { ...page, outcome: keptAs(before?.memory, page.capture?.digest ?? '') }
}

function outLink(link: string, site: string) {
  const host = new URL(link).host
  return host === site ? { key: hash64(link) } : { key: hash64(link), siteKey: hash64(host) }
}

export function sampleReport(
  site: string,
  part: number,
  pages: PageReport[],
  more: Partial<VisitReport> = {},
): VisitReport {
  const tally = new Tally()
  for (const page of pages) {
    tally.add('requests')
    if (page.ownRequest) continue
    tally.add('fetched')
    tally.add(`status:${page.status}`)
    if (page.outcome.kind !== 'kept') continue
    const counted: [CountName, number][] = [
      ['documents', 1],
      ['bytes', page.bytes],
      [`type:${page.mediaType}`, 1],
      [`typeBytes:${page.mediaType}`, page.bytes],
    ]
    for (const [name, by] of counted) tally.add(name, by)
  }
  return {
    visit: `visit-of-${site}`,
    fence: 1,
    site,
    part,
    pages,
    found: [],
    crossSite: [],
    findings: [],
    counts: tally.take(),
    memory: freshMemory(),
    courtesy: { pause: 2000, notBefore: NOON + 2000, lastAnswerAt: NOON },
    ...more,
  }
}
