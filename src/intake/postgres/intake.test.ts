import { after, test } from 'node:test'
import { intakeContract, THROUGH_THE_INBOX } from '../../../testkit/contracts/intake/intake.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'

const postgres = await postgresForTests()
if ('skipped' in postgres) test('intake on PostgreSQL', { skip: postgres.skipped })
else {
  after(() => postgres.end())
  intakeContract('PostgreSQL', () => postgres.make(), [THROUGH_THE_INBOX])
}
