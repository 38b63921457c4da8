import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import type { Visit } from '../../contracts/visit.ts'
import type { Coordinator } from '../composition/coordinator.ts'
import { openForWriting } from '../composition/open-for-writing.ts'
import type { CrawlPlan } from '../composition/plan.ts'
import { loadSettings } from '../config/load.ts'
import { keepSteering, liveScope } from './steering.ts'

const NEW = 'http://new.test/'
const VISIT = { id: 'v', agenda: [{ path: '', before: undefined, url: NEW }] } as unknown as Visit

/** A crawl whose seeds are read when the test says so. */
function crawlOf() {
  const reads: PromiseWithResolvers<unknown>[] = []
  const given: string[] = []
  const decisions = {
    crawl: {} as { seeded?: number },
    refreshed: 0,
    mayBeOld: false,
    refresh: async () => void decisions.refreshed++,
  }
  const database = {
    read() {
      const read = Promise.withResolvers<unknown>()
      reads.push(read)
      return read.promise
    },
    transact: (work: (tx: unknown) => Promise<void>) => work({}),
  }
  const coordinator = {
    decisions,
    frontier: { ledger: { giveBack: async (_: unknown, visits: string[]) => void given.push(...visits) } },
    parts: { database, settings: { scope: 'host', include: [], queries: true } },
  }
  const renewed: (readonly string[])[] = []
  const live = liveScope(
    { seeds: ['http://a.test/'] } as unknown as CrawlPlan,
    coordinator as unknown as Coordinator,
    () => void renewed.push(live.plan.seeds),
  )
  const crawl = { live, decisions, reads, given, renewed, leased: Promise.resolve() }
  const calls = live.over({
    checkOut: async () => {
      await crawl.leased
      return { visits: [VISIT], next: 0 }
    },
  } as unknown as CoordinatorCalls)
  return Object.assign(crawl, { checkOut: () => calls.checkOut('w1', 1) })
}

const SEEDS = [{ url: NEW, source: 'given' }]

test('a new seed is handed out only when the scope follows it, whoever began to renew it', async () => {
  const crawl = crawlOf()
  assert.equal((await crawl.checkOut()).visits.length, 1)
  crawl.decisions.crawl = { seeded: 7 }
  const renewing = crawl.live.renew()
  const answer = crawl.checkOut()
  crawl.reads[0].resolve(SEEDS)
  assert.deepEqual((await answer).visits, [])
  await renewing
  assert.deepEqual(crawl.given, ['v'])
  assert.deepEqual(crawl.renewed, [[NEW]])
  assert.equal(crawl.reads.length, 1)
  assert.equal((await crawl.checkOut()).visits.length, 1)
})

test('a check-out that began before the scope was renewed, for a thread that is ending, is given back', async () => {
  const crawl = crawlOf()
  const gate = Promise.withResolvers<void>()
  crawl.leased = gate.promise
  const answer = crawl.checkOut()
  crawl.decisions.crawl = { seeded: 7 }
  const renewing = crawl.live.renew()
  crawl.reads[0].resolve(SEEDS)
  await renewing
  gate.resolve()
  assert.deepEqual((await answer).visits, [])
})

test('seeds that could not be read are read again', async () => {
  const crawl = crawlOf()
  crawl.decisions.crawl = { seeded: 7 }
  const renewing = crawl.live.renew()
  crawl.reads[0].reject(new Error('the database is away'))
  await assert.rejects(renewing, /away/)
  const again = crawl.live.renew()
  crawl.reads[1].resolve(SEEDS)
  await again
  assert.deepEqual(crawl.renewed, [[NEW]])
})

test('decisions are read for a check-out only where they may be old', async () => {
  const crawl = crawlOf()
  await crawl.checkOut()
  assert.equal(crawl.decisions.refreshed, 0)
  crawl.decisions.mayBeOld = true
  await crawl.checkOut()
  assert.equal(crawl.decisions.refreshed, 1)
})

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-steering-'))
after(() => rmSync(folder, { recursive: true }))

test('a stop outlives the process that died while ending, until somebody begins it again', async () => {
  const { settings } = loadSettings(['-c', folder], 'crawl', { env: {}, readFile: () => undefined })
  /** Whether a process that begins so is stopped at once. */
  const isStopped = async (restarts?: number, meanwhile = async (_: Coordinator) => {}) => {
    const why = restarts === undefined ? undefined : { count: restarts, why: 'it was ended by SIGKILL', agoMs: 0 }
    const { coordinator, close } = await openForWriting(settings, { seeds: [], version: '0', restarts: () => why })
    const over = new AbortController()
    let stopped = false
    const stop = () => {
      stopped = true
    }
    const looked = async () => over.abort()
    await keepSteering(coordinator, { order() {}, stop, seeded: looked }, coordinator.decisions.version, over.signal)
    await meanwhile(coordinator)
    await close()
    return stopped
  }
  assert.equal(await isStopped(1), false)
  await isStopped(undefined, async ({ control }) => void (await control.perform('anna', { action: 'stop' })))
  assert.equal(await isStopped(1), true)
  assert.equal(await isStopped(2), true)
  assert.equal(await isStopped(), false)
  assert.equal(await isStopped(1), false)
})
