import { describe } from 'node:test'
import { aliasesContract } from '../../../testkit/contracts/frontier/aliases.contract.ts'
import { cautionContract } from '../../../testkit/contracts/frontier/caution.contract.ts'
import { changingHandsContract } from '../../../testkit/contracts/frontier/changing-hands.contract.ts'
import { controlContract } from '../../../testkit/contracts/frontier/control.contract.ts'
import { domainsContract } from '../../../testkit/contracts/frontier/domains.contract.ts'
import { domainsModelContract } from '../../../testkit/contracts/frontier/domains-model.contract.ts'
import { frontierContract } from '../../../testkit/contracts/frontier/frontier.contract.ts'
import { ledgerContract } from '../../../testkit/contracts/frontier/ledger.contract.ts'
import { memoryContract } from '../../../testkit/contracts/frontier/memory.contract.ts'
import { modelContract } from '../../../testkit/contracts/frontier/model.contract.ts'
import { refreshContract } from '../../../testkit/contracts/frontier/refresh.contract.ts'
import { seedViewsContract } from '../../../testkit/contracts/frontier/seed-views.contract.ts'
import { spellingsContract } from '../../../testkit/contracts/frontier/spellings.contract.ts'
import { urlRulesContract } from '../../../testkit/contracts/frontier/url-rules.contract.ts'
import { viewsContract } from '../../../testkit/contracts/frontier/views.contract.ts'
import { openSqlite } from '../../database/sqlite/open.ts'

const inMemory = async () => openSqlite(':memory:')

describe('the ledger on SQLite', () => ledgerContract(inMemory))
describe('site memory on SQLite', () => memoryContract(inMemory))
describe('views on SQLite', () => viewsContract(inMemory))
describe('seeds on SQLite', () => seedViewsContract(inMemory))
describe('URL rules on SQLite', () => urlRulesContract(inMemory))
describe('spellings on SQLite', () => spellingsContract(inMemory, 100))
describe('other names on SQLite', () => aliasesContract(inMemory))
describe('refreshing on SQLite', () => refreshContract(inMemory))
describe('control on SQLite', () => controlContract(inMemory))
describe('caution on SQLite', () => cautionContract(inMemory))
describe('domains on SQLite', () => domainsContract(inMemory))
describe('the frontier on SQLite', () => frontierContract(inMemory))
describe('addresses on SQLite', () => changingHandsContract(inMemory))
describe('random lives on SQLite', () => modelContract(inMemory, 150))
describe('random domains on SQLite', () => domainsModelContract(inMemory, 40))
