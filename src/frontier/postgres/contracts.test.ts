import { after, afterEach, describe } from 'node:test'
import type { Database } from '../../database/database.ts'
import { postgresForTests } from '../../database/postgres/test-database.ts'
import { aliasesContract } from '../aliases.contract.ts'
import { cautionContract } from '../caution.contract.ts'
import { changingHandsContract } from '../changing-hands.contract.ts'
import { domainsContract } from '../domains.contract.ts'
import { frontierContract } from '../frontier.contract.ts'
import { ledgerContract } from '../ledger.contract.ts'
import { looksContract } from '../looks.contract.ts'
import { memoryContract } from '../memory.contract.ts'
import { seedLooksContract } from '../seed-looks.contract.ts'
import { spellingsContract } from '../spellings.contract.ts'
import { urlRulesContract } from '../url-rules.contract.ts'

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
  describe('looks on PostgreSQL', () => looksContract(make))
  describe('seeds on PostgreSQL', () => seedLooksContract(make))
  describe('URL rules on PostgreSQL', () => urlRulesContract(make))
  describe('spellings on PostgreSQL', () => spellingsContract(make, 15))
  describe('other names on PostgreSQL', () => aliasesContract(make))
  describe('caution on PostgreSQL', () => cautionContract(make))
  describe('domains on PostgreSQL', () => domainsContract(make))
  describe('the frontier on PostgreSQL', () => frontierContract(make))
  describe('addresses on PostgreSQL', () => changingHandsContract(make))
}
