import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CrashReport, crawlThroughCrashes, type PlantedBug } from './crash-run.ts'

/** CRASHES changes it. */
const ENOUGH_CRASHES = Number(process.env['CRASHES'] ?? 300)
const FIRST_SEED = 1

const SMALL = { pageBytes: 2000, linksPerPage: 12, hiddenPages: 4 }

/** Small pages in small volumes, so that every kind of moment comes often. */
function crawlOf(seed: number, bug?: PlantedBug): Promise<CrashReport> {
  return crawlThroughCrashes({
    seed,
    bug,
    sites: 10,
    pages: 16,
    crashes: 60,
    workers: 1 + (seed % 3),
    settings: { volumeSize: 30_000, slicePages: seed % 2 === 0 ? 500 : 6 },
    web: { ...SMALL, sharedAddressShare: 0.5, flakyShare: 0.03, secureShare: 0.2, sitemapShare: 0.4, mirrorShare: 0.2 },
  })
}

test(`${ENOUGH_CRASHES} losses of power lose nothing that was acknowledged, and the collection is the right one`, async (t) => {
  const points = new Map<string, number>()
  let crashes = 0
  for (let seed = FIRST_SEED; crashes < ENOUGH_CRASHES; seed++) {
    const report = await crawlOf(seed)
    const told = `seed ${seed}, ${report.crashes.map(({ at, point }) => `${point} at ${at}`).join(', ')}`
    assert.deepEqual(report.losses, [], told)
    assert.deepEqual(report.faults, [], told)
    crashes += report.crashes.length
    for (const { point } of report.crashes) points.set(point, (points.get(point) ?? 0) + 1)
  }
  t.diagnostic(`${crashes} crashes: ${[...points].map(([point, count]) => `${point} ${count}`).join(', ')}`)
  const named = ['synced', 'checked-in', 'inbox-stored', 'applying', 'applied', 'checked-out']
  for (const point of [...named, 'volume-opened', 'volume-closed', 'step', 'time']) {
    assert.ok((points.get(point) ?? 0) >= ENOUGH_CRASHES / 30, `${point}: ${points.get(point)}`)
  }
})

for (const bug of ['no-file-sync', 'no-folder-sync', 'sent-before-synced'] as const) {
  test(`the same test finds a planted bug: ${bug}`, async () => {
    let crashes = 0
    for (let seed = FIRST_SEED; crashes < ENOUGH_CRASHES; seed++) {
      const report = await crawlOf(seed, bug)
      crashes += report.crashes.length
      if (report.losses.length > 0) return
    }
    assert.fail(`${crashes} losses of power, and nobody noticed`)
  })
}
