import { after, test } from 'node:test'
import { NOON } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { crashContract } from '../../../testkit/contracts/intake/with-frontier.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { jumpingClock } from './jumping-clock.test-data.ts'

const postgres = await postgresForTests()
if ('skipped' in postgres) test('intake and frontier on PostgreSQL', { skip: postgres.skipped })
else {
  after(() => postgres.end())
  crashContract({
    name: 'PostgreSQL',
    make: () => postgres.make(),
    clock: () => jumpingClock(NOON),
    run: (work) => work,
    seeds: 2,
  })
}
