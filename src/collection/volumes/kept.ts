/** What of an exchange goes into a volume. */
import { assert } from '../../base/assert.ts'
import type { Exchange } from '../../visit/exchange.ts'
import { isPacked } from '../../web/warc/payload.ts'
import type { Truncation } from '../../web/warc/record.ts'

export interface Kept {
  wireHead: Uint8Array
  wireBody: Uint8Array
  payloadBytes: number
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
  if (answer.kind === 'declined') {
    const { wireHead } = answer
    return { wireHead, wireBody: NO_BYTES, payloadBytes: 0, truncated: 'unspecified', packed: false, protocols }
  }
  return {
    wireHead: answer.wireHead,
    wireBody: answer.wireBody,
    payloadBytes: answer.payload.length,
    truncated: answer.kind === 'cut' ? answer.why : undefined,
    packed: isPacked(answer.head.headers),
    protocols,
  }
}
