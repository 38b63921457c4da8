import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { NOON, samplePage, sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { applyReports } from '../sample-catalogue.test-data.ts'
import { DigestFilter } from './digest-filter.ts'
import { fillFilter, findCopy, followOthers } from './stored-copies.ts'

const postgres = await postgresForTests()

describe('payloads on PostgreSQL', { skip: 'skipped' in postgres ? postgres.skipped : false }, () => {
  if ('skipped' in postgres) return
  after(() => postgres.end())

  it('applied by another server are known after the next follow', async () => {
    const url = await postgres.newDatabase(true)
    const [here, there] = [await openPostgres(url), await openPostgres(url)]
    const page = (name: string) => samplePage(`http://${name}.test/`, {}, `content of ${name}`)
    const apply = (name: string) => applyReports(there, [sampleReport(`${name}.test`, 1, [page(name)])])
    const filter = DigestFilter.ofBits(2 ** 16)
    await apply('before')
    const follow = followOthers(here, filter)
    await follow()
    await fillFilter(here, filter)
    const find = findCopy(here, filter)
    const copy = async (name: string) => {
      const found = await find(page(name).capture!.digest)
      return found === undefined ? undefined : { ...found }
    }
    assert.deepEqual(await copy('before'), { url: 'http://before.test/', at: NOON })
    for (const name of ['one', 'two']) {
      await apply(name)
      assert.equal(await copy(name), undefined)
      await follow()
      assert.deepEqual(await copy(name), { url: `http://${name}.test/`, at: NOON })
    }
    await Promise.all([here.close(), there.close()])
  })
})
