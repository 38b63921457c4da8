import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_ORDERS } from '../../contracts/control.ts'
import type { Frontier, ReportSink } from '../../contracts/ports.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { Visit } from '../../contracts/visit.ts'
import { itemOf, PAUSE, type Script, Scripted } from '../scripted.test-data.ts'
import { StandingOrders } from './standing-orders.ts'
import { runWorker, type WorkerOptions } from './worker.ts'

const LEASE = 180_000
const hostOf = (i: number) => `s${i}.test`
const pagesOf = (i: number, count: number) => Array.from({ length: count }, (_, p) => `http://${hostOf(i)}/${p}`)

function visitOf(i: number, pages: number): Visit {
  return {
    id: `v${i}`,
    fence: 1,
    site: hostOf(i),
    agenda: pagesOf(i, pages).map((url) => itemOf({ url })),
    known: new BigUint64Array(0),
    memory: freshMemory(),
    wait: 0,
    pause: PAUSE,
    limits: { pages: 100, time: 1e9 },
    lease: LEASE,
  }
}

/** So many sites of so many pages, each at its own address, handed out once. */
function bench(sites: number, pages: number, options: Partial<WorkerOptions> = {}) {
  const script: Script = {}
  for (let i = 0; i < sites; i++) for (const url of pagesOf(i, pages)) script[url] = { body: url }
  const web = new Scripted(script)
  for (let i = 0; i < sites; i++) web.addresses.set(hostOf(i), `192.0.2.${i}`)
  const { clock } = web
  const waiting = Array.from({ length: sites }, (_, i) => visitOf(i, pages))
  const out = new Set<string>()
  const parts: VisitReport[] = []
  const seen = { max: 0, begun: 0, checkOuts: 0, closed: false, renewed: [] as string[][] }
  const frontier: Frontier = {
    async checkOut(_worker, atMost) {
      seen.checkOuts++
      const visits = waiting.splice(0, atMost)
      for (const { id } of visits) out.add(id)
      seen.begun += visits.length
      const over = web.events.filter(({ kind }) => kind === 'visit-ended').length
      seen.max = Math.max(seen.max, seen.begun - over)
      return { visits, next: waiting.length + out.size === 0 ? 'over' : 1000 }
    },
    enter: async () => 'here',
    async renew(_worker, visits) {
      seen.renewed.push(visits)
      return { lease: LEASE, lost: [] }
    },
  }
  const sink: ReportSink = {
    async send(_worker, told) {
      await clock.sleep(5)
      for (const part of told) {
        parts.push(part)
        if (part.ended !== undefined) out.delete(part.visit)
      }
    },
  }
  const archive = { ...web.tools.archive, close: async () => void (seen.closed = true) }
  const { worker: _w, durable: _d, enter: _e, ...tools } = { ...web.tools, archive }
  const whole: WorkerOptions = { id: 'w', slots: 4, frontier, sink, tools, renewEvery: LEASE / 3, ...options }
  const ended = () => parts.filter((part) => part.ended !== undefined).map(({ visit, ended }) => `${visit} ${ended}`)
  return { web, clock, parts, seen, frontier, sink, ended, options: whole }
}

const never = new AbortController().signal

test('fills its slots and no more, and ends when the crawl is over', async () => {
  const { clock, seen, parts, ended, options } = bench(11, 3)
  await clock.run(runWorker(options, never))
  assert.equal(seen.max, 4)
  assert.deepEqual(ended().sort(), Array.from({ length: 11 }, (_, i) => `v${i} done`).sort())
  const pages = parts.flatMap((part) => part.pages).filter(({ ownRequest }) => !ownRequest)
  assert.equal(pages.length, 33)
  assert.ok(seen.closed)
})

test('parts of a visit are numbered without a gap, and the last one ends it', async () => {
  const { clock, parts, options } = bench(3, 6)
  await clock.run(runWorker(options, never))
  for (const id of ['v0', 'v1', 'v2']) {
    const own = parts.filter(({ visit }) => visit === id)
    assert.deepEqual(
      own.map(({ part }) => part),
      own.map((_, i) => i + 1),
    )
    assert.ok(own.length > 3, 'small parts, often')
    assert.deepEqual(
      own.map(({ ended }) => ended !== undefined),
      own.map((_, i) => i === own.length - 1),
    )
  }
})

test('when stopped, it checks nothing more out, ends its visits, sends everything, and closes its volume', async () => {
  const { web, clock, parts, seen, ended, options } = bench(9, 50)
  const stop = new AbortController()
  let checkOuts = 0
  clock.after(9000, () => {
    checkOuts = seen.checkOuts
    stop.abort()
  })
  await clock.run(runWorker(options, stop.signal))
  assert.equal(seen.checkOuts, checkOuts)
  assert.deepEqual(ended().sort(), ['v0 stopped', 'v1 stopped', 'v2 stopped', 'v3 stopped'])
  assert.equal(parts.flatMap((part) => part.pages).length, web.asked.length)
  assert.ok(clock.elapsed() < 10_000)
  assert.ok(seen.closed)
})

