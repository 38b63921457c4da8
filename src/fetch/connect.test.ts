import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realClock } from '../base/clock.ts'
import { connect, Tickets } from './connect.ts'
import { Connection, Stop } from './connection.ts'
import { rawServer } from './raw-server.test-data.ts'

const CONNECTIONS = 20
const BYTES = 100_000

test('what many connections bring at once, in pieces, is kept apart', async (t) => {
  // The n-th connection says n, again and again.
  const server = await rawServer((socket, n) => {
    const send = (left: number) => {
      if (left > 0) socket.write(Buffer.alloc(Math.min(left, 4_999), n), () => send(left - 4_999))
    }
    send(BYTES)
  })
  t.after(() => server.close())
  const options = {
    clock: realClock,
    connectMs: 5_000,
    guard: () => true,
    tls: () => assert.fail('nothing here is secret'),
    tickets: new Tickets(1),
  }
  const target = { ip: '127.0.0.1', port: server.port, secure: false, hostname: 'www.example.test' }
  const heard = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await connect(target, options, new Stop())
      assert.ok(connection instanceof Connection)
      return hear(connection, BYTES)
    }),
  )
  for (const bytes of heard) assert.ok(bytes.equals(Buffer.alloc(BYTES, bytes[0])))
  assert.equal(new Set(heard.map((bytes) => bytes[0])).size, CONNECTIONS)
})

function hear(connection: Connection, length: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let left = length
  return new Promise((resolve, reject) => {
    const data = (bytes: Buffer) => {
      pieces.push(Buffer.from(bytes))
      left -= bytes.length
      if (left > 0) return
      connection.destroy()
      resolve(Buffer.concat(pieces))
    }
    const carrier = { data, ended: reject, deadlineReached: () => reject(new Error('it takes too long')) }
    connection.carry(carrier, Buffer.from('GET / HTTP/1.1\r\n\r\n'))
  })
}

test('a ticket is given once, and the oldest go when there are too many', () => {
  const tickets = new Tickets(2)
  const [a, b, c] = ['a', 'b', 'c'].map((text) => ({ session: Buffer.from(text), fault: undefined }))
  tickets.keep('a', a)
  assert.equal(tickets.take('a'), a)
  assert.equal(tickets.take('a'), undefined)
  tickets.keep('a', a)
  tickets.keep('b', b)
  tickets.keep('a', a)
  tickets.keep('c', c)
  assert.equal(tickets.take('b'), undefined)
  assert.equal(tickets.take('a'), a)
  assert.equal(tickets.take('c'), c)
})
