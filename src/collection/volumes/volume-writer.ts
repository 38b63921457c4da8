/**
 * A worker's archive (B4, V24): one volume at a time, written in place, synced once a second.
 *
 * Order of durability. `keep` only fills a buffer (and the file, when the buffer is full). `synced` writes the rest, syncs the
 * data of every volume written to, then syncs the folder for the names of new volumes, and only then resolves. `keep` cannot
 * wait, so it leaves a full volume as `.open`; the next `synced` makes its data and name durable and then renames it. So a
 * volume without `.open` is always whole. If a crash undoes the rename, `repair` closes the volume again.
 *
 * A write that fails (disk full) breaks the archive for good: the caller gets the error, every later call throws it again, and
 * the file stays as `.open` with a torn tail, which `repair` cuts.
 */
import { dirname } from 'node:path'
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { oneForAll } from '../../base/in-order.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { Body, Exchange } from '../../contracts/exchange.ts'
import type { Archive, StoredCopy } from '../../contracts/ports.ts'
import type { Capture } from '../../contracts/report.ts'
import { type Emit, type Gzip, zlibGzip } from '../../web/deflate/gzip.ts'
import { headersOf } from '../../web/http/headers.ts'
import { checkedMember, deflatedMember, storedMember } from '../../web/warc/gzip-member.ts'
import { isPacked, storedHead } from '../../web/warc/http-block.ts'
import {
  RECORD_END,
  recordIds,
  requestHead,
  responseHead,
  revisitHead,
  type WarcInfo,
  warcinfoBlock,
  warcinfoHead,
} from '../../web/warc/record.ts'
import { OPEN, volumeName } from './volume-name.ts'

export interface ArchiveOptions {
  disk: Disk
  /** The collection's `archive/`; created if missing. */
  folder: string
  prefix: string
  hostname: string
  worker: string
  clock: Clock
  random: Random
  /** A volume that has reached this is closed before the next exchange is written. */
  rollBytes: number
  info: WarcInfo
  journal: Journal<Event>
  /** How records are packed; for tests. */
  packing?: Packing
}

interface Packing {
  deflated: Gzip
  stored: Gzip
}

interface Volume {
  name: string
  file: AppendFile
}

const BUFFER_BYTES = 1024 * 1024
/** One record in so many is unpacked again by zlib and compared; of each volume also the first two. Costs 0.1 µs per record. */
const RECORDS_PER_CHECK = 1000

export function openArchive(options: ArchiveOptions): Archive {
  return new VolumeWriter(options)
}

class VolumeWriter implements Archive {
  readonly #options: ArchiveOptions
  readonly #nextId: () => string
  readonly #buffer = new ByteBuffer(BUFFER_BYTES)
  #volume: Volume | undefined
  /** Full volumes whose data may not be durable yet. */
  #full: Volume[] = []
  #serial = 0
  #folderChanged = false
  #folderNameSynced = false
  #broken: { error: unknown } | undefined
  #closed = false
  #packing: Packing
  /** In the current volume. */
  #records = 0
  #checked = 0
  #wrong = 0

  constructor(options: ArchiveOptions) {
    this.#options = options
    this.#packing = options.packing ?? { deflated: deflatedMember, stored: storedMember }
    const { hostname, worker, clock, random } = options
    this.#nextId = recordIds(random, `${hostname} ${worker} ${clock.now()} ${clock.elapsed()}`)
  }

  keep(exchange: Exchange, digest: string, copy: StoredCopy | undefined): Capture {
    const kept = keptOf(exchange)
    return this.#orBreak(() => this.#writeAnswer(this.#volumeForNext(), exchange, kept, digest, copy))
  }

