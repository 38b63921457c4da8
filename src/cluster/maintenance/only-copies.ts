/**
 * A revisit may refer to a record that its worker wrote and whose own report never came. The catalogue does not know that record,
 * and yet the page has no other bytes: its volume is no orphan.
 */
import type { Disk } from '../../base/disk.ts'
import { copyOf } from '../../collection/captures/stored-copies.ts'
import { type FoundCapture, verifyVolume } from '../../collection/volumes/verify-volume.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'

/** Payloads that are nowhere else and are looked for among the revisits: 100 MB at most. Volumes with more of them stay. */
const MAX_PAYLOADS = 1_000_000
const READ_REVISITS = `SELECT digest FROM capture WHERE kind = 'revisit'`

/** Of these files, those that must stay. Reads each from end to end, and the catalogue's revisits once. */
export async function onlyCopies(database: Database, disk: Disk, paths: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>()
  const holders = new Map<string, string[]>()
  for (const path of paths)
    for (const digest of await payloadsOf(disk, path)) {
      if (await database.read((tx) => copyOf(tx, digest))) continue
      if (holders.size < MAX_PAYLOADS) holders.set(digest, [...(holders.get(digest) ?? []), path])
      else needed.add(path)
    }
  if (holders.size === 0) return needed
  await database.read(async (tx) => {
    for await (const { digest } of queries(tx).each<{ digest: string }>(READ_REVISITS))
      for (const path of holders.get(digest) ?? []) needed.add(path)
  })
  return needed
}

async function payloadsOf(disk: Disk, path: string): Promise<Set<string>> {
  const found = new Set<string>()
  const capture = ({ kind, digest }: FoundCapture) => {
    if (kind === 'response') found.add(digest)
  }
  const reading = verifyVolume(disk, path, { capture })
  // What is damaged in it is nobody's loss: no report names it.
  while (!(await reading.next()).done);
  return found
}
