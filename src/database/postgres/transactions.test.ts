/** What becomes of a COMMIT whose answer never came, when another server has to be asked about it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { realClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { QueryResult } from './batch.ts'
import type { Connection } from './connection.ts'
import { outageTracker, type TransactionTools, transact } from './transactions.ts'

/** The first COMMIT is lost with its connection; whoever is asked about it has this history and says this. */
function afterALoss(timeline: number, status: string): TransactionTools {
  let commits = 0
  const connection = (history: number): Connection => {
    const one = {
      isLost: false,
      session: { timeline: history },
      async query(text: string): Promise<QueryResult> {
        const answer = (row: object) => ({ rows: [row], count: 1, command: text.split(' ')[0] })
        if (text.includes('pg_current_xact_id')) return answer({ xid: '1000' })
        if (text.includes('pg_xact_status')) return answer({ status })
        if (text !== 'COMMIT' || ++commits > 1) return answer({})
        one.isLost = true
        throw new Error('Connection terminated unexpectedly')
      },
      destroy() {
        one.isLost = true
      },
    }
    return one as unknown as Connection
  }
  let taken = 0
  const pool = {
    acquire: async () => connection(taken++ === 0 ? 1 : timeline),
    release: () => {},
    close: async () => {},
  }
  const random = seededRandom(1)
  return { pool, where: 'here', clock: realClock, random, patienceMs: 50, readsAgain: true }
}

describe('a COMMIT without an answer', () => {
  const runs = async (timeline: number, status: string) => {
    let count = 0
    await transact(afterALoss(timeline, status), () => {
      count++
    })
    return count
  }

  it('is what its server says', async () => {
    assert.equal(await runs(1, 'committed'), 1)
    assert.equal(await runs(1, 'aborted'), 2)
    await assert.rejects(runs(1, 'in progress'), { code: 'database-unreachable' })
  })

  it('was not done, when the server that took over knows nothing of it or is at it for somebody else', async () => {
    assert.equal(await runs(2, 'aborted'), 2)
    assert.equal(await runs(2, 'in progress'), 2)
  })

  it('is never taken for done because the server that took over gave its number to another', async () => {
    await assert.rejects(runs(2, 'committed'), { code: 'database-unreachable', message: /cannot be determined/ })
  })
})

describe('a database that is away', () => {
  it('is noted by the first try that fails, and is back with the first that does not', async () => {
    const clock = virtualClock(0)
    const { outage, reached } = outageTracker('db.test', clock)
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })
    let tries = 0
    const tools: TransactionTools = {
      ...afterALoss(1, 'committed'),
      pool: {
        async acquire() {
          if (++tries > 5) return afterALoss(1, 'committed').pool.acquire()
          throw refused
        },
        release: () => {},
        close: async () => {},
      },
      clock,
      patienceMs: 10_000,
      reached,
    }
    assert.equal(outage(), undefined)
    const work = transact(tools, () => {})
    await clock.run(clock.sleep(1))
    assert.deepEqual(outage(), {
      what: 'the database db.test cannot be reached: nothing listens there',
      since: 0,
    })
    await clock.run(work)
    assert.ok(outage()!.until! > 0)
  })
})
