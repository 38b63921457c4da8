import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { Readers } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { applyReports } from '../sample-catalogue.test-data.ts'
import { FOLDER, keepIn, madeUpArchive } from '../volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../volumes/made-up.test-exchange.ts'
import { noteLocation, repairOwnLocations, volumesOfOthers } from './own-locations.ts'

/** Volumes in a folder that is not the collection's, as a kill leaves them: open, with a torn tail. */
async function killed() {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const journal = new Readers<Event>()
  const troubles: string[] = []
  journal.read((event) => event.kind === 'trouble' && troubles.push(event.what))
  const own = { database, disk, journal, owner: 'crawl' }
  const writeOne = async (worker: string) => {
    const { archive } = madeUpArchive(disk, { worker })
    const capture = keepIn(archive, madeUpExchange({ payload: Buffer.from(worker) }))
    await archive.synced()
    const path = `${FOLDER}/${capture.volume}.open`
    const whole = disk.size(path)!
    disk.append(path).write(Uint8Array.of(31, 139, 8))
    return { ...capture, whole }
  }
  const rows = () =>
    database.read((tx) =>
      queries(tx).all<{ name: string; bytes: number; sealed: number }>(
        'SELECT name, bytes, sealed FROM volume_location ORDER BY name',
      ),
    )
  return { disk, database, own, troubles, writeOne, rows }
}

test('our volumes that were left open in another folder are cut, closed and recorded; those of others are not touched', async () => {
  const { disk, own, writeOne, rows } = await killed()
  const ours = await writeOne('w1')
  const others = await writeOne('w2')
  await noteLocation(own, ours.volume, `dir:${FOLDER}`, 0, false)
  await noteLocation({ ...own, owner: 'a worker' }, others.volume, `dir:${FOLDER}`, 1, false)
  assert.deepEqual([...(await volumesOfOthers(own))], [others.volume])
  await repairOwnLocations(own)
  assert.deepEqual(disk.list(FOLDER), [ours.volume, `${others.volume}.open`])
  assert.equal(disk.size(`${FOLDER}/${ours.volume}`), ours.whole)
  assert.deepEqual(
    (await rows()).map((row) => ({ ...row })),
    [
      { name: ours.volume, bytes: ours.whole, sealed: 1 },
      { name: others.volume, bytes: 1, sealed: 0 },
    ],
  )
})

test('an empty volume is forgotten; one with captures in a missing folder is reported', async () => {
  const { disk, database, own, troubles, writeOne, rows } = await killed()
  const lost = await writeOne('w1')
  const page = samplePage('http://a.test/1', { capture: lost }, 'http://a.test/1')
  await applyReports(database, [sampleReport('a.test', 1, [page])])
  await noteLocation(own, lost.volume, 'dir:/not/mounted', 0, false)
  await noteLocation(own, 'begun.warc.gz', `dir:${FOLDER}`, 0, false)
  disk.remove(`${FOLDER}/${lost.volume}.open`)
  await repairOwnLocations(own)
  assert.deepEqual(
    (await rows()).map(({ name }) => name),
    [lost.volume],
  )
  assert.equal(troubles.length, 1)
  assert.match(troubles[0], new RegExp(`^1 volumes in /not/mounted cannot be closed: .*${lost.volume} is not there`))
})
