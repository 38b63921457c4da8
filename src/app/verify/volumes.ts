/** Reads every volume from end to end and compares its records with the catalogue's captures, both in file order. */
import type { Disk } from '../../base/disk.ts'
import {
  capturesIn,
  knownEnd,
  responseAt,
  responseWith,
  type StoredCapture,
} from '../../collection/captures/read-captures.ts'
import {
  describeLocation,
  fetchVolume,
  isOwnFolder,
  locationsOf,
  pathAt,
  type VolumeSources,
  volumeNames,
} from '../../collection/locations/read-volumes.ts'
import { DIR } from '../../collection/locations/volume-locations.ts'
import { type FoundCapture, verifyVolume } from '../../collection/volumes/verify-volume.ts'
import { isOpenVolume, OPEN, volumeFiles, volumePath } from '../../collection/volumes/volume-name.ts'
import type { Database, Tx } from '../../database/database.ts'
import { Faults } from './faults.ts'

export interface VolumesTotals {
  /** Read from end to end. */
  volumes: number
  records: number
  captures: number
  /** Volumes that lie elsewhere and were not read. */
  elsewhere: number
}

export interface VolumesParts {
  database: Database
  disk: Disk
  archive: string
  /** The server whose folder this is, if it is a server's. */
  server: string | undefined
  sources: VolumeSources
  /** Volumes that lie elsewhere are fetched. */
  everywhere: boolean
}

/** A shared database can be asked from any folder. Volumes missing in a folder where none of its servers ran are not lost. */
export function isForeignFolder({ database, server }: VolumesParts): boolean {
  return database.dialect === 'postgres' && server === undefined
}

export async function verifyVolumes(
  parts: VolumesParts,
  faults: Faults,
  progress: (volume: string) => void,
): Promise<VolumesTotals> {
  const { database, disk, archive } = parts
  const totals: VolumesTotals = { ...NOTHING_READ }
  const names = await database.read(volumeNames)
  for (const { name } of volumeFiles(disk, archive)) names.push(name)
  for (const name of [...new Set(names)].sort()) {
    progress(name)
    const { found, volume } = await verifyNamed(parts, name)
    faults.include(found)
    for (const what of ['volumes', 'records', 'captures', 'elsewhere'] as const) totals[what] += volume[what]
  }
  return totals
}

const NOTHING_READ: VolumesTotals = { volumes: 0, records: 0, captures: 0, elsewhere: 0 }
const ELSEWHERE: VolumesTotals = { ...NOTHING_READ, elsewhere: 1 }

interface Verified {
  found: Faults
  volume: VolumesTotals
}

/**
 * A volume in the archive, or in another folder of this machine, is read there. A beginning of a volume that was completed
 * elsewhere counts as elsewhere: its worker turned to another location before its end.
 */
async function verifyNamed(parts: VolumesParts, name: string): Promise<Verified> {
  const { database, disk, archive, server, sources, everywhere } = parts
  const here = volumePath(disk, archive, name)
  const readAt = (path: string) => database.read((tx) => verifyOne(tx, disk, name, path))
  if (here !== undefined && !isOpenVolume(here)) return readAt(here)
  const elsewhere = (await database.read((tx) => locationsOf(tx, name))).filter(({ node }) => node !== server)
  const best = elsewhere.at(0)
  if (here !== undefined && best?.sealed !== true) return readAt(here)
  // Nothing of it is here, or a beginning.
  const beside = elsewhere
    .filter(({ sealed }) => sealed === best?.sealed)
    .map((location) => pathAt(location, name, disk))
    .find((path) => path !== undefined)
  if (beside !== undefined) return readAt(beside)
  const found = new Faults()
  const unread = { found, volume: ELSEWHERE }
  if (best === undefined) {
    if (!isForeignFolder(parts)) return database.read((tx) => missing(tx, name, 'is not there'))
    found.note(name, 'lies in the folder of the crawl that wrote it (name it by -c)')
    return unread
  }
  // The crawl of this collection put it there, so it should be there.
  if (here === undefined && elsewhere.every(isOwnFolder))
    return database.read((tx) => missing(tx, name, `is not there (${describeLocation(best)})`))
  const where = `lies ${describeLocation(best)}`
  if (here !== undefined)
    found.note(name + OPEN, `is a beginning; all of it ${where}: 'orbweaver clean' lists what can go`)
  if (!best.sealed) {
    // It would grow while it is fetched.
    found.note(name, `${where}, and is still being written`)
    return unread
  }
  if (!everywhere) {
    found.note(name, `${where}: --everywhere fetches and verifies it`)
    return unread
  }
  const fetched = await fetchVolume(best, name, disk, sources).catch((error: Error) => error)
  if (fetched instanceof Error) {
    const what = `${where}, and could not be fetched: ${fetched.message}`
    // A folder of another machine must be verified there; what no capture names is not missed.
    if (best.node.startsWith(DIR) || (await database.read((tx) => knownEnd(tx, name))) === 0) found.note(name, what)
    else found.add(name, what)
    return unread
  }
  using copy = fetched
  return await readAt(copy.path)
}