test('visits handed out while it stops are given back unused', async () => {
  const { web, clock, frontier, ended, options } = bench(3, 50)
  const checkOut: Frontier['checkOut'] = async (worker, atMost) => {
    await clock.sleep(100)
    return frontier.checkOut(worker, atMost)
  }
  const stop = new AbortController()
  clock.after(50, () => stop.abort())
  await clock.run(runWorker({ ...options, frontier: { ...frontier, checkOut } }, stop.signal))
  assert.deepEqual(ended().sort(), ['v0 stopped', 'v1 stopped', 'v2 stopped'])
  assert.equal(web.asked.length, 0)
})

test('stopped before it began, it does nothing', async () => {
  const { web, clock, options } = bench(2, 2)
  await clock.run(runWorker(options, AbortSignal.abort()))
  assert.equal(web.asked.length, 0)
})

test('keeps its leases alive as long as visits run', async () => {
  const { clock, seen, options } = bench(2, 200)
  await clock.run(runWorker(options, never))
  assert.ok(seen.renewed.length >= 3)
  for (const visits of seen.renewed) assert.deepEqual(visits, ['v0', 'v1'])
})

test('a lease that is lost: no more requests to that site, the others go on', async () => {
  const { web, clock, ended, frontier, options } = bench(3, 60)
  let lostAt = Number.POSITIVE_INFINITY
  const renew: Frontier['renew'] = async () => {
    lostAt = Math.min(lostAt, clock.elapsed())
    return { lease: LEASE, lost: ['v1'] }
  }
  await clock.run(runWorker({ ...options, frontier: { ...frontier, renew } }, never))
  const late = web.asked.filter(({ url, at }) => url.includes(hostOf(1)) && at > lostAt)
  assert.deepEqual(late, [])
  assert.deepEqual(ended().sort(), ['v0 done', 'v1 stopped', 'v2 done'])
  assert.deepEqual(
    web.events.find(({ kind }) => kind === 'lease-lost'),
    { kind: 'lease-lost', site: hostOf(1) },
  )
})

test('without renewals it stops asking while an exchange would still fit the lease', async () => {
  const { web, clock, frontier, options } = bench(2, 200)
  const renew: Frontier['renew'] = () => new Promise(() => {})
  const run = runWorker({ ...options, frontier: { ...frontier, renew } }, never)
  await clock.run(Promise.race([run, clock.sleep(2 * LEASE)]))
  assert.ok(web.asked.length > 50)
  for (const { at } of web.asked) assert.ok(at + web.tools.exchangeMs <= LEASE)
})

test('when parts cannot be sent, it ends at once with that error and requests nothing more', async () => {
  const { web, clock, sink, options } = bench(4, 50)
  let failedAt = Number.POSITIVE_INFINITY
  const send: ReportSink['send'] = async (worker, parts) => {
    if (clock.elapsed() < 8000) return sink.send(worker, parts)
    failedAt = Math.min(failedAt, clock.elapsed())
    throw new Error('no room left')
  }
  await assert.rejects(clock.run(runWorker({ ...options, sink: { send } }, never)), /no room left/)
  assert.ok(web.asked.every(({ at }) => at <= failedAt + 1))
})

test('when the frontier fails, its visits end before it says so', async () => {
  const { web, clock, frontier, options } = bench(6, 50, { slots: 10 })
  let failed = false
  const checkOut: Frontier['checkOut'] = async (worker, atMost) => {
    if (clock.elapsed() < 5000) return frontier.checkOut(worker, Math.min(1, atMost))
    failed = true
    throw new Error('the coordinator is gone')
  }
  await assert.rejects(clock.run(runWorker({ ...options, frontier: { ...frontier, checkOut } }, never)), /is gone/)
  assert.ok(failed)
  const asked = web.asked.length
  await clock.run(clock.sleep(60_000))
  assert.equal(web.asked.length, asked)
})

const HOUR = 3_600_000

/** `s0.test` hangs: it is asked for in vain. `hears`: until it is told to end. */
function hanging(hears: boolean, options: Partial<WorkerOptions> = {}) {
  const made = bench(3, 2, { slots: 1, ...options })
  const { tools } = made.options
  const signals: AbortSignal[] = []
  made.options.tools = {
    ...tools,
    resolve(host, signal) {
      if (host !== hostOf(0)) return tools.resolve(host, signal)
      signals.push(signal)
      const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof tools.resolve>>>()
      if (hears) signal.addEventListener('abort', () => void tools.resolve(host, signal).then(resolve))
      return promise
    },
  }
  const stuck = () =>
    made.web.events.flatMap((event) => (event.kind === 'visit-stuck' ? `${event.site} ${event.givenUp}` : []))
  return { ...made, stuck, signals }
}

