/** Servers over one database, for tests of failures. */
import assert from 'node:assert/strict'
import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { realClock } from '../../base/clock.ts'
import { Readers } from '../../base/journal.ts'
import { DigestFilter } from '../../collection/captures/digest-filter.ts'
import { capturesSince } from '../../collection/captures/read-captures.ts'
import { readCounters } from '../../collection/counters/counters.ts'
import { pagesSince } from '../../collection/pages/read-pages.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { Database } from '../../database/database.ts'
import type { Ledger } from '../../frontier/contract.ts'
import type { Intake } from '../intake.ts'
import { openIntake } from '../open-intake.ts'
import { partsWaiting } from '../report-parts.ts'

const LOG = '/c/logs/crawl.log'

/** One part per page, and an end. */
export function visitParts(site: string, pages: number): VisitReport[] {
  const parts = Array.from({ length: pages }, (_, n) =>
    sampleReport(site, n + 1, [samplePage(`http://${site}/${n}`, {}, `${n} of ${site}`)]),
  )
  return [...parts, sampleReport(site, pages + 1, [], { ended: 'done' })]
}

export interface Opened {
  intake: Intake
  journal: Readers<Event>
  lines(): number
}

export async function openServer(
  database: Database,
  node: string,
  ledger: Pick<Ledger, 'returning' | 'applyParts' | 'reap' | 'admit'>,
): Promise<Opened> {
  const journal = new Readers<Event>()
  const disk = memoryDisk()
  const filter = DigestFilter.ofBits(2 ** 16)
  const clock = realClock
  const intake = await openIntake({ database, ledger, filter, disk, logPath: LOG, node, clock, journal })
  const lines = () =>
    Buffer.from(disk.read(LOG, 0, 1e7))
      .toString()
      .split('\n').length - 1
  return { intake, journal, lines }
}

/** Everything once, in the catalogue and in the logs together. */
export async function assertAll(database: Database, servers: readonly Opened[], pages: number): Promise<void> {
  await database.read(async (tx) => {
    assert.equal(await partsWaiting(tx), 0)
    const counters = await readCounters(tx)
    assert.equal(counters.get('documents'), pages)
    assert.equal(counters.get('requests'), pages)
    const found = await pagesSince(tx, 0, 10_000)
    assert.equal(found.length, pages)
    assert.ok(found.every(({ looks }) => looks === 1))
    assert.equal((await capturesSince(tx, 0, 10_000)).length, pages)
  })
  assert.equal(
    servers.reduce((sum, { lines }) => sum + lines(), 0),
    pages,
  )
}
