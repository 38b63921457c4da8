/** Refreshing in virtual time, judged on the servers' side. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresForTests } from '../postgres/database.test-tools.ts'
import { AppliedLooks } from './applied-looks.ts'
import { type RefreshReport, simulateRefresh } from './refresh-run.ts'
import type { Alterations } from './virtual-coordinator.ts'

const SMALL = { sites: 2, pages: 8, pauseMs: 600_000, days: 2, seed: 7 }
const ratioOn = ({ days, bound }: RefreshReport, day: number) => days[day - 1].expected / bound

test('with known rates the whole crawler is near the bound; it learns them; it is polite', async () => {
  const known = await simulateRefresh({ ...SMALL, isKnown: true })
  assert.deepEqual([known.violations, known.examples], [0, {}])
  // A look every pause and answer; robots.txt once a day.
  const most = (SMALL.sites * SMALL.days * 86_400_000) / SMALL.pauseMs
  assert.ok(known.looks > 0.97 * most && known.looks <= most, `${known.looks} of ${most}`)
  assert.ok(known.unmodified > 0 && known.unmodified < known.looks)
  assert.ok(ratioOn(known, 2) > 0.98 && ratioOn(known, 2) < 1.06, `${ratioOn(known, 2)} times the bound`)

  const learnt = await simulateRefresh(SMALL)
  assert.equal(learnt.violations, 0)
  assert.ok(ratioOn(learnt, 2) < 1.5, `${ratioOn(learnt, 2)} times the bound`)
})

/** Every third delivery comes twice. */
function repeating(): NonNullable<Alterations['sink']> {
  let sent = 0
  return (sink) => ({
    async send(worker, parts) {
      await sink.send(worker, parts)
      if (++sent % 3 === 0) await sink.send(worker, parts)
    },
  })
}

/** Pages that change many times within the half hour that is simulated. */
const HASTY = {
  ...{ sites: 3, pages: 6, pauseMs: 10_000, days: 1 / 48, seed: 3 },
  web: { changesPerDay: 400, leastChangesPerDay: 20 },
}

function assertCounted(report: RefreshReport, looks: AppliedLooks, least: number): void {
  assert.deepEqual([report.wrong, report.violations, report.examples], [[], 0, {}])
  assert.ok(report.looks > least, `${report.looks}`)
  assert.ok(looks.count >= report.looks, `${looks.count} applied, ${report.looks} made`)
}

test('parts that come twice are counted once', async () => {
  const looks = new AppliedLooks()
  assertCounted(await simulateRefresh({ ...HASTY, looks, sink: repeating() }), looks, 350)
})

test('two servers over PostgreSQL: the same', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  t.after(() => postgres.end())
  const databases = await postgres.makeShared(2)
  const looks = new AppliedLooks()
  assertCounted(await simulateRefresh({ ...HASTY, days: 1 / 96, databases, looks, sink: repeating() }), looks, 150)
})
