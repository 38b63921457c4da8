/** Labelled sites as rows of a catalogue, without a crawl: the command that is measured reads nothing else. */
import { hash64, sha1, signed64 } from '../../src/base/digest.ts'
import { siteKeyOf } from '../../src/contracts/visit.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { type SqliteTx, sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { LabelledSite } from './labelled-sites.ts'

const SITES_AT_ONCE = 1000
const INDEX = `CREATE INDEX page_content ON page (digest) WHERE outcome = 'kept'`
const PAGE = `
INSERT INTO page (site, key, url, depth, via, path, status, outcome, why, media_type, bytes, took_ms, tries, first_at, at,
  digest, text_digest, simhash, title, annotations)
VALUES (?1, ?2, ?3, 1, ?4, 'L', 200, 'kept', 'first', 'text/html', 15000, 120, 1, ?5, ?5, ?6, ?7, ?7, ?8, '')`

/** Returns what is true of the sites: the family of each that has one. */
export async function writeCatalogue(
  path: string,
  sites: Iterable<LabelledSite>,
): Promise<{ sites: number; pages: number; families: Map<string, string> }> {
  const database = openSqlite(path)
  const families = new Map<string, string>()
  let count = 0
  let pages = 0
  await database.transact((tx) => sqliteTx(tx).run('DROP INDEX page_content'))
  let waiting: LabelledSite[] = []
  const write = async () => {
    await database.transact((tx) => {
      for (const site of waiting) pages += writeSite(sqliteTx(tx), site)
    })
    waiting = []
  }
  for (const site of sites) {
    count++
    if (site.family !== undefined) families.set(site.name, site.family)
    waiting.push(site)
    if (waiting.length === SITES_AT_ONCE) await write()
  }
  await write()
  await database.transact((tx) => sqliteTx(tx).run(INDEX))
  await database.close()
  return { sites: count, pages, families }
}

const AT = Date.UTC(2026, 0, 1)

function writeSite(db: SqliteTx, { name, https, contents }: LabelledSite): number {
  const site = siteKeyOf(name)
  const home = `${https ? 'https' : 'http'}://${name}/`
  db.run('INSERT INTO site_stats (site, name, first_at, last_at) VALUES (?, ?, ?, ?)', site, name, AT, AT)
  const rows = contents.map((content, i) => {
    const url = i === 0 ? home : `${home}section-${i % 7}/a-page-with-a-name-${i}.html`
    return { url, key: signed64(hash64(url)), content }
  })
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  for (const { url, key, content } of rows) {
    const text = signed64(hash64(content))
    const title = `The page ${content.slice(0, 40)} and what it is about`
    db.run(PAGE, site, key, url, home, AT, sha1(Buffer.from(content)), text, title)
  }
  return contents.length
}
