/** What the parts of one transaction counted, added up: each counter's, minute's and site's row is written once. */
import type { Instant } from '../../base/clock.ts'
import type { Counts } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { dayOf } from './counters.ts'

const MINUTE_MS = 60_000

export interface Pace {
  requests: number
  documents: number
  bytes: number
}

export interface ServerSums extends Pace {
  firstAt: Instant
  lastAt: Instant
}

export class CounterSums {
  /** By day, then by name. */
  readonly days = new Map<string, Map<string, number>>()
  readonly minutes = new Map<number, Pace>()
  readonly servers = new Map<SiteName, ServerSums>()

  add(site: SiteName, counts: Counts, given: Instant): void {
    if (counts.size === 0) return
    const at = Math.round(given)
    const day = dayOf(at)
    let sums = this.days.get(day)
    if (sums === undefined) this.days.set(day, (sums = new Map()))
    for (const [name, value] of counts) sums.set(name, (sums.get(name) ?? 0) + value)
    const minute = Math.floor(at / MINUTE_MS)
    let pace = this.minutes.get(minute)
    if (pace === undefined) this.minutes.set(minute, (pace = { requests: 0, documents: 0, bytes: 0 }))
    let server = this.servers.get(site)
    if (server === undefined) {
      server = { requests: 0, documents: 0, bytes: 0, firstAt: at, lastAt: at }
      this.servers.set(site, server)
    }
    server.lastAt = Math.max(server.lastAt, at)
    for (const name of ['requests', 'documents', 'bytes'] as const) {
      const value = counts.get(name) ?? 0
      pace[name] += value
      server[name] += value
    }
  }
}
