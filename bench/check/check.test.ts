/** That the check can fail: on a work that has become slower, by name, and with the right exit code. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import { compareRatios, FIGURES, readFigures, rounded, writeFigures } from './compare.ts'
import { shortRatios } from './short-ratios.ts'
import { worksOn } from './works.ts'

test('a regression is reported by name; gains and changes within the bound are not', () => {
  const measured = new Map(Object.entries({ same: 1, slower: 1.16, quicker: 0.5, new: 1, unmeasured: Number.NaN }))
  const committed = { same: 0.9, slower: 1, quicker: 1, unmeasured: 1 }
  const lost = compareRatios(measured, committed, 0.15).filter(({ isLost }) => isLost)
  assert.deepEqual(
    lost.map(({ name }) => name),
    ['slower', 'new', 'unmeasured'],
  )
})

test('the committed figures of whole crawls are no laxer than those that are published', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/measurements.md'), 'utf8')
  const published = (crawler: string, coding: string) => {
    const [, cpu] = new RegExp(`^\\| ${crawler} \\| ${coding} \\| ([\\d.]+) \\|`, 'm').exec(page) ?? []
    assert.ok(cpu !== undefined, `docs/measurements.md has a row for ${crawler}, ${coding}`)
    return Number(cpu)
  }
  for (const [coding, committed] of Object.entries(readFigures(FIGURES).whole)) {
    const ratio = published('orbweaver', coding) / published('ceiling', coding)
    // Three digits are published of each: their ratio is right to half a percent.
    assert.ok(committed <= ratio * 1.005, `${coding}: ${committed} is committed, ${ratio.toFixed(3)} published`)
  }
})

test('a piece that does its work twice is found', async () => {
  const { pages, works } = await worksOn(3, 12)
  const pieces = works.filter(({ name }) => name !== 'crawl')
  const committed = rounded(await shortRatios({ pages, works: pieces }, 5))
  const planted = pieces.map((work) => {
    if (work.name !== 'read') return work
    const run = () => {
      work.run()
      work.run()
    }
    return { ...work, run }
  })
  const compared = compareRatios(await shortRatios({ pages, works: planted }, 5), committed, 0.35)
  assert.equal(compared.find(({ name }) => name === 'read')?.isLost, true)
})

test('the short form exits with 1 and names the regressions', async () => {
  using folder = temporaryFolder()
  const figures = join(folder.path, 'figures.json')
  writeFigures(figures, {
    whole: {},
    short: { read: 1000, keep: 1000, report: 0.000_001, crawl: 1000 },
    from: { whole: '', short: '' },
  })
  const main = join(import.meta.dirname, '..', 'main.ts')
  const run = promisify(execFile)(process.execPath, [main, 'check', '--short', '--figures', figures], {
    timeout: 240_000,
  })
  await assert.rejects(run, (error: Error & { code?: number; stdout?: string }) => {
    assert.equal(error.code, 1)
    assert.match(error.stdout ?? '', /never committed: report\./)
    return true
  })
})

test('every benchmark of check has committed figures', async () => {
  const { works } = await worksOn(1, 2)
  const { short, whole } = readFigures(FIGURES)
  assert.deepEqual(
    Object.keys(short),
    works.map(({ name }) => name),
  )
  assert.deepEqual(Object.keys(whole), ['identity', 'gzip'])
})
