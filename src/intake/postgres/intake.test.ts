import { after, test } from 'node:test'
import { postgresForTests } from '../../database/postgres/test-database.ts'
import { intakeContract, THROUGH_THE_INBOX } from '../intake.contract.ts'

const postgres = await postgresForTests()
if ('skipped' in postgres) test('intake on PostgreSQL', { skip: postgres.skipped })
else {
  after(() => postgres.end())
  intakeContract('PostgreSQL', () => postgres.make(), [THROUGH_THE_INBOX])
}
