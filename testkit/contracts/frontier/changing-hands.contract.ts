/** An address whose holder is gone, with sites that were set aside for it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ADDRESS_PAUSE, LEASE, link, type MakeDatabase, openBench, PAUSE, part } from './tools.contract.ts'

const ADDRESS = '192.0.2.1'

export function changingHandsContract(make: MakeDatabase): void {
  it('an address that changes hands leaves no site reserved for a worker that is gone', async () => {
    const bench = await openBench(make)
    const { frontier, clock } = bench
    await bench.seed('a.test/', 'b.test/')
    const { visits } = await frontier.checkOut('gone', 2)
    for (const { id } of visits) assert.equal(await frontier.enter('gone', id, ADDRESS), 'here')
    const b = visits.find(({ site }) => site === 'b.test')!
    await bench.applyParts(part(bench, b, 1, { found: [link('b.test/2')], ended: 'slice' }))
    await bench.seed('c.test/')
    clock.pass(PAUSE)
    const others = (await frontier.checkOut('w', 5)).visits
    assert.deepEqual(
      others.map(({ site }) => site),
      ['c.test'],
      'b.test waits for the holder of its address',
    )
    clock.pass(LEASE - PAUSE)
    await frontier.renew(
      'w',
      others.map(({ id }) => id),
    )
    assert.equal((await bench.db.transact((tx) => bench.ledger.reap(tx))).length, 1)
    clock.pass(ADDRESS_PAUSE)
    // Nobody has looked yet for what was set aside: until then the address is nobody's to take, or b.test would wait on.
    const early = await frontier.enter('w', others[0].id, ADDRESS)
    const given = (await frontier.checkOut('w', 5)).visits.map(({ site }) => site)
    assert.ok(given.includes('b.test'), `${given} were given, c.test is ${early}`)
    assert.equal(await frontier.enter('w', others[0].id, ADDRESS), 'here')
  })
}
