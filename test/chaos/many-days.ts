/**
 * Many virtual days (V22): a larger cluster that crawls slowly while machines crash, reboot and fill up at the rate that
 * a real crawl of eight days saw. The rate must never be zero for longer than one lease.
 */
import type { Millis } from '../../src/base/clock.ts'
import { replayCluster } from '../../testkit/simulate/cluster-replay.ts'
import type { ClusterReport } from '../../testkit/simulate/cluster-run.ts'
import { SHORT_DAY as DAY, manyDaysOf } from '../../testkit/simulate/cluster-seed.ts'
import { writeJournal } from './simulated-share.ts'

export async function manyDays(
  days: number,
  seed: number,
  journals: string,
  tell: (line: string) => void,
): Promise<boolean> {
  const options = manyDaysOf(days, seed)
  const lease = options.settings?.lease ?? 0
  const began = performance.now()
  tell(
    `seed ${seed}: ${options.workers} workers, ${options.sites} sites of ${options.pages} pages, ${days} virtual days`,
  )
  const { report, lines } = await replayCluster(options)
  const { entries } = report.stage.ledger
  const { longest, perDay } = ratesOf(report, days * DAY)
  for (const [day, { requests, gap }] of perDay.entries())
    tell(`day ${day + 1}: ${requests} requests, longest time without one ${(gap / 1000).toFixed(0)} s`)
  for (const [kind, count] of [...report.befallen.counts].sort()) tell(`  ${String(count).padStart(5)}  ${kind}`)
  for (const fault of report.faults.slice(0, 20)) tell(`wrong: ${fault}`)
  if (report.faults.length > 0) tell(`journal: ${writeJournal(journals, `days-${days}-seed-${seed}`, lines)}`)
  const real = ((performance.now() - began) / 1000).toFixed(0)
  const virtual = (report.virtualMs / DAY).toFixed(1)
  tell(
    `${entries.length} requests in ${virtual} virtual days, ${real} s: at most ${(longest / 1000).toFixed(0)} s without one (a lease: ${lease / 1000} s)`,
  )
  return report.faults.length === 0 && longest <= lease && perDay.length >= Math.floor(days)
}

interface DayOfRequests {
  requests: number
  /** The longest time without a request that ended on that day. */
  gap: Millis
}

/** While there is enough to do everywhere: at the end sites are done one after the other. */
function ratesOf({ stage }: ClusterReport, until: Millis): { longest: Millis; perDay: DayOfRequests[] } {
  const perDay: DayOfRequests[] = []
  let last = 0
  for (const { at } of stage.ledger.entries) {
    if (at > until) break
    const day = Math.floor(at / DAY)
    while (perDay.length <= day) perDay.push({ requests: 0, gap: 0 })
    perDay[day].requests++
    perDay[day].gap = Math.max(perDay[day].gap, at - last)
    last = at
  }
  return { longest: Math.max(0, ...perDay.map(({ gap }) => gap)), perDay }
}
