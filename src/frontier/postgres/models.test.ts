import { after, describe } from 'node:test'
import { domainsModelContract } from '../../../testkit/contracts/frontier/domains-model.contract.ts'
import { modelContract } from '../../../testkit/contracts/frontier/model.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'

const postgres = await postgresForTests()

if ('skipped' in postgres) describe('random lives on PostgreSQL', { skip: postgres.skipped }, () => {})
else {
  const make = () => postgres.make()
  after(() => postgres.end())

  describe('random lives on PostgreSQL', () => modelContract(make, 15))
  describe('random domains on PostgreSQL', () => domainsModelContract(make, 5))
}
