/**
 * Fills a frontier through its own ledger, as a crawl does: first every home page, by a link from elsewhere, then the
 * pages of one site after the other. Names are hashed, so sites lie in no order of the table, and its pages split as in life.
 */
import type { Link } from '../../src/contracts/report.ts'
import type { NumberedWeb } from './numbered-web.ts'
import type { OpenedFrontier } from './opened.ts'

/** Links in a transaction: what a batch of reports brings is smaller, but filling is not what is measured. */
const AT_ONCE = 50_000

export interface Filled {
  urls: number
  /** Bytes of all URL texts. */
  textBytes: number
}

export async function fill(
  opened: Pick<OpenedFrontier, 'database' | 'subject'>,
  web: NumberedWeb,
  say: (line: string) => void,
): Promise<Filled> {
  const { database, subject } = opened
  const filled: Filled = { urls: 0, textBytes: 0 }
  let links: Link[] = []
  const flush = async () => {
    const { fresh } = await database.transact((tx) => subject.ledger.admit(tx, links))
    if (fresh !== links.length) throw new Error(`${fresh} of ${links.length} URLs were new`)
    const before = filled.urls
    filled.urls += links.length
    for (const { url } of links) filled.textBytes += url.length
    if (Math.floor(before / 1e6) < Math.floor(filled.urls / 1e6)) say(`${Math.floor(filled.urls / 1e6)} million URLs …`)
    links = []
  }
  const enter = async (link: Link) => {
    links.push(link)
    if (links.length >= AT_ONCE) await flush()
  }
  const { sites } = web.size
  for (let site = 0; site < sites; site++) await enter(web.link(site, 0, web.text((site + 1) % sites, 0), 0))
  for (let site = 0; site < sites; site++) {
    const home = web.text(site, 0)
    for (let page = 1; page < web.pagesEach; page++) await enter(web.link(site, page, home))
  }
  await flush()
  return filled
}
