/** The figures of `report changes`, with the pages that change most and least: by the rates that refreshing has estimated. */
import { changeFigures } from '../../collection/change-figures.ts'
import type { Database } from '../../database/database.ts'
import type { KnownPageRow } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { ChangeReport, ChangingPage } from '../../report/change-tables.ts'
import { allPages } from './plan.ts'

const DAY = 86_400

export async function changeReport(database: Database, atMost: number): Promise<ChangeReport> {
  const figures = await database.read((tx) => changeFigures(tx, atMost))
  let [most, least]: KnownPageRow[][] = [[], []]
  let pages = 0
  for await (const piece of allPages(database)) {
    // Others have not been looked at again, so nothing was seen of them.
    const observed = piece.filter((page) => observedMs(page) > 0)
    pages += observed.length
    most = [...most, ...observed.filter(({ changes }) => changes > 0)].sort((a, b) => b.rate - a.rate).slice(0, atMost)
    least = [...least, ...observed].sort((a, b) => a.rate - b.rate || observedMs(b) - observedMs(a)).slice(0, atMost)
  }
  // A page of a small collection is not both.
  least = least.filter((page) => !most.some(({ site, key }) => site === page.site && key === page.key))
  const hints = await database.read((tx) => frontierQueries.hintFigures(tx, atMost))
  return { ...figures, hints, pages, most: await named(database, most), least: await named(database, least) }
}

const observedMs = ({ changedMs, unchangedMs }: KnownPageRow) => changedMs + unchangedMs

async function named(database: Database, pages: readonly KnownPageRow[]): Promise<ChangingPage[]> {
  const urls = await database.read((tx) => frontierQueries.urlTexts(tx, pages))
  return pages.map((page, i) => ({
    url: urls[i] ?? '',
    changesPerDay: page.rate * DAY,
    changes: page.changes,
    observedMs: observedMs(page),
  }))
}
