import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { postgresAddress } from './address.ts'
import type { Connection, SessionSettings } from './connection.ts'
import { StandbyError } from './errors.ts'
import { primaryConnector } from './find-primary.ts'

const address = postgresAddress('postgres://me@a.test,b.test/crawl')
const settings = {
  clock: realClock,
  access: 'write',
  connectMs: 1,
  statementMs: 1,
  idleInTransactionMs: 1,
} satisfies SessionSettings

/** What each host is now: the number of its history when it takes writes, or the error that it answers with. */
function hostsThat(are: Record<string, number | Error>) {
  const asked: string[] = []
  const dial = async (url: string): Promise<Connection> => {
    const host = new URL(url).hostname
    asked.push(host)
    const what = are[host]
    if (what instanceof Error) throw what
    const connection = {
      isLost: false,
      session: { timeline: what },
      destroy() {
        connection.isLost = true
      },
    }
    return connection as unknown as Connection
  }
  return { asked, connect: primaryConnector(address, settings, dial) }
}

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })
const standby = new StandbyError('here')

describe('a group of hosts', () => {
  it('is searched once: after that the primary is asked alone', async () => {
    const { asked, connect } = hostsThat({ 'a.test': standby, 'b.test': 1 })
    await connect()
    await connect()
    assert.deepEqual(asked, ['a.test', 'b.test', 'b.test'])
  })

  it('is searched anew when its primary is gone, and what is left of the old one is cut', async () => {
    const are: Record<string, number | Error> = { 'a.test': 1, 'b.test': standby }
    const { connect } = hostsThat(are)
    const [one, another] = [await connect(), await connect()]
    Object.assign(are, { 'a.test': refused, 'b.test': 2 })
    assert.equal((await connect()).session.timeline, 2)
    assert.ok(one.isLost && another.isLost)
  })

  it('has one primary, the one that was promoted last; without it none', async () => {
    const are: Record<string, number | Error> = { 'a.test': 1, 'b.test': 2 }
    const { connect } = hostsThat(are)
    assert.equal((await connect()).session.timeline, 2)
    are['b.test'] = refused
    await assert.rejects(connect(), /is a primary that another has replaced/)
    are['b.test'] = 2
    assert.equal((await connect()).session.timeline, 2)
  })

  it('is worth waiting for as long as one of them may come back', async () => {
    const wrong = Object.assign(new Error('no'), { code: '28P01', severity: 'FATAL' })
    await assert.rejects(hostsThat({ 'a.test': refused, 'b.test': wrong }).connect(), refused)
    await assert.rejects(hostsThat({ 'a.test': wrong, 'b.test': wrong }).connect(), wrong)
  })
})
