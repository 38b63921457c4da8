/**
 * Bugs that a simulation must find. Each is planted where a machine is put together: it gets a part of the product and
 * gives another in its place. The product knows nothing of them.
 */

import type { Settings } from '../../src/app/config/keys.ts'
import type { Clock } from '../../src/base/clock.ts'
import { signed64 } from '../../src/base/digest.ts'
import type { Disk } from '../../src/base/disk.ts'
import type { ServerCalls } from '../../src/contracts/calls.ts'
import type { VisitReport } from '../../src/contracts/report.ts'
import type { SiteTools } from '../../src/crawl/tools.ts'
import type { Tx } from '../../src/database/database.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import type { Ledger } from '../../src/frontier/contract.ts'
import { visitId } from '../../src/frontier/rules/visit.ts'
import { forgetting } from './forgetting-disk.ts'
import type { Machine } from './machine.ts'

export interface Plant {
  /** In words, for who reads that it was found. */
  what: string
  /** It shows only where pages are looked at again. */
  refreshes?: true
  /** At the server. */
  ledger?(ledger: Ledger): Ledger
  calls?(calls: ServerCalls, clock: Clock): ServerCalls
  /** At every worker. */
  clock?(clock: Clock, machine: Machine): Clock
  disk?(disk: Disk): Disk
  settings?(settings: Settings): Settings
  courtesyOf?(courtesyOf: SiteTools['courtesyOf']): SiteTools['courtesyOf']
}

export type PlantName =
  | 'lease-never-ends'
  | 'applied-twice'
  | 'pause-from-request'
  | 'no-address-pause'
  | 'fence-not-checked'
  | 'no-file-sync'
  | 'told-before-stored'
  | 'time-stands-still'
  | 'look-counted-twice'

export const PLANTS: Readonly<Record<PlantName, Plant>> = {
  'lease-never-ends': {
    what: 'a lease that does not expire',
    // Against a time at which no lease has ended.
    ledger: (ledger) => ({ ...ledger, reap: (tx, _now, settled) => ledger.reap(tx, 0, settled) }),
  },
  'applied-twice': {
    what: 'a report applied twice',
    ledger: (ledger) => ({
      ...ledger,
      applyParts: async (tx, parts) =>
        (await ledger.applyParts(tx, parts)).map((result) => (result === 'again' ? 'applied' : result)),
    }),
  },
  'pause-from-request': {
    what: 'a pause counted from the request instead of the answer',
    courtesyOf: (courtesyOf) => (site, wait, rules, clock) => {
      let backMs = 0
      const courtesy = courtesyOf(site, wait, rules, { ...clock, elapsed: () => clock.elapsed() - backMs })
      const answered = courtesy.answered.bind(courtesy)
      courtesy.answered = (at, tookMs, retryAfter) => {
        backMs = tookMs
        answered(at, tookMs, retryAfter)
        backMs = 0
      }
      return courtesy
    },
  },
  'no-address-pause': {
    what: 'an address pause forgotten',
    settings: (settings) => ({ ...settings, addressPause: 0 }),
  },
  'fence-not-checked': {
    what: 'a fence not checked',
    ledger: (ledger) => ({
      ...ledger,
      applyParts: (tx, parts) =>
        ledger.applyParts(
          tx,
          parts.map((part) => withFenceOfToday(tx, part)),
        ),
    }),
  },
  'no-file-sync': {
    what: 'workers that do not sync their volumes',
    disk: (disk) => forgetting(disk, 'no-file-sync'),
  },
  'told-before-stored': {
    what: 'a server that stores parts a second after it said that they are stored',
    calls: (calls, clock) => ({
      ...calls,
      async accept(worker, parts) {
        clock.after(1000, () => calls.accept(worker, parts).catch(() => {}))
      },
    }),
  },
  'time-stands-still': {
    what: 'a monotonic clock that does not count stalls, so that leases seem to last',
    clock: (clock, machine) => ({ ...clock, elapsed: () => clock.elapsed() - machine.stoodStill }),
  },
  'look-counted-twice': {
    what: 'a look counted twice when its part comes again',
    refreshes: true,
    ledger: (ledger) => ({
      ...ledger,
      async applyParts(tx, parts) {
        const results = await ledger.applyParts(tx, parts)
        for (const [at, part] of parts.entries()) if (results[at] === 'again') countAgain(tx, part)
        return results
      },
    }),
  },
}

/** What its looks have shown of their pages is added once more. */
function countAgain(tx: Tx, { pages }: VisitReport): void {
  for (const { key, outcome, ownRequest } of pages)
    if (!ownRequest && outcome.kind === 'kept' && outcome.how !== 'first')
      sqliteTx(tx).run(
        'UPDATE known_page SET changes = changes + ?, unchanged_ms = unchanged_ms + 10000 WHERE key = ?',
        outcome.how === 'changed' ? 1 : 0,
        signed64(key),
      )
}

/** As if it were of the visit that has the site now. */
function withFenceOfToday(tx: Tx, part: VisitReport): VisitReport {
  const row = sqliteTx(tx).getExact<{ key: bigint; fence: bigint }>(
    'SELECT key, fence FROM site WHERE name = ?',
    part.site,
  )
  if (row === undefined) return part
  const fence = Number(row.fence)
  return { ...part, fence, visit: visitId(row.key, fence) }
}
