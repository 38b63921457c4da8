/**
 * Where a crawl's CPU goes, by operation (Fig. 7b of VN), from the CPU profiles of all its threads: a sample belongs to the
 * nearest function of the product on its stack, and that to an operation by the room and file that it stands in. So
 * compression and writes count where they were asked for, and the product needs no clocks of its own.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import type { LoadOptions } from './by-threads.ts'
import { crawlForScale } from './run-crawl.ts'
import { seedsOf, serveSlowWeb } from './slow-web.ts'

export const OPERATIONS = ['download', 'courtesy', 'reading', 'store', 'check-in', 'check-out', 'other'] as const
export type Operation = (typeof OPERATIONS)[number]

export interface OperationsPoint {
  visits: number
  pages: number
  /** CPU µs per page. */
  microseconds: Record<Operation, number>
  storeShare: number
}

/** The first that fits the path inside `src/`. */
const PLACES: readonly [RegExp, Operation][] = [
  [/^crawl\/(address-)?courtesy|^base\/clock/, 'courtesy'],
  [/^collection\/volumes\/|^web\/warc\/|^web\/deflate\/gzip|^base\/(real-disk|digest)/, 'store'],
  [/^fetch\/|^web\/(http|deflate)\/|^crawl\/worker\/paced-sessions/, 'download'],
  [/^page\/|^crawl\/(hazards|scope)\/|^web\/(url|robots|sitemap)\/|^base\/hash-set/, 'reading'],
  [/^frontier\/(sqlite|rules)\/(check-out|leases|visit)/, 'check-out'],
  [
    /^intake\/|^collection\/|^frontier\/|^database\/|^cluster\/wire\/|^contracts\/|^crawl\/worker\/|^crawl\/reporter/,
    'check-in',
  ],
]

export function operationOf(path: string): Operation {
  return PLACES.find(([pattern]) => pattern.test(path))?.[1] ?? 'other'
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** µs by operation; time in which the thread had nothing to do is none. */
export function sumProfile(profile: Profile): Map<Operation, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const selfTimes = new Map<number, number>()
  for (const [at, id] of profile.samples.entries())
    selfTimes.set(id, (selfTimes.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0))
  const sums = new Map<Operation, number>()
  const waiting: { id: number; above: Operation }[] = [{ id: profile.nodes[0].id, above: 'other' }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = nodes.get(next.id)
    if (node === undefined || node.callFrame.functionName === '(idle)') continue
    const inside = /\/src\/(.+)$/.exec(node.callFrame.url)?.[1]
    const isOurs = inside !== undefined && !node.callFrame.url.includes('/node_modules/')
    const named = isOurs ? operationOf(inside) : 'other'
    // A loop that belongs to no operation does not take what it calls away from the one that called it.
    const operation = named === 'other' ? next.above : named
    sums.set(operation, (sums.get(operation) ?? 0) + (selfTimes.get(next.id) ?? 0))
    for (const child of node.children ?? []) waiting.push({ id: child, above: operation })
  }
  return sums
}

export async function measureOperations(visits: number, load: LoadOptions): Promise<OperationsPoint> {
  using folder = temporaryFolder()
  const profiles = join(folder.path, 'profiles')
  mkdirSync(profiles)
  await using web = await serveSlowWeb({ latencyMs: 0, ...load })
  const end = await crawlForScale({
    folder: folder.path,
    port: web.port,
    seeds: seedsOf(load.sites),
    workers: 1,
    visits,
    until: load,
    nodeFlags: ['--cpu-prof', '--cpu-prof-dir', profiles],
  })
  const microseconds = Object.fromEntries(OPERATIONS.map((name) => [name, 0])) as Record<Operation, number>
  for (const name of readdirSync(profiles)) {
    const profile = JSON.parse(readFileSync(join(profiles, name), 'utf8')) as Profile
    for (const [operation, sum] of sumProfile(profile)) microseconds[operation] += sum / end.documents
  }
  const all = Object.values(microseconds).reduce((sum, one) => sum + one, 0)
  return { visits, pages: end.documents, microseconds, storeShare: microseconds.store / all }
}
