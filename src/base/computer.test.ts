import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskLoad, readDiskStats, watchComputer } from './computer.ts'

const BEFORE = `   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 100 5 2000 400 1000 7 80000 9600 0 5000 10000 0 0 0 0 1 2
 259    1027 nvme0n1p2 1 1 1 1 1 1 1 1 1 1 1`
const AFTER = BEFORE.replace(
  '100 5 2000 400 1000 7 80000 9600 0 5000 10000',
  '100 5 2000 400 1480 7 88213 633504 9 5000 939000',
)

test("a disk's load is that of iostat in VN's Table 5, with 30 processes (V24)", () => {
  const before = readDiskStats(BEFORE, 0xfe00, 0)!
  const load = diskLoad(readDiskStats(AFTER, 0xfe00, 10_000)!, before)
  assert.deepEqual(load, { ms: 10_000, writesPerSecond: 48, queue: 92.9, waitMs: 1299.8, sectorsPerSecond: 821.3 })
  assert.equal(diskLoad(before, before)?.waitMs, undefined, 'no request')
  assert.equal(diskLoad({ ...before, at: 1000 })?.writesPerSecond, 1000, 'since the machine was started')
  assert.equal(diskLoad({ ...before, at: 1000, queuedMs: 3 }, before), undefined, 'a counter began anew')
})

test('a partition with a large minor number; none for a device without a line', () => {
  assert.equal(readDiskStats(BEFORE, (259 << 8) | 0x03 | (0x400 << 12), 0)?.writes, 1)
  assert.equal(readDiskStats(BEFORE, 0x31, 0), undefined)
  assert.equal(readDiskStats('', 0xfe00, 0), undefined)
})

test('this computer has processors and memory; a folder that is not there has no disk', () => {
  const { cpus, memoryBytes, freeDiskBytes } = watchComputer()('/nowhere/at/all')
  assert.ok(cpus > 0 && memoryBytes > 2 ** 20)
  assert.equal(freeDiskBytes, 0)
})
