import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { CrawlPlan } from '../../app/composition/plan.ts'
import { wantedBy } from '../../app/composition/remote-worker.ts'
import { loadSettings } from '../../app/config/load.ts'
import { livePlan, PLAN_FRESH } from './live-plan.ts'

const NOWHERE = { env: {}, readFile: () => undefined }
const planOf = (seeds: string[], flags: string[] = []): CrawlPlan => ({
  settings: loadSettings(flags, 'crawl', NOWHERE).settings,
  seeds,
  alternates: [],
  version: '1',
})
const visit = (site: string) => ({ site, agenda: [{ url: `http://${site}/` }] as never })

/** `answers`: what the servers say of their plan, one after the other; the last one for ever. */
function watching(first: CrawlPlan, answers: (CrawlPlan | Error)[], stop = new AbortController()) {
  const clock = virtualClock(0)
  const seen = { asked: [] as number[], renewed: 0 }
  const live = livePlan(first, {
    clock,
    journal: { record() {} },
    async read() {
      seen.asked.push(clock.elapsed())
      const answer = answers.length > 1 ? answers.shift()! : answers[0]
      if (answer instanceof Error) throw answer
      return answer
    },
    wantedBy,
    renew: () => void seen.renewed++,
    stop: stop.signal,
  })
  return { live, seen, check: (...sites: string[]) => clock.run(live.check(sites.map(visit))) }
}

const OLD = planOf(['http://a.test/'])
const NEW = planOf(['http://a.test/', 'http://b.test/'])

test('visits that the plan wants begin at once', async () => {
  const { seen, check } = watching(OLD, [NEW])
  await check('a.test')
  assert.deepEqual(seen, { asked: [], renewed: 0 })
})

test('a site that the plan does not know is visited only under the newer plan', async () => {
  const { live, seen, check } = watching(OLD, [NEW])
  await check('b.test')
  assert.deepEqual(seen, { asked: [0], renewed: 1 })
  assert.deepEqual(live.plan.seeds, NEW.seeds)
  await check('a.test', 'b.test')
  assert.equal(seen.asked.length, 1)
})

test('a server that caches its plan is asked again when it must have made a new one', async () => {
  const { seen, check } = watching(OLD, [OLD, NEW])
  await check('b.test')
  assert.deepEqual(seen, { asked: [0, PLAN_FRESH], renewed: 1 })
})

test('a site that the newest plan does not want either is visited anyway, and asked about once', async () => {
  const { seen, check } = watching(OLD, [OLD])
  await check('b.test')
  await check('b.test')
  assert.deepEqual(seen, { asked: [0, PLAN_FRESH], renewed: 0 })
})

test('when no server gives its plan, the visits are given back', async () => {
  const { live, seen, check } = watching(OLD, [new Error('away'), NEW])
  await check('b.test')
  assert.equal(seen.renewed, 1)
  assert.equal(live.plan, OLD)
  await check('b.test')
  assert.equal(live.plan.seeds.length, 2)
})

test('a stopping worker does not wait for plans', async () => {
  const stop = new AbortController()
  stop.abort()
  const { seen, check } = watching(OLD, [OLD], stop)
  await check('b.test')
  assert.deepEqual(seen.asked, [])
})

test('other settings are another plan; another version of the server alone is not', async () => {
  const { live, seen } = watching(OLD, [{ ...OLD, version: '2' }, planOf(['http://a.test/'], ['--pause', '5s'])])
  await live.readAgain()
  assert.equal(seen.renewed, 0)
  await live.readAgain()
  assert.equal(seen.renewed, 1)
  assert.equal(live.plan.settings.pause, 5000)
})
