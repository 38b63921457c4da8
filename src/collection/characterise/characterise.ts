/**
 * Characterises a collection (V26): a pass over all pages in pieces, and sums from SQL. Memory does not grow with the number of
 * pages, and a crawl may go on writing.
 */
import { turn } from '../../base/clock.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { countDuplicates } from '../figures.ts'
import { linksToIndex } from '../links/index-links.ts'
import { countedTargets } from '../links/read-inlinks.ts'
import { Distribution, share } from './distribution.ts'
import { ASKED, PagePass } from './page-pass.ts'
import { proposeThresholds } from './thresholds.ts'

/** What a collection shows of the web that it was collected from. */
export type WebFigures = Awaited<ReturnType<typeof characterise>>

/** Pages read at once: about 20 ms. */
const PIECE = 500

export async function characterise(database: Database) {
  const pages = new PagePass()
  while (await database.read((tx) => pages.take(tx, PIECE))) await turn()
  const sites = await database.read(siteSums)
  const duplicates = await database.read(countDuplicates)
  const { inLinks, behind } = await database.read(inLinkSums)
  const size = pages.sizes()
  const measured = {
    urlsPerSite: sites.urls,
    duplicatesPerSite: sites.duplicates,
    deepest: sites.deepest,
    urlLength: pages.urlLength,
    took: pages.took,
    sizes: size.filter(({ type }) => type !== 'other').map(({ type }) => [type, pages.sizesOf(type)!] as const),
  }
  const thresholds = await database.read((tx) => proposeThresholds(tx, measured))
  return {
    /** Sites and URLs that were fetched, and documents kept. */
    sites: sites.urls.count,
    urls: pages.urls,
    documents: pages.documents,
    urlsPerSite: sites.urls.summary(),
    documentsPerSite: sites.documents.summary(),
    /** Links from the entry to the site: of every URL, and of the deepest URL of every site. */
    depth: pages.depth.summary(),
    deepest: sites.deepest.summary(),
    urlLength: pages.urlLength.summary(),
    /** Bytes of documents by media type, the most frequent first; the others together as `other`. */
    size,
    /** As declared; '' where a document declares none. */
    languages: pages.languages.sorted(),
    /** Where the bytes are not of the declared type: `text/plain → text/html`. */
    mistaken: pages.mistaken.sorted(),
    statuses: pages.statuses.sorted(),
    /** Pages that link to a URL, for URLs with any link; and pages whose links are not indexed yet. */
    inLinks: inLinks.summary(),
    behind,
    /** Different links of every page that was read, kept or not (`noindex`). */
    outLinks: pages.outLinks.summary(),
    links: pages.shares(),
    duplicates: {
      documents: duplicates,
      share: share(duplicates, pages.documents),
      perSite: sites.duplicates.summary(),
    },
    sessionIds: {
      urls: pages.sessionUrls,
      share: share(pages.sessionUrls, pages.urls),
      sites: pages.sessionSites,
    },
    took: pages.took.summary(),
    thresholds,
  }
}

/** By site. A duplicate is a document whose content an earlier document of the site has. */
async function siteSums(tx: Tx) {
  const [urls, documents, deepest, duplicates] = Array.from({ length: 4 }, () => new Distribution())
  const rows = queries(tx).each<Record<'urls' | 'documents' | 'deepest' | 'duplicates', number>>(
    `SELECT count(*) AS urls, count(*) FILTER (WHERE outcome = 'kept') AS documents, max(depth) AS deepest,
       count(digest) FILTER (WHERE outcome = 'kept') - count(DISTINCT digest) FILTER (WHERE outcome = 'kept') AS duplicates
     FROM page WHERE ${ASKED} GROUP BY site`,
  )
  for await (const row of rows) {
    urls.add(row.urls)
    documents.add(row.documents)
    deepest.add(row.deepest)
    duplicates.add(row.duplicates)
  }
  return { urls, documents, deepest, duplicates }
}

async function inLinkSums(tx: Tx): Promise<{ inLinks: Distribution; behind: number }> {
  const inLinks = new Distribution()
  for await (const { pages } of countedTargets(tx)) inLinks.add(pages)
  return { inLinks, behind: await linksToIndex(tx) }
}
