/** An archive for tests on any disk, with a recorded journal. */

import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { Disk } from '../../base/disk.ts'
import { seededRandom } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { Exchange } from '../../contracts/exchange.ts'
import type { Archive } from '../../contracts/ports.ts'
import type { Capture } from '../../contracts/report.ts'
import { payloadDigest } from '../../web/warc/http-block.ts'
import { bytesOf, records, type WarcRecord } from '../../web/warc/reader.ts'
import { type ArchiveOptions, openArchive } from './volume-writer.ts'

export const FOLDER = 'collection/archive'

export function madeUpArchive(
  disk: Disk,
  options: Partial<ArchiveOptions> = {},
): { archive: Archive; events: Event[] } {
  const events: Event[] = []
  const archive = openArchive({
    disk,
    folder: FOLDER,
    prefix: 'test',
    hostname: 'box',
    worker: 'w1',
    clock: virtualClock(1_700_000_000_123),
    random: seededRandom(1),
    rollBytes: 1e9,
    info: { software: 'orbweaver/0.1.0', userAgent: 'orbweaver/0.1 (+https://example.org/)', robots: 'obey' },
    journal: { record: (event) => void events.push(event) },
    ...options,
  })
  return { archive, events }
}

/** With `original`, as a revisit of it. */
export function keepIn(archive: Archive, exchange: Exchange, original?: Exchange): Capture {
  const digest = payloadDigest({ payload: payloadOf(exchange) })
  return archive.keep(exchange, digest, original && { url: original.url, at: original.sentAt })
}

/** In order, each durable before the next. With `revisits`, a payload that came before is kept as a revisit. */
export async function keepAll(archive: Archive, exchanges: readonly Exchange[], revisits: boolean): Promise<Capture[]> {
  const captures: Capture[] = []
  for (const exchange of exchanges) {
    const payload = payloadOf(exchange)
    const first = exchanges.find((other) => Buffer.compare(payloadOf(other), payload) === 0)
    captures.push(keepIn(archive, exchange, revisits && first !== exchange ? first : undefined))
    await archive.synced()
  }
  return captures
}

function payloadOf({ answer }: Exchange): Uint8Array {
  return 'payload' in answer ? answer.payload : new Uint8Array(0)
}

export function recordsIn(disk: Disk, name: string): WarcRecord[] {
  return [...records(bytesOf(disk, `${FOLDER}/${name}`))].map((record) => {
    if (record.kind === 'fault') throw new Error(`${name} at ${record.offset}: ${record.detail}`)
    return record
  })
}