const shorter = (options: WorkerOptions): WorkerOptions => ({
  ...options,
  frontier: {
    ...options.frontier,
    async checkOut(worker, atMost) {
      const { visits, next } = await options.frontier.checkOut(worker, atMost)
      return { visits: visits.map((visit) => ({ ...visit, limits: { ...visit.limits, time: HOUR } })), next }
    },
  },
})

test('a visit that does not end is told to stop, and keeps its lease until it has', async () => {
  const { clock, ended, seen, stuck, options } = hanging(true)
  await clock.run(runWorker(shorter(options), never))
  assert.deepEqual(stuck(), ['s0.test false'])
  assert.deepEqual(ended(), ['v0 stopped', 'v1 done', 'v2 done'])
  const heldMs = (LEASE / 3) * seen.renewed.filter((visits) => visits.includes('v0')).length
  assert.ok(heldMs > HOUR && heldMs < HOUR + 900_000, String(heldMs))
})

test('a visit that does not stop is given up: its slot is free, its lease not renewed', async () => {
  const stop = new AbortController()
  const { clock, ended, seen, stuck, options, signals } = hanging(false)
  clock.after(3 * HOUR, () => stop.abort())
  await clock.run(runWorker(shorter(options), stop.signal))
  assert.deepEqual(stuck(), ['s0.test false', 's0.test true'])
  assert.deepEqual(ended(), ['v1 done', 'v2 done'])
  assert.equal(signals[0].aborted, true)
  const last = seen.renewed.findLastIndex((visits) => visits.includes('v0'))
  assert.ok(last * (LEASE / 3) < 2 * HOUR)
})

test('a stopping worker waits for a visit that hangs, but not forever', async () => {
  const stop = new AbortController()
  const { clock, seen, stuck, options } = hanging(false)
  clock.after(5_000, () => stop.abort())
  await clock.run(runWorker(options, stop.signal))
  assert.deepEqual(stuck(), ['s0.test true'])
  assert.ok(clock.elapsed() < HOUR)
  assert.ok(seen.closed)
})

test('a pause ends its visits and lets it check nothing out; then it goes on', async () => {
  const orders = new StandingOrders()
  const { web, clock, seen, ended, options } = bench(9, 50, { orders })
  const stop = new AbortController()
  const asked: number[] = []
  clock.after(9000, () => {
    orders.learn({ ...NO_ORDERS, version: 1, isPaused: true })
    asked.push(web.asked.length, seen.checkOuts)
  })
  clock.after(60_000, () => {
    asked.push(web.asked.length, seen.checkOuts)
    orders.learn({ ...NO_ORDERS, version: 2 })
  })
  clock.after(70_000, () => stop.abort())
  await clock.run(runWorker(options, stop.signal))
  const [requests, checkOuts, requestsAfter, checkOutsAfter] = asked
  assert.ok(requestsAfter <= requests + 4, 'only what was under way')
  assert.equal(checkOutsAfter, checkOuts)
  assert.ok(web.asked.length > requestsAfter + 4)
  assert.deepEqual(ended().slice(0, 4).sort(), ['v0 stopped', 'v1 stopped', 'v2 stopped', 'v3 stopped'])
  assert.deepEqual(ended().slice(4).sort(), ['v4 stopped', 'v5 stopped', 'v6 stopped', 'v7 stopped'])
})

test('an order about a site ends its visit, and that of a check-out that was under way', async () => {
  const orders = new StandingOrders()
  const { web, clock, frontier, ended, options } = bench(4, 3, { orders, slots: 2 })
  let answered = 0
  const checkOut: Frontier['checkOut'] = async (worker, atMost) => {
    const answer = await frontier.checkOut(worker, atMost)
    // The second answer is on its way when the order comes.
    if (++answered === 2) {
      orders.learn({ ...NO_ORDERS, version: 2, sites: [{ site: 's2.test' }] })
      await clock.sleep(100)
    }
    return answer
  }
  clock.after(100, () => orders.learn({ ...NO_ORDERS, version: 1, sites: [{ site: 's0.test', pauseMs: 5000 }] }))
  await clock.run(runWorker({ ...options, frontier: { ...frontier, checkOut } }, never))
  assert.deepEqual(ended().sort(), ['v0 stopped', 'v1 done', 'v2 stopped', 'v3 done'])
  assert.ok(!web.asked.some(({ url }) => url.includes('s2.test')))
})

test('counts the calls that brought visits, without the time they waited for a free site (C11)', async () => {
  const { clock, parts, frontier, options } = bench(6, 1)
  const slow: Frontier = {
    ...frontier,
    async checkOut(...args) {
      await clock.sleep(520)
      return { ...(await frontier.checkOut(...args)), heldMs: 500 }
    },
  }
  await clock.run(runWorker({ ...options, frontier: slow }, never))
  const sum = (name: string) => parts.reduce((all, { counts }) => all + (counts.get(name) ?? 0), 0)
  assert.deepEqual([sum('checkOuts'), sum('elapsed:check-out')], [2, 40])
})
