/**
 * Repairs volumes after a crash: every `.open` volume is cut after its last whole member, closed and renamed. The members
 * before the first that is torn, damaged or zero are kept; what follows was never synced, so no report refers to it.
 */
import { turn } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { bytesOf, MemberReader } from '../../web/warc/reader.ts'
import { syncFile } from './grown-volumes.ts'
import { isOpenVolume, OPEN } from './volume-name.ts'

/**
 * `durable`: per volume, the end of the last record that is known to be synced (from the catalogue). The search begins there,
 * which is faster, and damage before it costs nothing after it. `others`: volumes that another process still writes.
 */
export async function repairVolumes(
  disk: Disk,
  folder: string,
  journal: Journal<Event>,
  durable: ReadonlyMap<string, number> = new Map(),
  others: ReadonlySet<string> = new Set(),
) {
  const repaired: Awaited<ReturnType<typeof repairVolume>>[] = []
  for (const open of disk.list(folder).filter(isOpenVolume)) {
    const name = open.slice(0, -OPEN.length)
    if (others.has(name)) continue
    repaired.push(await repairVolume(disk, folder, name, durable.get(name) ?? 0, journal))
  }
  if (repaired.length > 0) await disk.syncFolder(folder)
  return repaired
}

/** Returns how many bytes were cut from its end; and whether it was removed, because nothing in it was whole. */
async function repairVolume(disk: Disk, folder: string, name: string, durable: number, journal: Journal<Event>) {
  const closed = `${folder}/${name}`
  const open = closed + OPEN
  const size = disk.size(open) ?? 0
  if (durable > size) {
    journal.record({ kind: 'trouble', what: `${name} has ${size} bytes, but records up to ${durable} are known` })
  }
  const whole = await wholeMembers(disk, open, durable <= size ? durable : 0)
  const cut = size - whole
  if (whole === 0 || disk.size(closed) !== undefined) {
    // A closed volume of the same name is whole, because it is renamed only when durable; this is its old name.
    disk.remove(open)
    return { name, cut, removed: whole === 0 }
  }
  if (cut > 0) {
    disk.truncate(open, whole)
    journal.record({ kind: 'tail-cut', name, bytes: cut })
  }
  // The cut must be durable before the rename marks the volume as whole.
  await syncFile(disk, open)
  disk.rename(open, closed)
  journal.record({ kind: 'volume-closed', name, bytes: whole })
  return { name, cut, removed: false }
}

const MEMBERS_PER_TURN = 500

/** The end of the last member before the first fault. */
async function wholeMembers(disk: Disk, path: string, from: number): Promise<number> {
  const reader = new MemberReader(bytesOf(disk, path), from)
  for (let count = 1; ; count++) {
    const member = reader.next()
    if (member === undefined || member.kind === 'fault') return reader.offset
    if (count % MEMBERS_PER_TURN === 0) await turn()
  }
}
