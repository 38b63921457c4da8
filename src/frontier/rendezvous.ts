/**
 * Which buckets lean to whom (Y1): everybody has a weight for every bucket, which depends on nothing but the two names, and the
 * heaviest has it. So a worker meets the same sites again and has their names and connections at hand, and when one comes or
 * goes only its own share moves.
 */
import { hash64 } from '../base/digest.ts'
import { BUCKETS } from '../database/bucket.ts'

export function weightsOf(name: string): BigUint64Array {
  return BigUint64Array.from({ length: BUCKETS }, (_, bucket) => hash64(`${bucket} ${name}`))
}

/** All buckets, the ones that lean to it most first. */
export function bucketOrder(name: string): Uint8Array {
  const weights = weightsOf(name)
  const order = Uint8Array.from(weights.keys())
  return order.sort((a, b) => (weights[a] > weights[b] ? -1 : weights[a] < weights[b] ? 1 : a - b))
}

/** By bucket, to whom it leans. `weights`: of each of the names, of which there is at least one. */
export function ownersOf(names: readonly string[], weights: (name: string) => BigUint64Array): string[] {
  const [first, ...others] = names
  const owners = Array<string>(BUCKETS).fill(first)
  const max = weights(first).slice()
  for (const name of others)
    for (const [bucket, weight] of weights(name).entries())
      if (weight > max[bucket]) {
        max[bucket] = weight
        owners[bucket] = name
      }
  return owners
}
