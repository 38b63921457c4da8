import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { prepareSession } from './connection.ts'
import { StandbyError } from './errors.ts'

const settings = { clock: realClock, access: 'write', connectMs: 1, statementMs: 1500, idleInTransactionMs: 1 } as const
const good = { version: 150_004, release: '15.4', encoding: 'UTF8', commit: 'on', onlyReads: false }

/** A server that says what we want of itself. */
function serverThat(says: Partial<typeof good>) {
  const asked: string[] = []
  return {
    asked,
    async query(text: string) {
      asked.push(text)
      if (text.includes('tcp_user_timeout')) throw new Error('this system cannot')
      if (text.includes('wal_lsn')) {
        if (says.onlyReads) throw new Error('recovery is in progress')
        return { rows: [{ timeline: 3 }], count: 1, command: '' }
      }
      return { rows: text.includes('server_version') ? [{ ...good, ...says }] : [], count: 0, command: '' }
    },
  }
}

describe('a session', () => {
  it('has limits on its statements, also where the system lacks a watch', async () => {
    const server = serverThat({})
    assert.deepEqual(await prepareSession(server, 'here', settings), { timeline: 3 })
    assert.match(server.asked.join('\n'), /SET statement_timeout = 1500;/)
    assert.doesNotMatch(server.asked.join('\n'), /synchronous_commit = on/)
  })

  it('is refused by what the server is', async () => {
    const old = prepareSession(serverThat({ version: 140_011, release: '14.11' }), 'here', settings)
    await assert.rejects(old, { code: 'unfit-database', message: 'here is PostgreSQL 14.11: 15 or newer is needed' })
    const latin = prepareSession(serverThat({ encoding: 'LATIN1' }), 'here', settings)
    await assert.rejects(latin, { code: 'unfit-database' })
    await assert.rejects(prepareSession(serverThat({ onlyReads: true }), 'here', settings), StandbyError)
    const standby = prepareSession(serverThat({ onlyReads: true }), 'here', { ...settings, access: 'read' })
    assert.deepEqual(await standby, { timeline: 0 })
  })

  it('plans its statements once, unless it is for reports', async () => {
    for (const access of ['write', 'read'] as const) {
      const server = serverThat({})
      await prepareSession(server, 'here', { ...settings, access })
      assert.equal(/enable_seqscan/.test(server.asked.join('\n')), access === 'write')
    }
  })

  it('waits for the disk even where the database was told not to', async () => {
    const server = serverThat({ commit: 'off' })
    await prepareSession(server, 'here', settings)
    assert.equal(server.asked.at(-1), 'SET synchronous_commit = on')
  })
})
