import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ONE_HORIZON, runTrial } from '../../src/refresh/trial.ts'
import { PLAIN } from '../web/options.ts'
import { makeWeb } from '../web/web.ts'
import { boundOf, DAY, scenarioOf, stalenessByDay, watchedPages } from './staleness.ts'

const web = makeWeb({ seed: 5, sites: 20, pagesPerSite: 20, ...PLAIN, changesPerDay: 4, leastChangesPerDay: 1 / 30 })
const { epoch } = web.plan

test('without looks copies grow stale; looks make them fresh; drawn and expected agree', () => {
  const never = watchedPages(web).map((page) => ({ ...page, looks: [epoch] }))
  const days = stalenessByDay(web, never, epoch, 20)
  assert.equal(days.length, 20)
  assert.ok(days[0].stale < 0.35 && days[19].stale > days[0].stale && days[19].stale < 1)
  for (const { stale, expected, looks } of days) {
    assert.ok(Math.abs(stale - expected) < 0.05, `${stale} and not ${expected}`)
    assert.equal(looks, 0)
  }
  const hourly = never.map((page) => ({ ...page, looks: Array.from({ length: 480 }, (_, i) => epoch + i * 3_600_000) }))
  const fresh = stalenessByDay(web, hourly, epoch, 20)
  assert.ok(fresh[19].stale < 0.03 && Math.abs(fresh[19].stale - fresh[19].expected) < 0.005)
  assert.equal(fresh[10].looks, 24 * 400)
  // The drawn staleness lies around the expected one as its variance says: the mean of 20 squares is 1 ± 0.3.
  const squares = fresh.map(({ stale, expected, variance }) => (stale - expected) ** 2 / variance)
  const mean = squares.reduce((sum, square) => sum + square, 0) / squares.length
  assert.ok(mean > 0.4 && mean < 2, `${mean}`)
})

test('one page by hand', () => {
  const [page] = watchedPages(web)
  const [first, second] = web.changesOf(page.url, epoch, epoch + 400 * DAY)
  const looks = [epoch, first + 1000]
  const stale = stalenessByDay(web, [{ ...page, looks }], epoch, 400).reduce((sum, day) => sum + day.stale, 0) * DAY
  const after = second > first + 1000 ? epoch + 400 * DAY - second : epoch + 400 * DAY - first - 1000
  assert.ok(Math.abs(stale - 1000 - after) < 1, `${stale}`)
})

test('the bound is what the best policy of the arena reaches with the same pages', async () => {
  const pages = watchedPages(web)
  const gap = 120_000
  const scenario = scenarioOf(pages, gap)
  const options = { ...ONE_HORIZON, horizons: 6 }
  const tools = { elapsed: () => 0, progress: async () => {} }
  const { policies, bounds } = await runTrial(scenario, ['index', 'round-robin'], options, tools)
  const bound = boundOf(pages, () => gap)
  assert.ok(Math.abs(bound / (bounds.kkt ?? 0) - 1) < 1e-4, `${bound} and ${bounds.kkt}`)
  const index = policies.index?.ratio ?? 0
  assert.ok(index > 0.999 && index < 1.02, `${index}`)
  assert.ok((policies['round-robin']?.ratio ?? 0) > index)
})
