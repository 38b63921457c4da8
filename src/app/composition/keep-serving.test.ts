import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../base/virtual-clock.ts'
import { loadSettings } from '../config/load.ts'
import type { Coordinator } from './coordinator.ts'
import type { CrawlView } from './crawl-view.ts'
import { keepServing } from './keep-serving.ts'

const NOWHERE = { env: {}, readFile: () => undefined }

interface Look {
  leased?: number
  waiting?: number
  inbox?: number
  documents?: number
  bytes?: number
  known?: number
}

/** A server whose crawl looks like this in one second after the other; the last for ever. */
function serving(flags: string[], looks: (Look | Error)[], dialect = 'postgres') {
  const clock = virtualClock(0)
  const stop = new AbortController()
  const seen = { stopped: false, finished: false }
  let look: Look = {}
  const coordinator = {
    parts: {
      clock,
      journal: { record() {} },
      settings: loadSettings(flags, 'serve', NOWHERE).settings,
      database: { dialect },
    },
    intake: { pending: () => look.inbox ?? 0 },
    frontier: {
      stop() {
        seen.stopped = true
      },
    },
    async tick() {
      const next = looks.length > 1 ? looks.shift()! : looks[0]
      if (next instanceof Error) throw next
      look = next
    },
    async finish() {
      seen.finished = true
    },
  } as unknown as Coordinator
  const view = {
    refresh: async () => {},
    get totals() {
      const sites = { waiting: look.waiting ?? 0, free: 0, leased: look.leased ?? 0, returning: 0 }
      return { sites, urls: { known: look.known ?? 1 } }
    },
    get counters() {
      return new Map([
        ['documents', look.documents ?? 0],
        ['bytes', look.bytes ?? 0],
      ])
    },
  } as unknown as CrawlView
  const role = { isOurs: async () => true, release: async () => {} }
  const run = async () => {
    const end = await clock.run(keepServing(coordinator, view, role, stop.signal))
    assert.ok(seen.finished)
    return { ...end, afterMs: clock.elapsed(), stopped: seen.stopped }
  }
  return { run, stop, clock }
}

test('it ends when the crawl is complete, if it is to; until then workers have a while to hear it', async () => {
  const looks = [{ waiting: 1 }, { leased: 1 }, { inbox: 1 }, { documents: 7 }]
  const end = await serving(['--until-done'], looks).run()
  assert.deepEqual(end, { why: 'complete', documents: 7, afterMs: 7000, stopped: false })
})

test('a crawl without seeds is not complete, and who is not to end waits for more', async () => {
  for (const [flags, look] of [
    [['--until-done'], { known: 0 }],
    [[], { documents: 7 }],
  ] as const) {
    const { run, stop, clock } = serving([...flags], [look])
    clock.after(60_500, () => stop.abort())
    assert.equal((await run()).why, 'interrupted')
  }
})

test('limits: time also while the database is away, size at once, pages when all that is out is back', async () => {
  const late = await serving(['--max-time', '90s'], [new Error('away')]).run()
  assert.deepEqual([late.why, late.afterMs, late.stopped], ['time', 90_000, true])
  const large = await serving(['--max-size', '1MB'], [{ bytes: 10 }, { bytes: 2e6, leased: 3 }]).run()
  assert.deepEqual([large.why, large.afterMs, large.stopped], ['size', 2000, true])
  const many = await serving(
    ['--max-pages', '5'],
    [
      { documents: 5, leased: 1 },
      { documents: 6, waiting: 9 },
    ],
  ).run()
  assert.deepEqual([many.why, many.documents], ['pages', 6])
})

test('what goes wrong in its own file ends it; a database that many share comes back', async () => {
  await assert.rejects(serving([], [new Error('broken')], 'sqlite').run(), /broken/)
  const end = await serving(['--until-done'], [new Error('away'), { documents: 1 }]).run()
  assert.equal(end.why, 'complete')
})
