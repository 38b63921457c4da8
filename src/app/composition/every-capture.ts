/** Every capture of a collection, in pieces: each is one short look, so a crawl that writes meanwhile goes on. */
import { turn } from '../../base/clock.ts'
import { capturesSince, type StoredCapture } from '../../collection/captures/read-captures.ts'
import type { Database } from '../../database/database.ts'

const PIECE = 1000

export async function* everyCapture(database: Database): AsyncGenerator<StoredCapture> {
  for (let last = 0; ; ) {
    const captures = await database.read((tx) => capturesSince(tx, last, PIECE))
    yield* captures
    const end = captures.at(-1)
    if (end === undefined) return
    last = end.id
    await turn()
  }
}
