/** Servers and workers in words, and why nothing is asked though URLs wait. */

import { formatDuration } from '../../base/units.ts'
import { grouped } from '../../report/text-table.ts'
import type { ClusterStatus } from '../reader/status.ts'
import type { Standing } from './collection-reader.ts'
import { plain } from './progress.ts'
import { some } from './words.ts'

const MAX_LINES = 20

type Rechecks = NonNullable<ClusterStatus['rechecks']>

export function clusterLines({ servers, differing, workers, rechecks }: ClusterStatus, inbox: number): string[] {
  const alive = workers.filter(({ state }) => state === 'alive' || state === 'slow')
  const silent = workers.filter(({ state }) => state === 'silent')
  const rate = alive.reduce((sum, { pagesPerSecond }) => sum + pagesPerSecond, 0)
  const lines = [
    `  servers     ${grouped(servers.filter((one) => one.alive).length)} of ${grouped(servers.length)} alive; ${some(inbox, 'part')} to apply`,
    `  workers     ${grouped(alive.length)} alive, ${rate.toFixed(1)} pages/s${silent.length > 0 ? `; ${grouped(silent.length)} silent: their sites go to others when their leases end` : ''}`,
  ]
  if (differing.length > 0)
    lines.splice(
      1,
      0,
      `    they differ in ${plain(differing.join(', '))}: what is asked, and how, depends on which a worker meets; start them with the same settings`,
    )
  for (const one of workers.slice(0, MAX_LINES)) {
    const { name, id, region, version, state, visits, pagesPerSecond, seenMs } = one
    const where = region === null ? '' : `, ${plain(region)}`
    lines.push(
      `    ${plain(name).padEnd(20)} ${id.slice(0, 8)}  ${state.padEnd(6)}  ${some(visits, 'site')}, ${pagesPerSecond.toFixed(1)}/s, seen ${formatDuration(Math.round(seenMs / 1000) * 1000)} ago (${plain(version)}${where})`,
    )
  }
  if (workers.length > MAX_LINES) lines.push(`    … and ${grouped(workers.length - MAX_LINES)} more (--json names all)`)
  return rechecks === null ? lines : [...lines, ...recheckLines(rechecks)]
}

/** Of the workers, those that brought what others did not see so. */
function recheckLines({ checked, equal, similar, different, unused, open, byWorker }: Rechecks): string[] {
  const lines = [
    `  rechecks    ${some(checked, 'capture')} asked for again through another worker: ${grouped(equal)} equal, ${grouped(similar)} similar, ${grouped(different)} different; ${unused > 0 ? `${grouped(unused)} unused: no other worker came; ` : ''}${grouped(open)} to come`,
  ]
  for (const one of byWorker.filter((worker) => worker.different > 0).slice(0, MAX_LINES))
    lines.push(
      `    ${plain(one.name ?? '-').padEnd(20)} ${plain(one.worker).slice(0, 8)}  ${grouped(one.different)} of ${grouped(one.checked)} different`,
    )
  return lines
}

/** Undefined when somebody is asked, or nothing waits. */
export function whyNobodyIsAsked({ urls, sites, nextDueMs, cluster, state, inbox }: Standing): string | undefined {
  if (urls.waiting === 0 || state !== 'running') return undefined
  if (sites.free > 0) {
    const isAnyAlive = cluster?.workers.some((one) => one.state === 'alive' || one.state === 'slow') ?? true
    return isAnyAlive ? undefined : 'sites are free, but no worker is there to visit them'
  }
  if (sites.leased > 0) return undefined
  if (sites.returning > 0 || inbox > 0) return 'what was reported is being applied'
  if (sites.waiting > 0) {
    const next =
      nextDueMs === undefined || nextDueMs <= 0 ? '' : `; the next may be asked in ${formatDuration(nextDueMs)}`
    return `every site that has URLs waits for its pause, or for a retry${next}`
  }
  return 'the URLs that wait belong to sites that are held or were given up'
}
