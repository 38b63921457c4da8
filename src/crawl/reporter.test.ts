import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import type { Visit } from '../contracts/visit.ts'
import { Reporter } from './reporter.ts'
import { VisitTimes } from './visit-times.ts'

const { robots: _, ...COUNTS } = freshMemory()
const ROBOTS: SiteMemory['robots'] = { http: { state: 'rules', at: 1, status: 200, text: 'Disallow: /x' } }
const TRAPS = { suspects: [], echoes: 1 }

function reporterOf(memory: SiteMemory): Reporter {
  const visit: Visit = {
    id: 'v.1',
    fence: 1,
    site: 'a.test',
    agenda: [],
    known: new BigUint64Array(0),
    memory,
    wait: 0,
    pause: 1000,
    limits: { pages: 1, time: 1 },
    lease: 1,
  }
  return new Reporter(visit, () => ({ pause: 1000, notBefore: 1 }), new VisitTimes(virtualClock(0), new Map()))
}

test('robots are reported once, when they differ from what the coordinator has', () => {
  const reporter = reporterOf({ ...COUNTS, robots: ROBOTS })
  const told = (memory: SiteMemory) => {
    reporter.remember(memory)
    return reporter.take()?.memory
  }
  assert.deepEqual(told({ ...COUNTS, robots: ROBOTS, fetched: 1 }), { ...COUNTS, fetched: 1 })
  const others = { ...ROBOTS, https: ROBOTS.http }
  assert.deepEqual(told({ ...COUNTS, robots: others, crawlDelay: 3000 }), {
    ...COUNTS,
    robots: others,
    crawlDelay: 3000,
  })
  assert.deepEqual(told({ ...COUNTS, robots: others, rests: 1 }), { ...COUNTS, rests: 1 })
})

test('trap counts are reported with a finding, now and then, and at the end', () => {
  const reporter = reporterOf(freshMemory())
  reporter.traps.echoes = 1
  const told = () => {
    reporter.trapsChanged()
    return reporter.take()!.memory.traps
  }
  assert.equal(told(), undefined)
  reporter.addFinding({ rule: 'calendar', evidence: 'e', at: 1 })
  assert.deepEqual(told(), TRAPS)
  const parts = Array.from({ length: 100 }, told)
  assert.equal(parts.filter((traps) => traps !== undefined).length, 3)
  reporter.end('done')
  assert.deepEqual(told(), TRAPS)
})

test('a URL listed by a deeper page keeps the lesser depth', () => {
  const reporter = reporterOf(freshMemory())
  const link = { site: 'a.test', key: 7n, url: 'http://a.test/x' }
  reporter.addLink({ ...link, depth: 2, via: 'http://a.test/1', path: 'Ll' })
  reporter.addLink({ ...link, depth: 5, via: 'http://a.test/list', path: 'LLLLL' })
  assert.deepEqual(reporter.take()?.found, [{ ...link, depth: 2, via: 'http://a.test/list', path: 'LLLLL' }])
})

test('of two dates of a URL the newer counts, whichever list is read last', () => {
  const reporter = reporterOf(freshMemory())
  const link = { site: 'a.test', key: 7n, url: 'http://a.test/x', depth: 1, via: 'http://a.test/feed', path: 'M' }
  for (const lastmod of [1000, 2000, 1500, undefined])
    reporter.addLink(lastmod === undefined ? link : { ...link, lastmod })
  assert.equal(reporter.take()?.found?.[0].lastmod, 2000)
})