async function missing(tx: Tx, name: string, what: string): Promise<Verified> {
  const found = new Faults()
  let lost = 0
  for await (const rows of rowsOf(tx, name)) lost += rows.length
  if (lost > 0) found.add(name, `${what}; the catalogue has ${lost} capture${lost === 1 ? '' : 's'} in it`)
  return { found, volume: NOTHING_READ }
}

/**
 * One transaction for a whole volume. It begins before the file's size is read, so the file has every capture that the
 * catalogue names, even while a crawl is writing.
 */
async function verifyOne(tx: Tx, disk: Disk, name: string, path: string): Promise<Verified> {
  const faults = new Faults()
  const totals: VolumesTotals = { ...NOTHING_READ, volumes: 1 }
  // The transaction begins with its first statement.
  const durable = await knownEnd(tx, name)
  const compare = await comparison(tx, name, faults)
  if (compare.isEmpty) faults.note(name, 'the catalogue names nothing in it: left by a crash, or just begun')
  const check = verifyVolume(patient(disk), path, (found) => compare.see(found))
  let tail = 0
  for (;;) {
    const step = await check.next()
    if (step.done) {
      totals.records += step.value.records
      totals.captures += step.value.captures
      break
    }
    const { offset, what } = step.value
    if (isOpenVolume(path) && offset >= durable) tail++
    else faults.add(`${name} at ${offset}`, what)
  }
  if (tail > 0) faults.note(name, 'its tail is not whole: still being written, or cut off by a crash')
  await compare.end()
  return { found: faults, volume: totals }
}

async function comparison(tx: Tx, volume: string, faults: Faults) {
  const rows = rowsOf(tx, volume)
  /** The rows at the next offset that the catalogue names. */
  let next: StoredCapture[] | undefined
  let unknown = 0
  let replaced = 0
  const fault = (row: StoredCapture, what: string) => faults.add(`${volume} at ${row.offset}`, `${row.url}: ${what}`)
  const advance = async () => {
    next = (await rows.next()).value
  }
  const missingBefore = async (offset: number) => {
    for (; next !== undefined && next[0].offset < offset; await advance())
      for (const row of next) fault(row, 'the catalogue has a capture here, the volume has none')
  }
  const checkOriginal = async (row: StoredCapture, { original, digest }: FoundCapture) => {
    if (original !== undefined && (await responseAt(tx, digest, original.url, original.at)) !== undefined) return
    if ((await responseWith(tx, digest)) !== undefined) replaced++
    else fault(row, `is a revisit of ${original?.url ?? 'nothing'}, which is not in the collection`)
  }
  await advance()
  return {
    /** The catalogue names nothing in this volume. */
    isEmpty: next === undefined,
    async see(found: FoundCapture): Promise<void> {
      await missingBefore(found.offset)
      if (next?.[0].offset !== found.offset) {
        unknown++
        return
      }
      for (const [times, row] of next.entries()) {
        if (times > 0) fault(row, 'two captures of the catalogue lie at the same offset')
        for (const what of differences(row, found)) fault(row, what)
        if (found.kind === 'revisit') await checkOriginal(row, found)
      }
      await advance()
    },
    async end(): Promise<void> {
      await missingBefore(Number.POSITIVE_INFINITY)
      const note = (count: number, what: string) => {
        if (count > 0) faults.note(volume, `${count} ${what}`)
      }
      note(unknown, 'of its captures are not in the catalogue: their reports have not come, or retention removed them')
      note(replaced, 'revisits refer to captures that are not in the catalogue; others hold the same payload')
    },
  }
}

const COMPARED = ['kind', 'url', 'at', 'digest', 'length', 'status'] as const

function* differences(row: StoredCapture, found: FoundCapture): Generator<string> {
  for (const name of COMPARED) {
    if (row[name] !== found[name]) yield `${name} is ${row[name]} in the catalogue, ${found[name]} in the volume`
  }
}

const ROWS_AT_ONCE = 1000

/** The catalogue's captures in a volume, in the order of their offsets, those of one offset together. */
async function* rowsOf(tx: Tx, volume: string): AsyncGenerator<StoredCapture[], undefined> {
  for (let from = 0, isEnd = false; !isEnd; ) {
    const rows = await capturesIn(tx, volume, from, ROWS_AT_ONCE)
    const groups = [...Map.groupBy(rows, ({ offset }) => offset).values()]
    isEnd = rows.length < ROWS_AT_ONCE
    from = rows.at(-1)?.offset ?? 0
    // The last offset of a full piece may have more rows, so it is read again, unless it fills the piece alone.
    if (isEnd) yield* groups
    else if (groups.length > 1) yield* groups.slice(0, -1)
    else {
      yield* groups
      from++
    }
  }
}

/** A volume that is closed while it is read changes its name, not its bytes. */
function patient(disk: Disk): Disk {
  return {
    ...disk,
    size: (path) => disk.size(path) ?? (isOpenVolume(path) ? disk.size(path.slice(0, -OPEN.length)) : undefined),
    read(path, offset, length) {
      try {
        return disk.read(path, offset, length)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isOpenVolume(path)) throw error
        return disk.read(path.slice(0, -OPEN.length), offset, length)
      }
    },
  }
}
