/**
 * A worker's archive: one volume at a time, written in place, synced once a second.
 *
 * Order of durability. `keep` only fills a buffer (and the file, when the buffer is full). `synced` writes the rest,
 * then syncs the data of every volume written to, then the folder, once, for the names of volumes made since; only then
 * does it resolve. A full volume is left behind as `.open` by `keep`, which cannot wait; the next `synced` makes its data
 * and its name durable first and renames it afterwards, so a volume without `.open` is always whole. A rename that a
 * crash takes back leaves an `.open` that `repair` closes again: nothing waits for it.
 *
 * A write that fails (no room left) breaks the archive for good: the error goes to the caller, every later call throws
 * it again, and the file stays as `.open` with a torn tail, which `repair` cuts.
 */
import { dirname } from 'node:path'
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { Exchange } from '../../contracts/exchange.ts'
import type { Archive, StoredCopy } from '../../contracts/ports.ts'
import type { Capture } from '../../contracts/report.ts'
import { deflatedMember, storedMember } from '../../web/warc/gzip-member.ts'
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
import { type Kept, keptOf } from './kept.ts'
import { StoredCopies } from './stored-copies.ts'
import { OPEN, volumeName } from './volume-name.ts'

export interface ArchiveOptions {
  disk: Disk
  /** The collection's `archive/`; made when it is not there. */
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
  /** Payloads remembered for revisits, about 200 bytes each. */
  copiesInMemory: number
}

interface Volume {
  name: string
  file: AppendFile
}

const BUFFER_BYTES = 1024 * 1024

export function openArchive(options: ArchiveOptions): Archive {
  return new VolumeWriter(options)
}

class VolumeWriter implements Archive {
  readonly #options: ArchiveOptions
  readonly #nextId: () => string
  readonly #twins: StoredCopies
  readonly #buffer = new ByteBuffer(BUFFER_BYTES)
  #volume: Volume | undefined
  /** Full volumes whose data are not yet known to be durable. */
  #full: Volume[] = []
  #serial = 0
  #folderChanged = false
  #folderNameSynced = false
  #running: Promise<void> | undefined
  #queued: Promise<void> | undefined
  #broken: { error: unknown } | undefined
  #closed = false

  constructor(options: ArchiveOptions) {
    this.#options = options
    const { hostname, worker, clock, random } = options
    this.#nextId = recordIds(random, `${hostname} ${worker} ${clock.now()} ${clock.elapsed()}`)
    this.#twins = new StoredCopies(options.copiesInMemory)
  }

  keep(exchange: Exchange, digest: string, copy: StoredCopy | undefined): Capture {
    const kept = keptOf(exchange)
    return this.#orBreak(() => {
      const volume = this.#room()
      const capture = this.#writeAnswer(volume, exchange, kept, digest, copy)
      if (capture.kind === 'response' && kept.payload.length > 0)
        this.#twins.wrote(digest, exchange.url, exchange.sentAt)
      return capture
    })
  }

  copyOf(digest: string): StoredCopy | undefined {
    return this.#twins.find(digest)
  }

  synced(): Promise<void> {
    // What runs may have begun before the caller's last record: the next one is for all who ask meanwhile.
    if (this.#queued !== undefined) return this.#queued
    if (this.#running === undefined) return this.#startSync()
    this.#queued = this.#running.then(() => this.#startSync())
    return this.#queued
  }

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

  /** The folder itself may be new: its own name stands in the folder above. */
  async #syncNames(): Promise<void> {
    const { disk, folder } = this.#options
    await disk.syncFolder(folder)
    if (!this.#folderNameSynced) await disk.syncFolder(dirname(folder))
    this.#folderNameSynced = true
  }

  #startSync(): Promise<void> {
    const run = this.#sync()
    this.#running = run
    this.#queued = undefined
    const over = () => {
      if (this.#running === run) this.#running = undefined
    }
    run.then(over, over)
    return run
  }

  async #sync(): Promise<void> {
    const files = this.#orBreak(() => {
      if (this.#volume !== undefined) this.#buffer.flush(this.#volume.file)
      return this.#volume === undefined ? [...this.#full] : [...this.#full, this.#volume]
    })
    const full = this.#full.length
    const folderChanged = this.#folderChanged
    this.#folderChanged = false
    const durable = this.#twins.syncing()
    try {
      await Promise.all(files.map(({ file }) => file.sync()))
      if (folderChanged) await this.#syncNames()
    } catch (error) {
      // After a failed sync nobody knows which pages the system still holds: a second try would prove nothing.
      this.#broken ??= { error }
      throw error
    }
    durable()
    this.#orBreak(() => {
      for (const volume of this.#full.splice(0, full)) this.#finish(volume)
    })
    this.#options.journal.tell({ kind: 'synced', worker: this.#options.worker })
  }

  /** The volume for the next exchange; request and answer of one exchange always lie in the same. */
  #room(): Volume {
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
    journal.tell({ kind: 'volume-opened', name })
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
    journal.tell({ kind: 'volume-closed', name: volume.name, bytes })
  }

  #writeAnswer(volume: Volume, exchange: Exchange, kept: Kept, digest: string, copy: StoredCopy | undefined): Capture {
    const revisits = copy !== undefined && kept.payload.length > 0
    const answerId = this.#nextId()
    const common = { at: exchange.sentAt, url: exchange.url, ip: exchange.address.ip, protocols: kept.protocols }
    const body = revisits ? NO_BYTES : kept.payload
    const record = {
      ...common,
      id: answerId,
      blockDigest: body.length === 0 ? sha1(kept.head) : sha1(kept.head, body),
      length: kept.head.length + body.length,
      payloadDigest: digest,
      truncated: kept.truncated,
      certificate: exchange.certificate,
    }
    const head = utf8(revisits ? revisitHead({ ...record, original: copy }) : responseHead(record))
    const offset = this.#position(volume)
    const packed = kept.packed && body.length > 0
    this.#write(volume, packed, [head, kept.head, body, RECORD_END])
    const length = this.#position(volume) - offset
    const { request } = exchange
    if (request.length > 0) {
      // Only the second record names the first: warcat takes a name that comes before its record for a fault, and one
      // line ties both (WARC 1.1, §5.7).
      const requestRecord = { ...common, id: this.#nextId(), concurrentTo: answerId }
      const requestBytes = utf8(requestHead({ ...requestRecord, blockDigest: sha1(request), length: request.length }))
      this.#write(volume, packed, [requestBytes, request, RECORD_END])
    }
    return { volume: volume.name, offset, length, digest, kind: revisits ? 'revisit' : 'response' }
  }

  /** `packed`: what is in the parts is for the most part compressed already. */
  #write(volume: Volume, packed: boolean, parts: readonly Uint8Array[]): void {
    const emit = (bytes: Uint8Array) => this.#buffer.add(volume.file, bytes)
    if (packed) storedMember(emit, parts)
    else deflatedMember(emit, parts)
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

/** One reused buffer before a file: small pieces are gathered, so that the file sees few, large, sequential writes. */

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
