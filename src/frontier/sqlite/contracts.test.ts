import { describe } from 'node:test'
import { openSqlite } from '../../database/sqlite/open.ts'
import { aliasesContract } from '../aliases.contract.ts'
import { frontierContract } from '../frontier.contract.ts'
import { ledgerContract } from '../ledger.contract.ts'
import { modelContract } from '../model.contract.ts'
import { spellingsContract } from '../spellings.contract.ts'

const inMemory = async () => openSqlite(':memory:')

describe('the ledger on SQLite', () => ledgerContract(inMemory))
describe('spellings on SQLite', () => spellingsContract(inMemory))
describe('other names on SQLite', () => aliasesContract(inMemory))
describe('the frontier on SQLite', () => frontierContract(inMemory))
describe('random lives on SQLite', () => modelContract(inMemory, 150))
