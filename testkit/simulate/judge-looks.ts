/**
 * A collection that was refreshed, whatever happened meanwhile: what the frontier counts (`known_page`, `site_looks`), what the
 * catalogue shows (`page`, captures, counters) and what the servers answered must agree, look by look.
 */
import type { Instant, Millis } from '../../src/base/clock.ts'
import { everyCapture, hasPage, type StoredCapture } from '../../src/collection/captures/read-captures.ts'
import { readLooks } from '../../src/collection/counters/counters.ts'
import { pagesSince } from '../../src/collection/pages/read-pages.ts'
import type { Database } from '../../src/database/database.ts'
import { queries } from '../../src/database/queries.ts'
import type { KnownPageRow, SeedPosition } from '../../src/frontier/contract.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { canonicalUrl } from '../web/spelling.ts'

export interface JudgedLooks {
  /** Second and later looks at known pages. */
  looks: number
  /** What does not agree. */
  faults: string[]
  /** Answers with a page, whole or by 304, of which the collection knows nothing. */
  lost: { url: string; at: Instant }[]
}

export interface Apart {
  /** How far the times of a capture and of its answer, as its server has it, may be apart. */
  answer: Millis
  /** The times of a capture and of its look, as the frontier has it: instants are rounded, and never later than now. */
  look: Millis
}

const ROWS = 1000

/** `answers`: by URL, when its server answered with the page or with 304. Pages that failed now and then are left out. */
export async function judgeLooks(
  database: Database,
  answers: ReadonlyMap<string, readonly Instant[]>,
  apart: Apart,
): Promise<JudgedLooks> {
  const judged: JudgedLooks = { looks: 0, faults: [], lost: [] }
  const { faults } = judged
  const captures = await capturesByUrl(database)
  const pages = await pagesByUrl(database)
  const bySite = new Map<bigint, SiteSum>()
  for (const { url, row } of await knownPages(database)) {
    const sum = bySite.get(row.site) ?? { isWhole: true, looks: 0, changes: 0, changedMs: 0, unchangedMs: 0 }
    bySite.set(row.site, sum)
    const own = captures.get(url) ?? []
    const page = pages.get(url)
    if (page?.outcome !== 'kept' || row.failures > 0 || own.some((capture) => !hasPage(capture))) {
      sum.isWhole = false
      continue
    }
    faults.push(...faultsOfPage(url, row, page.looks, own, apart))
    const { strange, lost } = against(own, answers.get(url) ?? [], apart)
    for (const at of strange) faults.push(`looks: ${url} at ${at} is a look that no server answered`)
    for (const at of lost) judged.lost.push({ url, at })
    judged.looks += own.length - 1
    sum.looks += own.length - 1
    sum.changes += row.changes
    sum.changedMs += row.changedMs
    sum.unchangedMs += row.unchangedMs
  }
  faults.push(...(await faultsOfSites(database, bySite)))
  const { performed } = await database.read((tx) => readLooks(tx))
  const isWhole = [...bySite.values()].every((sum) => sum.isWhole)
  if (isWhole && performed !== judged.looks) faults.push(`looks: ${performed} are counted, and not ${judged.looks}`)
  return judged
}

/** What looks at a site's pages have shown, by its pages; not `isWhole`: some of them were left out. */
interface SiteSum {
  isWhole: boolean
  looks: number
  changes: number
  changedMs: Millis
  unchangedMs: Millis
}

