/** Adds seeds to a collection without crawling, from the files, folders and URLs that the operator names (V2). */
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { turn } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { answeredSites } from '../../collection/pages/read-pages.ts'
import { readBlacklists } from '../../crawl/scope/blacklist-files.ts'
import type { Database } from '../../database/database.ts'
import { openToRead } from '../../database/sqlite/open.ts'
import type { SeedSource } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { parseSeed, submittedSeed } from '../../web/url/seed.ts'
import { parseUrl, type WebUrl } from '../../web/url/web-url.ts'
import { openForSeeding } from '../composition/open-for-writing.ts'
import { blacklistPaths, scopeFor } from '../composition/plan.ts'
import type { Settings } from '../config/keys.ts'
import { indexedUrls } from './cdx.ts'
import { enterSeeds, type SourceReport } from './enter.ts'
import { type Chunks, type Found, fileChunks, foundIn, type Line, refused, type SeedInput, seedOn } from './input.ts'
import { namesOf } from './names-list.ts'
import { sitemapUrls } from './sitemap-file.ts'
import { capturedUrls } from './warc-targets.ts'

/** What the command line has beside the settings: words to read as seeds, and further files for a flag. */
export interface SeedRequest {
  words: readonly string[]
  cdx: readonly string[]
  warc: readonly string[]
  version: string
}

const SITES_AT_ONCE = 1000

type Reader = (chunks: Chunks) => AsyncIterable<readonly Found[]>

/** Throws a Problem when one of them is missing, before anything is entered. */
function openInputs(settings: Settings, { words, cdx, warc }: SeedRequest) {
  const { seeds: file, names, fromSitemap, fromCollection } = settings
  const collections: Database[] = []
  const inputs: SeedInput[] = []
  const add = (source: SeedSource, paths: readonly string[], unit: SeedInput['unit'], reader: Reader) => {
    for (const path of paths) {
      checkFile(path)
      inputs.push({ source, name: path === '-' ? 'standard input' : path, unit, found: reader(fileChunks(path)) })
    }
  }
  if (words.length > 0) inputs.push(given(words))
  add('file', file === undefined ? [] : [file], 'line', submissions)
  add('names', names, 'line', namesOf)
  const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const urls = fromSitemap.filter(isUrl).map(sitemapUrl)
  const sitemaps = urls.map((url, i): Found => ({ kind: 'seed', url, at: i + 1, path: 'M' }))
  if (urls.length > 0)
    inputs.push({ source: 'sitemap', name: 'sitemaps to be read', unit: 'URL', found: batch(sitemaps) })
  const files = fromSitemap.filter((text) => !isUrl(text))
  add('sitemap', files, 'URL', sitemapUrls)
  add('cdx', cdx, 'line', indexedUrls)
  add('warc', warc, 'record', capturedUrls)
  for (const folder of fromCollection) {
    refuseOwn(folder, settings.collection)
    const database = openToRead(join(folder, 'collection.db'))
    collections.push(database)
    const read = (after: bigint | undefined) => database.read((tx) => answeredSites(tx, after, SITES_AT_ONCE))
    inputs.push({ source: 'collection', name: folder, unit: 'site', found: answeredHomes(read) })
  }
  return {
    inputs,
    async close() {
      for (const database of collections) await database.close()
    },
  }
}

/** Slips are corrected as in a file; one that cannot be corrected throws before anything is entered. */
function given(words: readonly string[]): SeedInput {
  const all = words.flatMap((text) => {
    const read = submission({ number: 0, text })
    return read.length === 0 ? [refused(text, 0, 'it is empty')] : read
  })
  const bad = all.find((each) => each.kind === 'refused')
  if (bad !== undefined) throw new Problem('bad-seed', `cannot use '${bad.text}' as a seed: ${bad.why}`)
  return { source: 'given', name: 'the command line', unit: 'URL', found: batch(all) }
}

async function* batch(found: readonly Found[]): AsyncGenerator<readonly Found[]> {
  yield found
}

function sitemapUrl(text: string): WebUrl {
  const seed = parseSeed(text)
  if (seed.kind === 'bad') throw new Problem('bad-seed', `--from-sitemap: '${text}' is not a valid URL: ${seed.why}`)
  return seed.url
}

function checkFile(path: string): void {
  if (path === '-') return
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) throw new Problem('unreadable', `cannot read ${path}: no such file or folder`)
  if (file.isDirectory()) throw new Problem('unreadable', `cannot read ${path}: it is a folder`)
}

function refuseOwn(folder: string, own: string): void {
  const real = (path: string) => (statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path))
  if (real(folder) === real(own))
    throw new Problem('bad-flag', `--from-collection ${folder} is the collection itself; name an earlier one`)
}

export interface SeedWatch {
  /** Asked between two batches. What was entered stays. */
  stopped(): boolean
  /** After each batch. */
  progress(report: SourceReport): void
}

export type SeedsEntered = Awaited<ReturnType<typeof enterSeeds>>

/** Seeds that the operator names again are tried again if they gave no answer in a crawl that has ended. Those of other lists are not. */
const NAMED: ReadonlySet<SeedSource | undefined> = new Set<SeedSource>(['given', 'file', 'names'])

export async function enterFromSources(
  settings: Settings,
  request: SeedRequest,
  watch: SeedWatch,
): Promise<SeedsEntered> {
  const blacklist = readBlacklists(blacklistPaths(settings), realDisk)
  const open = openInputs(settings, request)
  try {
    const { database, ledger, urls: reader, close } = await openForSeeding(settings, request.version)
    try {
      const { sites, urls } = await database.read((tx) => frontierQueries.totals(tx))
      const isOver = urls.waiting + sites.leased + sites.returning === 0
      return await enterSeeds(open.inputs, {
        urls: reader,
        homes: settings.homes,
        scopeWith: (seeds) => scopeFor(settings, seeds, () => blacklist)(),
        enter: (seeds) =>
          database.transact(async (tx) => {
            const statuses = await frontierQueries.seedStatuses(tx, seeds)
            await ledger.seed(tx, seeds)
            const isNamed = isOver && NAMED.has(seeds[0]?.source)
            return { statuses, again: isNamed ? await ledger.tryAgain(tx, seeds) : 0 }
          }),
        stopped: watch.stopped,
        progress: watch.progress,
        turn,
      })
    } finally {
      await close()
    }
  } finally {
    await open.close()
  }
}

/**
 * The home pages of the sites that answered in an earlier crawl. `read` takes the `last` of the previous batch, undefined at the
 * start; its `last` is undefined at the end.
 */
export async function* answeredHomes(
  read: (after: bigint | undefined) => Promise<{ urls: readonly string[]; last: bigint | undefined }>,
): AsyncGenerator<readonly Found[]> {
  let at = 0
  for (let after: bigint | undefined; ; ) {
    const { urls, last } = await read(after)
    if (last === undefined) return
    yield urls.flatMap((text): Found[] => {
      const url = parseUrl(text)
      at++
      return url === undefined ? [] : [{ kind: 'seed', url, at }]
    })
    after = last
  }
}

/** Reads seeds as people submit them: one per line, `#` starts a comment. Each mistake is corrected or reported with its line. */
export const submissions = (chunks: Chunks) => foundIn(chunks, submission)

function submission({ number, text }: Omit<Line, 'isTooLong'>): Found[] {
  const seed = seedOn(text)
  if (seed === '') return []
  const read = submittedSeed(seed)
  if (read.kind === 'bad') return [refused(seed, number, read.why)]
  return [{ kind: 'seed', url: read.url, at: number, ...(read.isCorrected && { instead: seed }) }]
}
