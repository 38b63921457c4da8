/** A process of its own: whom it trusts is said once, for all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { selfSigned } from '../../testkit/web/certificate.ts'
import { rawTlsServer, sessionOptions } from './raw-server.test-data.ts'
import { openSessions } from './session.ts'

const good = selfSigned(['www.example.test'])
const old = selfSigned(['www.example.test'], '210101000000Z')
const stranger = selfSigned(['www.example.test'])
setDefaultCACertificates([good.cert, old.cert])

const open = openSessions(sessionOptions())

test('what is wrong with a certificate is told, also when the session is resumed', async (t) => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const [shown, host, fault] of [
      [good, 'www.example.test', undefined],
      [good, 'other.example.test', 'wrong-name'],
      [good, '127.0.0.1', 'wrong-name'],
      [old, 'www.example.test', 'expired'],
      [stranger, 'www.example.test', 'self-signed'],
    ] as const) {
      const reused: boolean[] = []
      const server = await rawTlsServer(
        (socket) => {
          reused.push(socket.isSessionReused())
          socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello')
        },
        { ...shown, maxVersion },
      )
      t.after(() => server.close())
      for (let visit = 0; visit < 2; visit++) {
        const session = open()
        const exchange = await session.fetch({
          url: `https://${host}/`,
          address: { ip: '127.0.0.1', port: server.port },
          headers: [],
          may: () => true,
          wants: () => ({ download: true, limitBytes: 1000 }),
        })
        session.close()
        assert.equal(exchange.answer.kind, 'full')
        assert.equal(exchange.certificate, fault, `${maxVersion} ${host} visit ${visit}`)
      }
      assert.deepEqual(reused, [false, true])
    }
})
