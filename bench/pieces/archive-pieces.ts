/** What it costs to keep a page: its digest, its gzip member, and all of the archive together. */
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { realClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { realDisk } from '../../src/base/real-disk.ts'
import { removeCoding } from '../../src/web/http/decode.ts'
import { deflatedMember, storedMember } from '../../src/web/warc/gzip-member.ts'
import { payloadDigest } from '../../src/web/warc/http-block.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { openArchive } from '../volumes/dropping-archive.ts'
import type { Material } from './material.ts'
import { timeEach, timeOnce } from './stopwatch.ts'
import type { Piece } from './worker-pieces.ts'

type Page = Material['pages'][number]

export async function archivePieces({ pages }: Material): Promise<Piece[]> {
  const coded = pages.map(inGzip)
  const drop = () => {}
  const piece = (name: string, microseconds: number, note: string): Piece => ({ name, microseconds, note })
  return [
    piece(
      'decode gzip',
      timeEach(coded, ({ answer }) => void removeCoding(answer.payload, 'gzip', 2e6)),
      'gzip-encoded answers only',
    ),
    piece(
      'payload digest',
      timeEach(pages, ({ answer }) => void payloadDigest(answer)),
      'SHA-1',
    ),
    piece(
      'deflate',
      timeEach(pages, ({ answer }) => deflatedMember(drop, [answer.wireHead, answer.payload])),
      'a gzip member; part of the archive of an identity answer',
    ),
    piece(
      'deflate, request',
      timeEach(pages, ({ request }) => deflatedMember(drop, [request])),
      'part of the archive of an identity answer',
    ),
    piece(
      'store',
      timeEach(coded, ({ answer }) => storedMember(drop, [answer.wireHead, answer.payload])),
      'a gzip member without compressing; part of the archive of a gzip answer',
    ),
    piece('archive, identity answer', timeKeeping(pages), 'request and response: digests, deflated; not the disk'),
    piece('archive, gzip answer', timeKeeping(coded), 'stored as it came'),
    piece('write', await timeWriting(pages), 'its gzip member to a file, in pieces of 1 MB, with one sync'),
  ]
}

const BLOCK_BYTES = 1024 * 1024
const BLOCKS = 100

/** As much as a volume's buffer is at a time, whose bytes are as hard to compress as a volume's. */
async function timeWriting(pages: readonly Page[]): Promise<number> {
  using folder = temporaryFolder()
  let bytes = 0
  const count = (written: Uint8Array) => void (bytes += written.length)
  for (const { answer } of pages) deflatedMember(count, [answer.wireHead, answer.payload])
  const random = seededRandom(1)
  const block = Uint8Array.from({ length: BLOCK_BYTES }, () => random.integer(256))
  const file = realDisk.append(join(folder.path, 'volume'))
  const spent = await timeOnce(async () => {
    for (let at = 0; at < BLOCKS; at++) file.write(block)
    await file.sync()
  })
  file.close()
  return (spent / (BLOCKS * BLOCK_BYTES)) * (bytes / pages.length)
}

function inGzip(page: Page): Page {
  const payload = new Uint8Array(gzipSync(page.answer.payload, { level: 6 }))
  const { head } = page.answer
  const headers = [...head.headers, ['Content-Encoding', 'gzip'] as const]
  return { ...page, answer: { ...page.answer, head: { ...head, headers }, payload } }
}

function timeKeeping(pages: readonly Page[]): number {
  const archive = openArchive({
    folder: 'archive',
    prefix: 'BENCH',
    hostname: 'bench',
    worker: 'w1',
    clock: realClock,
    random: seededRandom(1),
    rollBytes: 1e9,
    info: { software: 'bench', userAgent: 'bench', robots: 'obey' },
    journal: { record() {} },
  })
  return timeEach(pages, (page) => void archive.keep(page, 'sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', undefined))
}
