import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MemoryDisk, memoryDisk } from '../../../testkit/memory-disk.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { seededRandom } from '../../base/random.ts'
import type { Event } from '../../contracts/events.ts'
import type { Capture } from '../../contracts/report.ts'
import { localVolumes } from './local-volumes.ts'
import { FOLDER, keepIn, madeUpArchive, recordsIn } from './made-up.test-archive.ts'
import { anyExchange, madeUpExchange } from './made-up.test-exchange.ts'
import { readCapture } from './read-capture.ts'
import { repairVolumes } from './repair.ts'
import { verifyVolume } from './verify-volume.ts'

const quiet = { record() {} }

test('torn at any byte, a volume keeps its whole members and is closed', async () => {
  const source = memoryDisk()
  const { archive } = madeUpArchive(source)
  const { volume } = keepIn(archive, madeUpExchange())
  keepIn(archive, madeUpExchange({ headers: [['Content-Encoding', 'gzip']] }))
  await archive.close()
  const bytes = source.read(`${FOLDER}/${volume}`, 0, 1e6)
  const ends = recordsIn(source, volume).map(({ offset, length }) => offset + length)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const disk = memoryDisk()
    disk.append(`${FOLDER}/${volume}.open`).write(bytes.subarray(0, cut))
    const events: Event[] = []
    const repaired = await repairVolumes(disk, FOLDER, { record: (event) => void events.push(event) })
    const whole = ends.filter((end) => end <= cut).at(-1) ?? 0
    assert.deepEqual(repaired, [{ name: volume, cut: cut - whole, removed: whole === 0 }])
    assert.deepEqual(disk.list(FOLDER), whole === 0 ? [] : [volume])
    assert.equal(disk.size(`${FOLDER}/${volume}`), whole === 0 ? undefined : whole)
    assert.equal(
      events.some(({ kind }) => kind === 'tail-cut'),
      whole > 0 && cut > whole,
    )
    assert.deepEqual(await repairVolumes(disk, FOLDER, quiet), [])
  }
})

test('damage before the durable end costs nothing after it', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const first = keepIn(archive, madeUpExchange())
  const last = keepIn(archive, madeUpExchange({ payload: Buffer.from('last') }))
  await archive.synced()
  const path = `${FOLDER}/${first.volume}.open`
  const bytes = disk.read(path, 0, 1e6)
  bytes[first.offset + 30] ^= 255
  disk.remove(path)
  disk.append(path).write(Buffer.concat([bytes, Buffer.from('torn')]))
  const durable = new Map([[first.volume, last.offset + last.length]])
  assert.deepEqual(await repairVolumes(disk, FOLDER, quiet, durable), [{ name: first.volume, cut: 4, removed: false }])
})

interface Run {
  disk: MemoryDisk
  acknowledged: { capture: Capture; number: number }[]
}

/** The disk of a process that dies with the crash: its later calls do not reach the disk, and get no answer. */
function mortal(inner: Disk): { disk: Disk; die(): void } {
  let dead = false
  const forever = new Promise<never>(() => {})
  const alive = <T>(work: Promise<T>): Promise<T> => work.then((value) => (dead ? forever : value))
  const disk: Disk = {
    ...inner,
    append(path) {
      const file = inner.append(path)
      const own: AppendFile = {
        get size() {
          return file.size
        },
        write: (bytes) => file.write(bytes),
        sync: () => alive(file.sync()),
        close: () => file.close(),
      }
      return own
    },
    syncFolder: (folder) => alive(inner.syncFolder(folder)),
  }
  const die = () => {
    dead = true
  }
  return { disk, die }
}

/** Keeps and syncs at random until a random moment; what was synced is in `acknowledged`. */
async function crashedRun(seed: number, wrap: (disk: MemoryDisk) => Disk): Promise<Run> {
  const random = seededRandom(seed)
  const disk = memoryDisk()
  const process = mortal(wrap(disk))
  const { archive } = madeUpArchive(process.disk, { rollBytes: 40_000 })
  const acknowledged: Run['acknowledged'] = []
  let kept: Run['acknowledged'] = []
  const steps = random.integer(25)
  for (let step = 0; step < steps; step++) {
    const number = seed * 100 + step
    kept.push({ capture: keepIn(archive, anyExchange(number)), number })
    if (random.integer(3) === 0) {
      const promised = kept
      kept = []
      const synced = archive.synced().then(() => acknowledged.push(...promised))
      if (random.integer(2) === 0) await synced
    }
    for (let i = random.integer(6); i > 0; i--) await Promise.resolve()
  }
  if (random.integer(5) === 0) await archive.close().then(() => acknowledged.push(...kept))
  process.die()
  disk.crash(random)
  return { disk, acknowledged }
}

