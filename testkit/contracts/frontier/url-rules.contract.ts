/** The rules by which keys are made are the collection's for ever, on whatever database. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { queries } from '../../../src/database/queries.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { FIRST_RULES, USUAL_RULES } from '../../../src/web/url/rules.ts'
import { urlReader } from '../../../src/web/url/web-url.ts'
import { link, type MakeDatabase, openBench } from './tools.contract.ts'

const first = urlReader(FIRST_RULES)
const usual = urlReader(USUAL_RULES)

export function urlRulesContract(make: MakeDatabase): void {
  it('a collection keeps the rules that it was made with', async () => {
    const bench = await openBench(make)
    await bench.restart({ urls: usual })
    const made = /made with the URL rules usual, not with none: go on with --url-rules usual, or begin/
    await assert.rejects(bench.restart({ urls: urlReader([]) }), { code: 'bad-config', exit: 2, message: made })
    const recorded = await bench.db.read((tx) => frontierQueries.reader(tx))
    assert.deepEqual(recorded.rules, USUAL_RULES)
  })

  it('the parts that wait are not applied by other rules', async () => {
    const bench = await openBench(make, { urls: first })
    const apply = async () => assert.fail('applied')
    await assert.rejects(bench.restart({ urls: usual }, apply), /--url-rules hex-case,unreserved,/)
  })

  it('no rules at all are a set too, and a rule of a later version is not guessed at', async () => {
    const bench = await openBench(make, { urls: urlReader([]) })
    assert.deepEqual((await bench.db.read((tx) => frontierQueries.reader(tx))).rules, [])
    await bench.db.transact((tx) =>
      queries(tx).run(`UPDATE frontier_meta SET value = 'hex-case,moon-phase' WHERE name = 'url_rules'`),
    )
    const view = bench.db.read((tx) => frontierQueries.url(tx, 'http://a.test/'))
    await assert.rejects(view, { code: 'newer-database' })
  })

  it('a URL is found by any spelling of its key, and the page it was found on is known by its own', async () => {
    const bench = await openBench(make)
    await bench.seed('http://a.test/')
    await bench.admit(link('http://a.test/b?y=2&x=1', 'http://a.test/index.html'))
    const view = await bench.db.read((tx) => frontierQueries.url(tx, 'http://a.test/b?utm_source=n&x=1&y=2'))
    assert.equal(view?.url, 'http://a.test/b?y=2&x=1')
    assert.equal(view?.via, 'http://a.test/')
  })
}
