/** What of an exchange goes into a volume. */
import { assert } from '../../base/assert.ts'
import type { Exchange } from '../../contracts/exchange.ts'
import { isPacked, storedHead } from '../../web/warc/http-block.ts'
import type { Truncation } from '../../web/warc/record.ts'

export interface Kept {
  /** As it came, but for the names of lines that are not true of the payload as it is stored. */
  head: Uint8Array
  payload: Uint8Array
  truncated: Truncation | undefined
  /** The body is compressed already. */
  packed: boolean
  protocols: readonly string[]
}

const NO_BYTES = new Uint8Array(0)
const HTTP_VERSION = /^http\/\d(?:\.\d)?$/

/** Of a declined answer the head is kept, marked as truncated: that is all that came. */
export function keptOf(exchange: Exchange): Kept {
  const { answer } = exchange
  assert(answer.kind !== 'failed' && answer.kind !== 'withheld', 'only answers are kept')
  const version = answer.head.version.toLowerCase()
  const protocols = HTTP_VERSION.test(version) ? [version] : []
  if (exchange.tls !== undefined) protocols.push(exchange.tls)
  const head = storedHead(answer.wireHead, answer.kind !== 'full')
  if (answer.kind === 'declined') {
    return { head, payload: NO_BYTES, truncated: 'unspecified', packed: false, protocols }
  }
  return {
    head,
    payload: answer.payload,
    truncated: answer.kind === 'cut' ? answer.why : undefined,
    packed: isPacked(answer.head.headers),
    protocols,
  }
}