async function isLost({ disk, acknowledged }: Run): Promise<boolean> {
  for (const { capture, number } of acknowledged) {
    const read = await readCapture(localVolumes(disk, FOLDER), capture, () => undefined)
    if (read.kind === 'unreadable') return true
    if (!Buffer.from(anyExchange(number).answer.payload).equals(read.body)) return true
  }
  return false
}

test('after a crash everything that was synced is there, and every volume is whole', async () => {
  let promised = 0
  for (let seed = 1; seed <= 250; seed++) {
    const run = await crashedRun(seed, (disk) => disk)
    await repairVolumes(run.disk, FOLDER, quiet)
    promised += run.acknowledged.length
    assert.equal(await isLost(run), false, `seed ${seed}`)
    for (const name of run.disk.list(FOLDER)) {
      assert.ok(!name.endsWith('.open'), `seed ${seed}`)
      for await (const problem of verifyVolume(run.disk, `${FOLDER}/${name}`))
        assert.fail(`seed ${seed}: ${problem.what}`)
    }
  }
  assert.ok(promised > 500, `only ${promised} captures were promised`)
})

/** Bugs planted in the disk that the writer sees: each must be caught. */
const BUGS: Record<string, (disk: MemoryDisk) => Disk> = {
  'no sync of the file': (disk) => ({
    ...disk,
    append(path) {
      const file = disk.append(path)
      const lazy = { ...file, sync: () => Promise.resolve() } as AppendFile
      return Object.defineProperties(lazy, { size: { get: () => file.size } })
    },
  }),
  'no sync of the folder': (disk) => ({ ...disk, syncFolder: () => Promise.resolve() }),
}

for (const [name, wrap] of Object.entries(BUGS)) {
  test(`planted and caught: ${name}`, async () => {
    let lost = 0
    for (let seed = 1; seed <= 40; seed++) {
      const run = await crashedRun(seed, wrap)
      await repairVolumes(run.disk, FOLDER, quiet)
      if (await isLost(run)) lost++
    }
    assert.ok(lost > 0)
  })
}

test('a rename that a crash undid, and an old name beside the new one', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const { volume } = keepIn(archive, madeUpExchange())
  await archive.close()
  const bytes = disk.read(`${FOLDER}/${volume}`, 0, 1e6)
  disk.append(`${FOLDER}/${volume}.open`).write(bytes)
  await repairVolumes(disk, FOLDER, quiet)
  assert.deepEqual(disk.list(FOLDER), [volume])
  assert.equal(disk.size(`${FOLDER}/${volume}`), bytes.length)
})

test('a volume that another process still writes is left alone', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const { volume } = keepIn(archive, madeUpExchange())
  await archive.synced()
  assert.deepEqual(await repairVolumes(disk, FOLDER, quiet, new Map(), new Set([volume])), [])
  assert.deepEqual(disk.list(FOLDER), [`${volume}.open`])
})

test('of a volume shorter than what is known of it, the operator is told, and its whole members stay', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const { volume } = keepIn(archive, madeUpExchange())
  await archive.synced()
  const size = disk.size(`${FOLDER}/${volume}.open`)!
  const repair = async (durable: number) => {
    const copy = memoryDisk()
    copy.append(`${FOLDER}/${volume}.open`).write(disk.read(`${FOLDER}/${volume}.open`, 0, size))
    const events: Event[] = []
    const journal = { record: (event: Event) => void events.push(event) }
    const [{ cut, removed }] = await repairVolumes(copy, FOLDER, journal, new Map([[volume, durable]]))
    return [cut, removed, ...events.map(({ kind }) => kind)]
  }
  assert.deepEqual(await repair(size), [0, false, 'volume-closed'])
  assert.deepEqual(await repair(size + 1), [0, false, 'trouble', 'volume-closed'])
})
