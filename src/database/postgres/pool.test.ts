import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Clock, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Connection } from './connection.ts'
import { poolOf } from './pool.ts'

type Fake = Connection & { isLost: boolean; ended: boolean }

function fakes() {
  const made: Fake[] = []
  const make = async () => {
    const fake = {
      isLost: false,
      ended: false,
      async end() {
        fake.ended = true
      },
    } as unknown as Fake
    made.push(fake)
    return fake
  }
  return { made, make }
}

/** Fires when told to. */
function handClock() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    ...realClock,
    after(_ms, call) {
      timers.add(call)
      return () => timers.delete(call)
    },
  }
  return { clock, timers }
}

const poolThat = (max: number, make: () => Promise<Connection>, clock = handClock().clock) =>
  poolOf({ max, clock, longestWaitMs: 10_000, where: 'here', make })

describe('a pool', () => {
  it('lends no more than it may, in order of asking, also to those who come when one is given back', async () => {
    const { made, make } = fakes()
    const pool = poolThat(2, make)
    const order: string[] = []
    const use = async (name: string) => {
      const connection = await pool.acquire()
      order.push(name)
      await Promise.resolve()
      pool.release(connection)
    }
    const [a, b] = [await pool.acquire(), await pool.acquire()]
    const waiting = [use('first'), use('second')]
    pool.release(a)
    const late = use('late')
    pool.release(b)
    await Promise.all([...waiting, late])
    assert.deepEqual(order, ['first', 'second', 'late'])
    assert.equal(made.length, 2)
    await pool.close()
    assert.ok(made.every(({ ended }) => ended))
  })

  it('does not lend what was lost, and passes the turn on when none can be made', async () => {
    const { made, make } = fakes()
    let refusals = 1
    const pool = poolThat(1, async () => {
      if (made.length > 0 && refusals-- > 0) throw new Error('no connection')
      return make()
    })
    const first = await pool.acquire()
    const refused = pool.acquire()
    const lucky = pool.acquire()
    made[0].isLost = true
    pool.release(first)
    await assert.rejects(refused, /no connection/)
    assert.equal(await lucky, made[1])
    pool.release(made[1])
    await pool.close()
  })

  it('lets nobody wait for ever, says so, and gives his turn to the next', async () => {
    const { made, make } = fakes()
    const { clock, timers } = handClock()
    const pool = poolThat(1, make, clock)
    const lent = await pool.acquire()
    const [unlucky, lucky] = [pool.acquire(), pool.acquire()]
    const [first] = timers
    first()
    await assert.rejects(
      unlucky,
      (error: unknown) =>
        error instanceof Problem &&
        error.code === 'database-unreachable' &&
        /all 1 connections .* in use for 10 s/.test(error.message),
    )
    pool.release(lent)
    assert.equal(await lucky, made[0])
    pool.release(made[0])
    await pool.close()
  })

  it('closes when the last loan is back', async () => {
    const { made, make } = fakes()
    const pool = poolThat(2, make)
    const lent = await pool.acquire()
    let isClosed = false
    const closing = pool.close().then(() => (isClosed = true))
    await Promise.resolve()
    assert.ok(!isClosed && !made[0].ended)
    pool.release(lent)
    await closing
    assert.ok(made[0].ended)
    assert.throws(() => pool.release(lent), /not lent/)
  })
})
