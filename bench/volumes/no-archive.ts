/** An archive that keeps nothing. What it says of a capture is of the right shape, so that all else goes its usual way. */

import type { ArchiveOptions } from '../../src/collection/volumes/volume-writer.ts'
import { StoredCopies } from '../../src/collection/volumes/volume-writer.ts'
import type { Archive } from '../../src/contracts/ports.ts'

const LENGTH = 4000

export function openArchive(options: Pick<ArchiveOptions, 'copiesInMemory'>): Archive {
  const copies = new StoredCopies(options.copiesInMemory)
  let offset = 0
  return {
    keep(exchange, digest, copy) {
      offset += LENGTH
      if (copy === undefined) copies.wrote(digest, exchange.url, exchange.sentAt)
      return {
        volume: 'NONE.warc.gz',
        offset,
        length: LENGTH,
        digest,
        kind: copy === undefined ? 'response' : 'revisit',
      }
    },
    copyOf: (digest) => copies.find(digest),
    checks: () => ({ checked: 0, wrong: 0 }),
    async synced() {
      copies.syncing()()
    },
    async close() {},
  }
}
