/** A catalogue of sites whose pages have given contents. */

import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { hash64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { fileReports } from '../sample-catalogue.test-data.ts'

/** Site → path → content; a path `https:/x` is fetched by https. A content `→URL` is a redirect. */
export type Sites = Readonly<Record<string, Readonly<Record<string, string>>>>

export async function catalogueOf(sites: Sites): Promise<Database> {
  const database = openSqlite(':memory:')
  for (const [name, pages] of Object.entries(sites)) {
    await database.transact((tx) => {
      sqliteTx(tx).run(
        'INSERT INTO site_stats (site, name, first_at, last_at) VALUES (?, ?, ?, ?)',
        siteKeyOf(name),
        name,
        NOON,
        NOON,
      )
    })
    for (const [path, content] of Object.entries(pages)) await addPage(database, urlOf(name, path), content)
  }
  return database
}

export async function addPage(database: Database, url: string, content: string, changes: Partial<PageReport> = {}) {
  const moved = content.startsWith('→')
  const page = samplePage(url, moved ? { outcome: { kind: 'moved', to: content.slice(1) }, status: 301 } : {}, content)
  const report = sampleReport(new URL(url).host, 1, [{ ...page, key: hash64(url), ...changes }])
  await database.transact((tx) => fileReports(tx, [report]))
}

function urlOf(name: string, path: string): string {
  return path.startsWith('https:') ? `https://${name}${path.slice(6)}` : `http://${name}${path}`
}

/** `n` pages `/1` … with contents `prefix1` …, and a home page. */
export function site(home: string, prefix: string, n: number): Record<string, string> {
  return Object.fromEntries([['/', home], ...Array.from({ length: n }, (_, i) => [`/${i + 1}`, `${prefix}${i + 1}`])])
}
