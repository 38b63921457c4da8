/** Reports that come in while the primary dies and its standby takes over. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sampleLedger } from '../../../testkit/contracts/intake/sample-ledger.contract.ts'
import { type StartedServer, startServer } from '../../../testkit/postgres/server.test-tools.ts'
import { realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { seal } from '../../contracts/sealed-part.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { assertAll, type Opened, openServer, visitParts } from './servers.test-tools.ts'

const SITES = 24
const PAGES = 6
const started = await startServer({ wal_level: 'replica', max_wal_senders: 4 })
const skip = 'skipped' in started ? started.skipped : false

/** As a worker does: sends again what was not acknowledged. */
async function deliver({ intake }: Opened, part: VisitReport): Promise<void> {
  for (;;) {
    try {
      return await intake.accept([part].map(seal))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      await realClock.sleep(20)
    }
  }
}

describe('intake', { skip, timeout: 120_000 }, () => {
  const primary = started as StartedServer
  after(() => primary.stop())

  test('over a fail-over: everything once, in the catalogue and in the log', async () => {
    const standby = await primary.standby()
    after(() => standby.stop())
    const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
    const address = `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`
    const [one, other] = [await openPostgres(address), await openPostgres(address)]
    const ledger = await sampleLedger(one)
    const session = await one.session()
    await session.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await session.query('SELECT pg_reload_conf()')
    await session.end()

    const servers = [await openServer(one, 'one', ledger), await openServer(other, 'other', ledger)]
    let applied = 0
    const midway = new Promise<void>((resolve) => {
      for (const { journal } of servers)
        journal.read((event) => {
          if (event.kind === 'applied' && (applied += event.parts) > 20) resolve()
        })
    })
    const sites = Array.from({ length: SITES }, (_, n) => `s${n}.test`)
    const delivering = Promise.all(
      sites.map(async (site) => {
        for (const [at, part] of visitParts(site, PAGES).entries()) await deliver(servers[at % 2], part)
      }),
    )
    await midway
    await primary.crash()
    standby.promote()
    await delivering
    await Promise.all(servers.map(({ intake }) => intake.drain()))
    assert.ok(applied >= 20)
    for (const { intake } of servers) await intake.close()
    await assertAll(one, servers, SITES * PAGES)
    await Promise.all([one.close(), other.close()])
  })
})
