import { after, afterEach, describe } from 'node:test'
import { aliasesContract } from '../../../testkit/contracts/frontier/aliases.contract.ts'
import { cautionContract } from '../../../testkit/contracts/frontier/caution.contract.ts'
import { changingHandsContract } from '../../../testkit/contracts/frontier/changing-hands.contract.ts'
import { controlContract } from '../../../testkit/contracts/frontier/control.contract.ts'
import { domainsContract } from '../../../testkit/contracts/frontier/domains.contract.ts'
import { frontierContract } from '../../../testkit/contracts/frontier/frontier.contract.ts'
import { ledgerContract } from '../../../testkit/contracts/frontier/ledger.contract.ts'
import { memoryContract } from '../../../testkit/contracts/frontier/memory.contract.ts'
import { refreshContract } from '../../../testkit/contracts/frontier/refresh.contract.ts'
import { seedViewsContract } from '../../../testkit/contracts/frontier/seed-views.contract.ts'
import { spellingsContract } from '../../../testkit/contracts/frontier/spellings.contract.ts'
import { urlRulesContract } from '../../../testkit/contracts/frontier/url-rules.contract.ts'
import { viewsContract } from '../../../testkit/contracts/frontier/views.contract.ts'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import type { Database } from '../../database/database.ts'

const postgres = await postgresForTests()

if ('skipped' in postgres) describe('the frontier on PostgreSQL', { skip: postgres.skipped }, () => {})
else {
  const made: Database[] = []
  const make = async () => {
    const database = await postgres.make()
    made.push(database)
    return database
  }
  afterEach(() => Promise.all(made.splice(0).map((database) => database.close())))
  after(() => postgres.end())

  describe('the ledger on PostgreSQL', () => ledgerContract(make))
  describe('site memory on PostgreSQL', () => memoryContract(make))
  describe('views on PostgreSQL', () => viewsContract(make))
  describe('seeds on PostgreSQL', () => seedViewsContract(make))
  describe('URL rules on PostgreSQL', () => urlRulesContract(make))
  describe('spellings on PostgreSQL', () => spellingsContract(make, 15))
  describe('other names on PostgreSQL', () => aliasesContract(make))
  describe('refreshing on PostgreSQL', () => refreshContract(make))
  describe('control on PostgreSQL', () => controlContract(make))
  describe('caution on PostgreSQL', () => cautionContract(make))
  describe('domains on PostgreSQL', () => domainsContract(make))
  describe('the frontier on PostgreSQL', () => frontierContract(make))
  describe('addresses on PostgreSQL', () => changingHandsContract(make))
}
