import { describe } from 'node:test'
import { openSqlite } from '../../database/sqlite/open.ts'
import { aliasesContract } from '../aliases.contract.ts'
import { cautionContract } from '../caution.contract.ts'
import { changingHandsContract } from '../changing-hands.contract.ts'
import { domainsContract } from '../domains.contract.ts'
import { domainsModelContract } from '../domains-model.contract.ts'
import { frontierContract } from '../frontier.contract.ts'
import { ledgerContract } from '../ledger.contract.ts'
import { looksContract } from '../looks.contract.ts'
import { memoryContract } from '../memory.contract.ts'
import { modelContract } from '../model.contract.ts'
import { seedLooksContract } from '../seed-looks.contract.ts'
import { spellingsContract } from '../spellings.contract.ts'
import { urlRulesContract } from '../url-rules.contract.ts'

const inMemory = async () => openSqlite(':memory:')

describe('the ledger on SQLite', () => ledgerContract(inMemory))
describe('site memory on SQLite', () => memoryContract(inMemory))
describe('looks on SQLite', () => looksContract(inMemory))
describe('seeds on SQLite', () => seedLooksContract(inMemory))
describe('URL rules on SQLite', () => urlRulesContract(inMemory))
describe('spellings on SQLite', () => spellingsContract(inMemory, 100))
describe('other names on SQLite', () => aliasesContract(inMemory))
describe('caution on SQLite', () => cautionContract(inMemory))
describe('domains on SQLite', () => domainsContract(inMemory))
describe('the frontier on SQLite', () => frontierContract(inMemory))
describe('addresses on SQLite', () => changingHandsContract(inMemory))
describe('random lives on SQLite', () => modelContract(inMemory, 150))
describe('random domains on SQLite', () => domainsModelContract(inMemory, 40))
