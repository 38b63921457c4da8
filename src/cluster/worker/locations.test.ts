/** What a killed worker left in the folders that its list names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Readers } from '../../base/journal.ts'
import { memoryDisk } from '../../base/memory-disk.ts'
import { keepIn, madeUpArchive } from '../../collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../collection/volumes/made-up.test-exchange.ts'
import { OPEN } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { openRemoteWorkerLocations } from './remote-worker.ts'

const ours = (serial: number) => `A-20261115000000000-0000${serial}-barn-12345678~w1.warc.gz`
const OTHERS = 'A-20261115000000000-00001-barn-87654321~w1.warc.gz'

test('volumes of ours that were written there are closed; those of others, and what is in the archive too, are left', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk, { worker: 'w', folder: '/made' })
  keepIn(archive, madeUpExchange({ payload: Buffer.from('page') }))
  await archive.close()
  const [made] = disk.list('/made')
  const whole = disk.read(`/made/${made}`, 0, 1e6)
  const write = (path: string, more = '') => disk.append(path).write(Uint8Array.from([...whole, ...Buffer.from(more)]))
  write(`/second/${ours(1)}${OPEN}`, 'torn')
  write(`/second/${ours(2)}${OPEN}`)
  write(`/archive/${ours(2)}${OPEN}`)
  write(`/second/${OTHERS}${OPEN}`, 'still written')

  const told: string[] = []
  const settings = {
    volumes: ['dir:/second'],
    s3Endpoint: undefined,
    s3Region: '',
    s3Key: undefined,
    s3Secret: undefined,
  }
  const never = () => Promise.reject(new Error('nothing is sent'))
  const located = async (name: string, location: string, bytes: number, sealed: boolean) => {
    told.push(`${location} ${name} ${bytes === whole.length} ${sealed}`)
  }
  const volumes = { append: never, seal: never, located }
  const journal = new Readers<Event>()
  const parts = { settings, disk, archive: '/archive', host: 'barn-12345678', volumes, journal }
  const { list, close } = await openRemoteWorkerLocations(parts)
  assert.deepEqual(disk.list('/second'), [ours(1), `${OTHERS}${OPEN}`, `${ours(2)}${OPEN}`])
  assert.deepEqual(disk.list('/archive'), [ours(2)])
  assert.equal(disk.size(`/second/${ours(1)}`), whole.length)
  assert.equal(list.folder, '/second')
  await list.note()
  assert.deepEqual(told, [`dir:/archive ${ours(2)} true true`], 'though its place is another folder now')
  close()
})
