/** A worker that stands still past its leases and then goes on, as a machine that slept does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock, Millis } from '../../src/base/clock.ts'
import { readCounters } from '../../src/collection/counters/counters.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { OpenSession } from '../../src/contracts/exchange.ts'
import { crawlOn, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'
import type { Forgotten } from './judge.ts'

interface Sleep {
  from: Millis
  until: Millis
}

/** What is due while the machine sleeps is done when it wakes. */
function sleeping(clock: Clock, { from, until }: Sleep): Clock {
  const after: Clock['after'] = (ms, call) => {
    const due = clock.elapsed() + ms
    return clock.after(due >= from && due < until ? until - clock.elapsed() : ms, call)
  }
  return {
    now: clock.now,
    elapsed: clock.elapsed,
    after,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = () => {
          cancel()
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        const cancel = after(ms, wake)
        signal?.addEventListener('abort', wake)
      })
    },
  }
}

/** The answer is in the machine's buffers; it looks at it when it wakes. */
function answeringLate(openSession: OpenSession, clock: Clock): OpenSession {
  return () => {
    const session = openSession()
    return {
      close: () => session.close(),
      async fetch(request) {
        const exchange = await session.fetch(request)
        await clock.sleep(0.001)
        return exchange
      },
    }
  }
}

for (const from of [2150, 11_300]) {
  test(`a worker that sleeps from ${from} ms on for ten minutes loses its sites, and what it brings then is refused`, async () => {
    const sleep: Sleep = { from, until: from + 600_000 }
    const lost: Event[] = []
    const stage = setStage({
      seed: 5,
      sites: 12,
      pages: 14,
      web: { pageBytes: 1000, linksPerPage: 10, sharedAddressShare: 0.3 },
      settings: { visits: 6 },
      journal: (event) => {
        if (event.kind === 'lease-lost') lost.push(event)
      },
    })
    const clock = sleeping(stage.clock, sleep)
    stage.options.alter = {
      tools: (tools, worker) =>
        worker === 'w2' ? { ...tools, clock, openSession: answeringLate(tools.openSession, clock) } : tools,
    }
    await crawlOn(stage)
    assert.ok(lost.length > 0, 'leases were lost')
    const unheard = stage.ledger.entries.filter(({ endedAt = 0 }) => endedAt > from - 1100 && endedAt < from + 200)
    const forgotten: Forgotten = (answer) => unheard.includes(answer)
    assert.deepEqual(await faultsOf(stage, forgotten), [])
    const counted = await stage.database.read(async (tx) => (await readCounters(tx)).get('requests') ?? 0)
    assert.ok(counted <= stage.ledger.entries.length)
    assert.ok(stage.ledger.entries.length - counted < 20, 'only the last second before the sleep was in vain')
    await stage.database.close()
  })
}
