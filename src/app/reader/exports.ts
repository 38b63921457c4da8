/** Index and pages for other programs, one row at a time. */
import { join } from 'node:path'
import type { Instant } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { pick } from '../../base/pick.ts'
import { scratchFolder } from '../../base/real-disk.ts'
import { cdxjLine } from '../../collection/captures/cdxj.ts'
import { INDEX, indexLines, lineText, mergeIndex } from '../../collection/captures/cdxj-merge.ts'
import { captureCount, everyCapture, hasPage } from '../../collection/captures/read-captures.ts'
import { pagesSince, type StoredPage } from '../../collection/pages/read-pages.ts'
import { inPieces } from '../../collection/row-id.ts'
import type { Database } from '../../database/database.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'

/**
 * The index of the collection when it is complete. Otherwise (a crawl is running, or was killed) its lines are sorted again in a
 * scratch folder: a reader may not be allowed to write in the collection.
 */
export async function* exportCdxj(
  database: Database,
  disk: Disk,
  indexes: string,
  running: () => Promise<boolean>,
): AsyncGenerator<string> {
  const index = join(indexes, INDEX)
  if (!(await running()) && (await isComplete(database, disk, index))) {
    for (const line of indexLines(disk, index)) yield lineText(line)
    return
  }
  using scratch = scratchFolder('index')
  await mergeIndex(disk, scratch.path, linesOfCatalogue(database))
  for (const line of indexLines(disk, join(scratch.path, INDEX))) yield lineText(line)
}

async function isComplete(database: Database, disk: Disk, index: string): Promise<boolean> {
  let lines = 0
  for (const _ of indexLines(disk, index)) lines++
  return lines === (await database.read(captureCount))
}

async function* linesOfCatalogue(database: Database): AsyncGenerator<string[]> {
  for await (const capture of everyCapture(database)) yield [cdxjLine(capture)]
}

/** Captures of documents: no redirects, errors or robots.txt. `bytes`: of the compressed record. */
export async function* everyLook(
  database: Database,
): AsyncGenerator<{ url: string; at: Instant; digest: string; bytes: number }> {
  for await (const capture of everyCapture(database)) {
    const { url, at, digest, length } = capture
    if (hasPage(capture) && !url.endsWith('/robots.txt')) yield { url, at, digest, bytes: length }
  }
}

const PAGES_AT_ONCE = 1000

/** The columns of the catalogue's view `pages`, with the same names. */
export async function* exportPages(database: Database): AsyncGenerator<object> {
  const read = (last?: StoredPage) => database.read((tx) => pagesSince(tx, last?.id ?? 0, PAGES_AT_ONCE))
  for await (const pages of inPieces(read)) yield* pages.map(columns)
}

function columns(page: StoredPage): object {
  return {
    url: page.url,
    site: parseUrl(page.url)?.site ?? null,
    ...pick(page, 'depth', 'via', 'path', 'status', 'outcome', 'why', 'detail'),
    media_type: page.mediaType,
    ...pick(page, 'sniffed', 'language', 'bytes'),
    took_ms: page.tookMs,
    ...pick(page, 'tries', 'looks', 'digest', 'title', 'annotations'),
    first_at: isoInstant(page.firstAt),
    at: isoInstant(page.at),
  }
}
