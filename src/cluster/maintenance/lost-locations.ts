/** Volumes that the tables say lie with this server, and that do not: begun and never sent, or removed by somebody. */
import { join } from 'node:path'
import { knownEnd } from '../../collection/captures/read-captures.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { type Findings, MAX_OF_A_KIND, type OwnFolder } from './orphan.ts'

interface Place {
  name: string
  worker: string
  bytes: number
}

const READ = 'SELECT name, worker, bytes FROM volume_location WHERE node = ? AND name > ? ORDER BY name LIMIT ?'
const REMOVE = 'DELETE FROM volume_location WHERE name = ? AND node = ?'
const PIECE = 1000

export async function lostLocations(database: Database, { disk, folder, node }: OwnFolder): Promise<Findings> {
  const found: Findings = { orphans: [], notes: [] }
  if (node === undefined) return found
  const archive = join(folder, 'archive')
  for (let last = ''; found.orphans.length < MAX_OF_A_KIND; ) {
    const piece = await database.read((tx) => queries(tx).all<Place>(READ, node, last, PIECE))
    for (const { name, worker, bytes } of piece) {
      if (volumePath(disk, archive, name) !== undefined) continue
      if ((await database.read((tx) => knownEnd(tx, name))) > 0) {
        found.notes.push(
          `${name} should lie here and does not, though captures are in it: 'orbweaver verify' says more`,
        )
        continue
      }
      found.orphans.push({
        kind: 'place',
        name,
        why: `worker ${worker} began to send it; it is not here, and no capture names it`,
        bytes,
        remove: () => database.transact(async (tx) => (await queries(tx).run(REMOVE, name, node)) > 0),
      })
    }
    if (piece.length < PIECE) break
    last = piece[piece.length - 1].name
  }
  return found
}
