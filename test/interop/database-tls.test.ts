/** TLS to a real PostgreSQL server, with each way to say whom to trust. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Problem, type ProblemCode } from '../../src/base/errors.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { type StartedServer, startServer } from '../../testkit/postgres/server.test-tools.ts'
import { selfSigned } from '../../testkit/web/certificate.ts'

const own = selfSigned(['localhost'])
const other = selfSigned(['localhost'])
const client = selfSigned(['postgres'])

const started = await startServer({ ssl: 'on', ssl_ca_file: 'clients.crt' }, tmpdir(), {
  'server.crt': own.cert,
  'server.key': own.key,
  'clients.crt': client.cert,
  'pg_hba.conf': 'hostssl certified all all cert\nhostssl all all all trust\n',
})
const skip = 'skipped' in started ? started.skipped : false

describe('TLS to the database', { skip }, () => {
  const server = started as StartedServer
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-tls-'))
  const file = (name: string, contents: string) => {
    const path = join(folder, name)
    writeFileSync(path, contents)
    return path
  }
  const ca = file('own.crt', own.cert)
  const wrongCa = file('other.crt', other.cert)

  const address = (query: Record<string, string>, host = 'localhost', name = 'postgres') => {
    const url = new URL(server.url)
    url.hostname = host
    url.pathname = `/${name}`
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    return url.href
  }
  const open = (at: string) => openPostgres(at, { steps: [], startPatienceMs: 0, connections: 1 })
  const accepted = async (at: string) => {
    const database = await open(at)
    const { ssl } = (await database.read((tx) =>
      postgresTx(tx).get<{ ssl: boolean }>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'),
    ))!
    await database.close()
    assert.ok(ssl, at)
  }
  const refused = (at: string, code: ProblemCode, words: RegExp) =>
    assert.rejects(open(at), (error: unknown) => {
      assert.ok(error instanceof Problem && error.code === code && words.test(error.message), String(error))
      return true
    })

  before(async () => {
    const database = await open(address({ sslmode: 'require' }))
    const session = await database.session()
    await session.query('CREATE DATABASE certified')
    await session.end()
    await database.close()
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('without a word of it is refused by a server that wants it, and the message says what to write', () =>
    refused(address({}), 'unfit-database', /requires TLS: add sslmode/))

  it('asks for no authority with sslmode=require, unless one is named', async () => {
    await accepted(address({ sslmode: 'require' }))
    await accepted(address({ sslmode: 'require' }, '127.0.0.1'))
    await accepted(address({ sslmode: 'require', sslrootcert: ca }, '127.0.0.1'))
    await refused(address({ sslmode: 'require', sslrootcert: wrongCa }), 'unfit-database', /that we do not trust/)
  })

  it('looks at the authority with verify-ca, and at the name too with verify-full', async () => {
    await accepted(address({ sslmode: 'verify-ca', sslrootcert: ca }, '127.0.0.1'))
    await accepted(address({ sslmode: 'verify-full', sslrootcert: ca }))
    await refused(
      address({ sslmode: 'verify-full', sslrootcert: ca }, '127.0.0.1'),
      'unfit-database',
      /certificate for another name/,
    )
    for (const sslmode of ['verify-ca', 'verify-full'])
      await refused(address({ sslmode, sslrootcert: wrongCa }), 'unfit-database', /name it with sslrootcert=FILE/)
    await refused(address({ sslmode: 'verify-full' }), 'unfit-database', /that we do not trust/)
    await refused(address({ sslmode: 'verify-full', sslrootcert: 'system' }), 'unfit-database', /that we do not trust/)
  })

  it('shows a certificate of our own where the server wants one', async () => {
    const ours = { sslcert: file('client.crt', client.cert), sslkey: file('client.key', client.key) }
    await accepted(address({ sslmode: 'verify-full', sslrootcert: ca, ...ours }, 'localhost', 'certified'))
    await refused(
      address({ sslmode: 'verify-full', sslrootcert: ca }, 'localhost', 'certified'),
      'unfit-database',
      /does not let us in/,
    )
  })

  it('is said wrongly: a clear line before anybody is asked', async () => {
    await refused(address({ sslmode: 'prefer' }), 'bad-config', /none of disable, require, verify-ca, verify-full/)
    await refused(address({ sslmode: 'verify-ca' }), 'bad-config', /names no sslrootcert/)
    await refused(address({ sslrootcert: ca }), 'bad-config', /no sslmode/)
    await refused(address({ sslmode: 'require', sslrootcert: `${folder}/none` }), 'bad-config', /cannot be read/)
    const noPem = file('no.pem', 'hello')
    await refused(address({ sslmode: 'require', sslrootcert: noPem }), 'bad-config', /no certificate in PEM form/)
    await refused(address({ sslmode: 'require', sslcert: ca, sslkey: ca }), 'bad-config', /no key without a passphrase/)
    await refused(address({ sslmode: 'require', sslrootcert: '/dev/zero' }), 'bad-config', /cannot be read/)
    const broken = file('broken.crt', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    await refused(address({ sslmode: 'verify-full', sslrootcert: broken }), 'bad-config', /no certificate/)
  })
})

describe('TLS to a database that does not speak it', { skip }, () => {
  it('is refused', async () => {
    const plain = (await startServer()) as StartedServer
    await assert.rejects(openPostgres(`${plain.url}?sslmode=require`, { steps: [], startPatienceMs: 0 }), {
      code: 'unfit-database',
      message: /does not speak TLS/,
    })
    await (await openPostgres(`${plain.url}?sslmode=disable`, { steps: [] })).close()
    await plain.stop()
  })
})
