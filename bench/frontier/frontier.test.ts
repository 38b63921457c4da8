/** `bench frontier` can be run on something small: no figure is judged here, only that there are some. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { FrontierFigures } from './measure.ts'

const MAIN = join(import.meta.dirname, '..', 'main.ts')
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, 'frontier', ...args, '--json'])

interface Sizes {
  sizes: { urls: number; running: FrontierFigures; started: FrontierFigures; bytesPerUrlWithoutText: number }[]
}

test('the smallest frontiers', async () => {
  const { stdout } = await bench('--urls', '2000,4000', '--sites', '100,100', '--visits', '40')
  const { sizes } = JSON.parse(stdout) as Sizes
  assert.deepEqual(
    sizes.map(({ urls }) => urls),
    [2000, 4000],
  )
  for (const { running, started, bytesPerUrlWithoutText } of sizes) {
    assert.ok(bytesPerUrlWithoutText > 0)
    for (const { testsPerSecond, testsInVisits, testsInDatabase, pages } of [running, started]) {
      assert.ok(testsPerSecond > 0 && pages > 0)
      assert.equal(testsInVisits + testsInDatabase, 40 * pages)
    }
  }
})

test('as many numbers of sites as of URLs', async () => {
  await assert.rejects(bench('--urls', '2000,4000', '--sites', '100'))
  await assert.rejects(bench('--urls', '2000', '--sites', '100,100'))
})
