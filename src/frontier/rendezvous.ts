/**
 * Which buckets lean to a worker (Y1): every worker has an order of its own, which depends on nothing but its name. So a
 * worker meets the same sites again and has their names and connections at hand, and when one comes or goes only its own
 * share moves.
 */
import { hash64 } from '../base/digest.ts'
import { BUCKETS } from '../database/bucket.ts'
import type { WorkerId } from '../visit/visit.ts'

/** All buckets, the ones that lean to the worker most first. */
export function bucketOrder(worker: WorkerId): Uint8Array {
  const weights = Array.from({ length: BUCKETS }, (_, bucket) => hash64(`${bucket} ${worker}`))
  const order = Uint8Array.from(weights.keys())
  return order.sort((a, b) => (weights[a] > weights[b] ? -1 : weights[a] < weights[b] ? 1 : a - b))
}
