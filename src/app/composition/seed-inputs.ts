/** The files, folders and URLs that an operator names as sources of seeds, opened as `app/seeds/` takes them. */
import { createReadStream, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../base/errors.ts'
import { answeredSites } from '../../collection/pages/read-pages.ts'
import type { Database } from '../../database/database.ts'
import { openToRead } from '../../database/sqlite/open.ts'
import type { SeedSource } from '../../frontier/ledger.ts'
import { parseSeed } from '../../web/url/seed.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import { indexedUrls } from '../seeds/cdx.ts'
import { answeredHomes } from '../seeds/earlier-collection.ts'
import { type Found, refused, type SeedInput } from '../seeds/found.ts'
import { namesOf } from '../seeds/names-list.ts'
import { sitemapUrls } from '../seeds/sitemap-file.ts'
import { submission, submissions } from '../seeds/submissions.ts'
import type { Chunks } from '../seeds/unfold.ts'
import { capturedUrls } from '../seeds/warc-targets.ts'

export interface SeedRequest {
  /** One by one, on the command line. */
  words: readonly string[]
  /** `-` is standard input. */
  file: string | undefined
  names: readonly string[]
  collections: readonly string[]
  /** URLs and files. */
  sitemaps: readonly string[]
  cdx: readonly string[]
  warc: readonly string[]
  /** Only the home page of each. */
  homes: boolean
}

export interface OpenInputs {
  inputs: SeedInput[]
  /** How much of an input's file was read, from 0 to 1; undefined when it has no size. */
  share(input: { source: SeedSource; name: string }): number | undefined
  close(): Promise<void>
}

const READ_BYTES = 64 * 1024
const SITES_AT_ONCE = 1000

type Reader = (chunks: Chunks) => AsyncIterable<readonly Found[]>

/** Throws a Problem when one of them is not there: before anything is entered. */
export function openInputs(request: SeedRequest, own: string): OpenInputs {
  const progress = new Map<string, { read: number; size: number }>()
  const collections: Database[] = []
  const inputs: SeedInput[] = []
  const add = (source: SeedSource, paths: readonly string[], unit: SeedInput['unit'], reader: Reader) => {
    for (const path of paths) {
      const name = path === '-' ? 'standard input' : path
      const state = { read: 0, size: sizeOf(path) }
      progress.set(locationOf({ source, name }), state)
      inputs.push({ source, name, unit, found: reader(fileChunks(path, state)) })
    }
  }
  if (request.words.length > 0) inputs.push(given(request.words))
  add('file', request.file === undefined ? [] : [request.file], 'line', submissions)
  add('names', request.names, 'line', namesOf)
  const isUrl = (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const urls = request.sitemaps.filter(isUrl).map(sitemapUrl)
  if (urls.length > 0) inputs.push(words('sitemap', 'sitemaps to be read', urls, 'M'))
  add(
    'sitemap',
    request.sitemaps.filter((text) => !isUrl(text)),
    'URL',
    sitemapUrls,
  )
  add('cdx', request.cdx, 'line', indexedUrls)
  add('warc', request.warc, 'record', capturedUrls)
  for (const folder of request.collections) {
    refuseOwn(folder, own)
    const database = openToRead(join(folder, 'collection.db'))
    collections.push(database)
    const read = (after: bigint | undefined) => database.read((tx) => answeredSites(tx, after, SITES_AT_ONCE))
    inputs.push({ source: 'collection', name: folder, unit: 'site', found: answeredHomes(read) })
  }
  return {
    inputs,
    share(input) {
      const state = progress.get(locationOf(input))
      return state === undefined || state.size === 0 ? undefined : Math.min(1, state.read / state.size)
    },
    async close() {
      for (const database of collections) await database.close()
    },
  }
}

const locationOf = ({ source, name }: { source: SeedSource; name: string }) => `${source} ${name}`

/** Slips are put right as in a file; one that cannot be is told before anything is entered. */
function given(words: readonly string[]): SeedInput {
  const all = words.flatMap((text) => {
    const read = submission({ number: 0, text, isTooLong: false })
    return read.length === 0 ? [refused(text, 0, 'it is empty')] : read
  })
  const bad = all.find((each) => each.kind === 'refused')
  if (bad !== undefined) throw new Problem('bad-seed', `'${bad.text}' is no seed: ${bad.why}`)
  const found = async function* (): AsyncGenerator<readonly Found[]> {
    yield all
  }
  return { source: 'given', name: 'the command line', unit: 'URL', found: found() }
}

function words(source: SeedSource, name: string, urls: readonly WebUrl[], path?: 'M'): SeedInput {
  const found = async function* (): AsyncGenerator<readonly Found[]> {
    yield urls.map((url, i) => ({ kind: 'seed', url, at: i + 1, ...(path === undefined ? {} : { path }) }))
  }
  return { source, name, unit: 'URL', found: found() }
}

function sitemapUrl(text: string): WebUrl {
  const seed = parseSeed(text)
  if (seed.kind === 'bad') throw new Problem('bad-seed', `--from-sitemap: '${text}' is no sitemap: ${seed.why}`)
  return seed.url
}

/** 0 for what has no size: a pipe, standard input. */
function sizeOf(path: string): number {
  if (path === '-') return 0
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) throw new Problem('unreadable', `cannot read ${path}: there is no such file`)
  if (file.isDirectory()) throw new Problem('unreadable', `cannot read ${path}: it is a folder`)
  return file.size
}

async function* fileChunks(path: string, state: { read: number }): AsyncGenerator<Uint8Array> {
  const options = { highWaterMark: READ_BYTES }
  const stream =
    path === '-' ? createReadStream('', { ...options, fd: 0, autoClose: false }) : createReadStream(path, options)
  for await (const chunk of stream) {
    const bytes = chunk as Uint8Array
    state.read += bytes.length
    yield bytes
  }
}

function refuseOwn(folder: string, own: string): void {
  const real = (path: string) => (statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path))
  if (real(folder) === real(own))
    throw new Problem('bad-flag', `--from-collection ${folder} is the collection itself; name an earlier one`)
}
