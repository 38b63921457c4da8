import { after, test } from 'node:test'
import { NOON } from '../../collection/sample-report.ts'
import { postgresForTests } from '../../database/postgres/test-database.ts'
import { crashContract } from '../with-frontier.contract.ts'
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
