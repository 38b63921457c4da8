import { after, describe } from 'node:test'
import { postgresForTests } from '../../database/postgres/test-database.ts'
import { domainsModelContract } from '../domains-model.contract.ts'
import { modelContract } from '../model.contract.ts'

const postgres = await postgresForTests()

if ('skipped' in postgres) describe('random lives on PostgreSQL', { skip: postgres.skipped }, () => {})
else {
  const make = () => postgres.make()
  after(() => postgres.end())

  describe('random lives on PostgreSQL', () => modelContract(make, 15))
  describe('random domains on PostgreSQL', () => domainsModelContract(make, 5))
}
