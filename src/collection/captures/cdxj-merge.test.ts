import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { seededRandom } from '../../base/random.ts'
import { mergeIndex } from './cdxj-merge.ts'

const FOLDER = 'collection/indexes'
const PATH = `${FOLDER}/index.cdxj`
const linesOf = (disk: ReturnType<typeof memoryDisk>) =>
  Buffer.from(disk.read(PATH, 0, 1e9))
    .toString('utf8')
    .split('\n')
    .slice(0, -1)

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

test('any lines in any portions are sorted by bytes, each once, whatever the size of a run', async () => {
  const line = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', ')', ',', ' ', 'é', '\u{10000}', '\uffee') })
  const portions = fc.array(fc.array(line, { maxLength: 30 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(portions, fc.integer({ min: 1, max: 8 }), async (given, linesPerRun) => {
      const disk = memoryDisk()
      let count = 0
      for (const portion of given) count = await mergeIndex(disk, FOLDER, [portion], false, linesPerRun)
      const expected = [...new Set(given.flat())].sort(byBytes)
      assert.equal(count, expected.length)
      assert.deepEqual(expected.length === 0 ? [] : linesOf(disk), expected)
      assert.deepEqual(disk.list(FOLDER), expected.length === 0 ? [] : ['index.cdxj'])
    }),
    { numRuns: 60 },
  )
})

test('more runs than may be open at once', async () => {
  const disk = memoryDisk()
  const random = seededRandom(9)
  const given = Array.from({ length: 1000 }, () => String(random.integer(700)))
  await mergeIndex(disk, FOLDER, [given], false, 3)
  assert.deepEqual(linesOf(disk), [...new Set(given)].sort(byBytes))
  assert.deepEqual(disk.list(FOLDER), ['index.cdxj'])
})

test('lines longer than a buffer, and lines given as they come', async () => {
  const disk = memoryDisk()
  const long = 'b' + 'x'.repeat(300_000)
  async function* given() {
    yield [long]
    yield ['c', 'a\n']
  }
  assert.equal(await mergeIndex(disk, FOLDER, given()), 3)
  assert.deepEqual(linesOf(disk), ['a', long, 'c'])
})

test('files that a crash left of a merge are removed', async () => {
  const disk = memoryDisk()
  disk.append(`${FOLDER}/index.partial-new`).write(Buffer.from('half a li'))
  disk.append(`${FOLDER}/index.partial-run-7`).write(Buffer.from('zzz\n'))
  await mergeIndex(disk, FOLDER, [['a', 'b']])
  assert.deepEqual(linesOf(disk), ['a', 'b'])
  assert.deepEqual(disk.list(FOLDER), ['index.cdxj'])
})

test('after a crash there is the old index or the new one, never a part', async () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = seededRandom(seed)
    const disk = memoryDisk()
    await mergeIndex(disk, FOLDER, [['a', 'c']])
    const merging = mergeIndex(disk, FOLDER, [['b', 'd', 'e']], false, 2).catch(() => {})
    let over = false
    void merging.then(() => {
      over = true
    })
    for (let i = random.integer(40); i > 0; i--)
      await new Promise((resolve) => (i % 2 ? setImmediate(resolve) : resolve(0)))
    const wasOver = over
    disk.crash(random)
    const found = linesOf(disk).join('')
    assert.ok(found === 'abcde' || (found === 'ac' && !wasOver), `seed ${seed}: ${found}`)
    await merging
  }
})