  checks(): { checked: number; wrong: number } {
    const found = { checked: this.#checked, wrong: this.#wrong }
    this.#checked = 0
    this.#wrong = 0
    return found
  }

  /** The running sync may have begun before the caller's last record, so all callers share the next one. */
  readonly synced = oneForAll(() => this.#sync())

  async close(): Promise<void> {
    if (this.#closed) return
    try {
      if (this.#broken === undefined) await this.#closeWhole()
    } finally {
      this.#closed = true
      for (const volume of this.#full) volume.file.close()
      this.#volume?.file.close()
      this.#full = []
      this.#volume = undefined
    }
  }

  async #closeWhole(): Promise<void> {
    if (this.#volume !== undefined) this.#orBreak(() => this.#retire())
    await this.synced()
    if (this.#folderChanged) await this.#syncNames()
    this.#folderChanged = false
  }

  /** The folder may be new, and then its name in the folder above needs a sync too. */
  async #syncNames(): Promise<void> {
    const { disk, folder } = this.#options
    await disk.syncFolder(folder)
    if (!this.#folderNameSynced) await disk.syncFolder(dirname(folder))
    this.#folderNameSynced = true
  }

  async #sync(): Promise<void> {
    const files = this.#orBreak(() => {
      if (this.#volume !== undefined) this.#buffer.flush(this.#volume.file)
      return this.#volume === undefined ? [...this.#full] : [...this.#full, this.#volume]
    })
    const full = this.#full.length
    const folderChanged = this.#folderChanged
    this.#folderChanged = false
    try {
      await Promise.all(files.map(({ file }) => file.sync()))
      if (folderChanged) await this.#syncNames()
    } catch (error) {
      // After a failed sync the system may have dropped pages, so a second one proves nothing.
      this.#broken ??= { error }
      throw error
    }
    this.#orBreak(() => {
      for (const volume of this.#full.splice(0, full)) this.#finish(volume)
    })
    this.#options.journal.record({ kind: 'synced', worker: this.#options.worker })
  }

  /** For the next exchange: request and answer are always in the same volume. */
  #volumeForNext(): Volume {
    if (this.#volume !== undefined && this.#position(this.#volume) >= this.#options.rollBytes) this.#retire()
    this.#volume ??= this.#open()
    return this.#volume
  }

  #open(): Volume {
    const { disk, folder, prefix, clock, hostname, worker, journal } = this.#options
    const at = clock.now()
    const who = worker === '' ? hostname : `${hostname}~${worker}`
    disk.makeFolder(folder)
    let name: string
    do name = volumeName(prefix, at, this.#serial++, who)
    while (disk.size(`${folder}/${name}`) !== undefined || disk.size(`${folder}/${name}${OPEN}`) !== undefined)
    const volume = { name, file: disk.append(`${folder}/${name}${OPEN}`) }
    this.#folderChanged = true
    this.#records = 0
    journal.record({ kind: 'volume-opened', name })
    const block = utf8(warcinfoBlock(this.#options.info, hostname))
    const head = warcinfoHead({
      id: this.#nextId(),
      at,
      filename: name,
      blockDigest: sha1(block),
      length: block.length,
    })
    this.#write(volume, false, [utf8(head), block, RECORD_END])
    return volume
  }

  #retire(): void {
    assert(this.#volume !== undefined, 'a volume to retire')
    this.#buffer.flush(this.#volume.file)
    this.#full.push(this.#volume)
    this.#volume = undefined
  }

  #finish(volume: Volume): void {
    const { disk, folder, journal } = this.#options
    const bytes = volume.file.size
    volume.file.close()
    disk.rename(`${folder}/${volume.name}${OPEN}`, `${folder}/${volume.name}`)
    this.#folderChanged = true
    journal.record({ kind: 'volume-closed', name: volume.name, bytes })
  }

  #writeAnswer(volume: Volume, exchange: Exchange, kept: Kept, digest: string, copy: StoredCopy | undefined): Capture {
    const revisits = copy !== undefined && (kept.payload.length > 0 || kept.isUnmodified)
    const answerId = this.#nextId()
    const common = { at: exchange.sentAt, url: exchange.url, ip: exchange.address.ip, protocols: kept.protocols }
    const body = revisits ? NO_BYTES : kept.payload
    // pywb would replay the head of a 304 instead of the page; without a head it takes that of the original.
    const httpHead = revisits && kept.isUnmodified ? NO_BYTES : kept.head
    const record = {
      ...common,
      id: answerId,
      blockDigest: body.length === 0 ? sha1(httpHead) : sha1(httpHead, body),
      length: httpHead.length + body.length,
      payloadDigest: digest,
      truncated: kept.truncated,
      certificate: exchange.certificate,
    }
    const profile = kept.isUnmodified ? 'server-not-modified' : 'identical-payload-digest'
    const head = utf8(revisits ? revisitHead({ ...record, original: copy, profile }) : responseHead(record))
    const offset = this.#position(volume)
    const packed = kept.packed && body.length > 0
    this.#write(volume, packed, [head, httpHead, body, RECORD_END])
    const length = this.#position(volume) - offset
    const { request } = exchange
    if (request.length > 0) {
      // Only the second record names the first: one link is enough (WARC 1.1, §5.7), and warcat rejects names of records
      // that come later.
      const requestRecord = { ...common, id: this.#nextId(), concurrentTo: answerId }
      const requestBytes = utf8(requestHead({ ...requestRecord, blockDigest: sha1(request), length: request.length }))
      this.#write(volume, packed, [requestBytes, request, RECORD_END])
    }
    return { volume: volume.name, offset, length, digest, kind: revisits ? 'revisit' : 'response' }
  }

  /** `packed`: most of the bytes are compressed already. */
  #write(volume: Volume, packed: boolean, parts: readonly Uint8Array[]): void {
    const emit = (bytes: Uint8Array) => this.#buffer.add(volume.file, bytes)
    const make = packed ? this.#packing.stored : this.#packing.deflated
    if (this.#records++ % RECORDS_PER_CHECK > 1) make(emit, parts)
    else this.#writeChecked(volume, make, emit, parts)
  }

  #writeChecked(volume: Volume, make: Gzip, emit: Emit, parts: readonly Uint8Array[]): void {
    this.#checked++
    if (checkedMember(make, emit, parts) === 'right') return
    this.#wrong++
    // The fault may affect every record, so nothing more is packed that way.
    this.#packing = { deflated: zlibGzip, stored: zlibGzip }
    const what = `a record of ${volume.name} was packed wrongly and is written again with zlib, as are all that follow; please report this, and run verify`
    this.#options.journal.record({ kind: 'trouble', what })
  }

  #position(volume: Volume): number {
    return volume.file.size + this.#buffer.filled
  }

  #orBreak<T>(work: () => T): T {
    if (this.#broken !== undefined) throw this.#broken.error
    assert(!this.#closed, 'the archive is closed')
    try {
      return work()
    } catch (error) {
      this.#broken = { error }
      throw error
    }
  }
}

const NO_BYTES = new Uint8Array(0)

function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

/** Gathers small pieces, so that the file gets few, large, sequential writes. */
class ByteBuffer {
  readonly #bytes: Buffer
  #filled = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  get filled(): number {
    return this.#filled
  }

  add(file: AppendFile, bytes: Uint8Array): void {
    if (this.#filled + bytes.length > this.#bytes.length) this.flush(file)
    if (bytes.length >= this.#bytes.length) {
      file.write(bytes)
      return
    }
    this.#bytes.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  flush(file: AppendFile): void {
    if (this.#filled === 0) return
    const ready = this.#bytes.subarray(0, this.#filled)
    this.#filled = 0
    file.write(ready)
  }
}

const HTTP_VERSION = /^http\/\d(?:\.\d)?$/

/** A 204 or 304 has no body, whatever length it names. */
function announcesTooMuch({ head, payload }: Body): boolean {
  return payload.length === 0 && headersOf(head.headers, 'content-length').some((length) => !/^0*$/.test(length))
}

/** A declined answer has only a head: it is kept, marked as truncated. */
function keptOf(exchange: Exchange) {
  const { answer } = exchange
  assert(answer.kind !== 'failed' && answer.kind !== 'withheld', 'only answers are kept')
  const version = answer.head.version.toLowerCase()
  const protocols = HTTP_VERSION.test(version) ? [version] : []
  if (exchange.tls !== undefined) protocols.push(exchange.tls)
  const isDeclined = answer.kind === 'declined'
  return {
    /** As received, except that headers which do not hold for the stored payload are renamed. */
    head: storedHead(answer.wireHead, answer.kind !== 'full' || announcesTooMuch(answer)),
    payload: isDeclined ? NO_BYTES : answer.payload,
    truncated: isDeclined ? 'unspecified' : answer.kind === 'cut' ? answer.why : undefined,
    /** The body is compressed already. */
    packed: !isDeclined && isPacked(answer.head.headers),
    protocols,
    isUnmodified: answer.head.status === 304,
  } as const
}

type Kept = ReturnType<typeof keptOf>
