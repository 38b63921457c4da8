/** An archive that keeps nothing. What it says of a capture is of the right shape, so that all else goes its usual way. */
import { Twins } from '../../src/collection/volumes/twins.ts'
import type { ArchiveOptions } from '../../src/collection/volumes/volume-writer.ts'
import type { Archive } from '../../src/contracts/ports.ts'

const LENGTH = 4000

export function openArchive(options: Pick<ArchiveOptions, 'twinsInMemory'>): Archive {
  const twins = new Twins(options.twinsInMemory)
  let offset = 0
  return {
    keep(exchange, digest, twin) {
      offset += LENGTH
      if (twin === undefined) twins.wrote(digest, exchange.url, exchange.sentAt)
      return {
        volume: 'NONE.warc.gz',
        offset,
        length: LENGTH,
        digest,
        kind: twin === undefined ? 'response' : 'revisit',
      }
    },
    twinOf: (digest) => twins.find(digest),
    async synced() {
      twins.syncing()()
    },
    async close() {},
  }
}