function faultsOfPage(
  url: string,
  row: KnownPageRow,
  looks: number,
  captures: readonly StoredCapture[],
  { look: mayDiffer }: Apart,
): string[] {
  const faults: string[] = []
  const [first, last] = [captures[0], captures[captures.length - 1]]
  if (looks !== captures.length) faults.push(`looks: ${url} has ${looks}, and ${captures.length} captures`)
  if (new Set(captures.map(({ volume, offset }) => `${volume} ${offset}`)).size < captures.length)
    faults.push(`looks: ${url} has a capture twice`)
  if (last === undefined) return faults
  const changes = captures.filter(({ digest }, at) => at > 0 && digest !== captures[at - 1].digest).length
  if (row.changes !== changes) faults.push(`looks: ${url} has ${row.changes} changes, and its captures ${changes}`)
  const [shown, took] = [row.changedMs + row.unchangedMs, last.at - first.at]
  if (Math.abs(shown - took) > 2 * mayDiffer)
    faults.push(`looks: the intervals of ${url} are ${shown} ms, and those of its captures ${took} ms`)
  if (Math.abs(row.lookedAt - last.at) > mayDiffer)
    faults.push(`looks: ${url} was looked at ${row.lookedAt}, and its last capture is of ${last.at}`)
  return faults
}

/** Each capture has an answer of its own: the nearest that no other has. */
function against(captures: readonly StoredCapture[], answers: readonly Instant[], { answer: mayDiffer }: Apart) {
  const left = new Set(answers)
  const strange = captures.flatMap(({ at }) => {
    let nearest = Number.POSITIVE_INFINITY
    for (const answer of left) if (Math.abs(answer - at) < Math.abs(nearest - at)) nearest = answer
    if (Math.abs(nearest - at) > mayDiffer) return [at]
    left.delete(nearest)
    return []
  })
  return { strange, lost: [...left] }
}

async function faultsOfSites(database: Database, bySite: ReadonlyMap<bigint, SiteSum>): Promise<string[]> {
  const rows = await database.read((tx) =>
    queries(tx).allExact<Record<'site' | 'looks' | 'changes' | 'changed_ms' | 'unchanged_ms', bigint>>(
      'SELECT site, looks, changes, changed_ms, unchanged_ms FROM site_looks',
    ),
  )
  const stored = new Map(rows.map((row) => [row.site, row]))
  return [...bySite].flatMap(([site, { isWhole, looks, changes, changedMs, unchangedMs }]) => {
    const row = stored.get(site)
    const shown = [row?.looks, row?.changes, row?.changed_ms, row?.unchanged_ms].map((value) => Number(value ?? 0))
    const sums = [looks, changes, changedMs, unchangedMs]
    return isWhole && shown.join() !== sums.join() ? [`looks: site ${site} has ${shown}, and its pages ${sums}`] : []
  })
}

async function capturesByUrl(database: Database): Promise<Map<string, StoredCapture[]>> {
  const byUrl = new Map<string, StoredCapture[]>()
  for await (const capture of everyCapture(database)) {
    const url = canonicalUrl(capture.url)
    const own = byUrl.get(url)
    if (own === undefined) byUrl.set(url, [capture])
    else own.push(capture)
  }
  for (const own of byUrl.values()) own.sort((a, b) => a.at - b.at)
  return byUrl
}

async function pagesByUrl(database: Database): Promise<Map<string, { looks: number; outcome: string }>> {
  const pages = new Map<string, { looks: number; outcome: string }>()
  for (let last = 0; ; ) {
    const some = await database.read((tx) => pagesSince(tx, last, ROWS))
    for (const { url, looks, outcome } of some) pages.set(canonicalUrl(url), { looks, outcome })
    if (some.length === 0) return pages
    last = some[some.length - 1].id
  }
}

async function knownPages(database: Database): Promise<{ url: string; row: KnownPageRow }[]> {
  const found: { url: string; row: KnownPageRow }[] = []
  for (let after: SeedPosition | undefined; ; ) {
    const from = after
    const { rows, texts } = await database.read(async (tx) => {
      const rows = await frontierQueries.knownPages(tx, from, ROWS)
      return { rows, texts: await frontierQueries.urlTexts(tx, rows) }
    })
    for (const [at, row] of rows.entries()) found.push({ url: canonicalUrl(texts[at] ?? ''), row })
    after = rows.at(-1)
    if (rows.length < ROWS) return found
  }
}
