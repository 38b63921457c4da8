import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { turn } from '../base/clock.ts'
import { STALE_CONNECTION } from '../contracts/exchange.ts'
import { Connection, Stop } from './connection.ts'
import { carry } from './exchange.ts'
import { handClock } from './raw-server.test-data.ts'

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'

/** A connection whose events the test makes, and how many timers it has under way. */
function scripted(minRate = { bytesPerSecond: 0, graceMs: 0 }, reused = false) {
  const hand = handClock()
  let timers = 0
  const clock = {
    ...hand,
    after(ms: number, call: () => void) {
      const cancel = hand.after(ms, call)
      timers++
      return () => {
        timers--
        cancel()
      }
    },
  }
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const connection = new Connection(socket as Socket, undefined, clock)
  const options = {
    clock,
    deadlines: { connect: 1_000, firstByte: 1_000, idle: 1_000, exchange: 5_000 },
    minRate,
  }
  const wants = () => ({ download: true, limitBytes: 100 }) as const
  const exchange = carry(connection, reused, Buffer.from('GET'), wants, options, new Stop())
  return { socket, connection, exchange, move: hand.move, timers: () => timers }
}

for (const [what, happens] of [
  ['the end of the connection', (socket: Duplex) => socket.emit('end')],
  ['an error', (socket: Duplex) => socket.emit('error', new Error('broken'))],
  ['more than the answer', (socket: Duplex) => socket.emit('data', Buffer.from('more'))],
] as const) {
  test(`${what} in one go with an answer leaves the answer, and a connection that is over`, async () => {
    const { socket, connection, exchange, timers } = scripted()
    socket.emit('data', Buffer.from(HELLO))
    happens(socket)
    const { answer } = await exchange
    assert.equal(answer.kind, 'full')
    assert.equal(connection.alive, false)
    connection.release(5_000)
    assert.equal(timers(), 0)
  })
}

test('an answer that comes too slowly is cut, by its bytes since the first of them', async () => {
  const { socket, exchange, move } = scripted({ bytesPerSecond: 100, graceMs: 200 })
  let kind: string | undefined
  void exchange.then(({ answer }) => {
    kind = answer.kind
  })
  move(900)
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n'
  socket.emit('data', Buffer.from(head.padEnd(60, 'x')))
  move(590)
  await turn()
  assert.equal(kind, undefined, '60 bytes are enough for 600 ms')
  move(10)
  await turn()
  assert.equal(kind, 'cut')
})

test('few bytes are given time before their rate counts', async () => {
  const { socket, exchange, move } = scripted({ bytesPerSecond: 1_000, graceMs: 500 })
  socket.emit('data', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nh'))
  move(499)
  await turn()
  socket.emit('data', Buffer.from('ello'))
  assert.equal((await exchange).answer.kind, 'full')
})

test('only a reused connection that ends without a byte is stale; bytes that came are kept', async () => {
  const ended = async (reused: boolean, came: string, error?: object) => {
    const { socket, exchange } = scripted(undefined, reused)
    if (came !== '') socket.emit('data', Buffer.from(came))
    if (error === undefined) socket.emit('end')
    else socket.emit('error', Object.assign(new Error('x'), error))
    const { answer } = await exchange
    return answer.kind === 'failed' ? `${answer.failure.kind} ${answer.failure.detail}` : answer.kind
  }
  const part = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'
  assert.equal(await ended(true, ''), `reset ${STALE_CONNECTION}`)
  assert.notEqual(await ended(false, ''), `reset ${STALE_CONNECTION}`)
  assert.equal(await ended(true, part), 'cut')
  assert.equal(await ended(true, part, { code: 'ECONNRESET' }), 'cut')
  assert.equal(await ended(true, 'HTTP/1.1', { code: 'ECONNRESET' }), 'reset ECONNRESET')
  assert.match(await ended(false, '', { code: 'ERR_SSL_TLSV1_ALERT' }), /^tls /)
  assert.match(await ended(false, 'HTTP/1.1', { code: 'ERR_SSL_TLSV1_ALERT' }), /^reset /)
})

test('a connection that cannot be used again is closed when its answer is there, and another one is kept', async () => {
  for (const [head, isOpen] of [
    ['HTTP/1.1 200 OK', true],
    ['HTTP/1.1 200 OK\r\nConnection: close', false],
  ] as const) {
    const { socket, exchange } = scripted()
    socket.emit('data', Buffer.from(`${head}\r\nContent-Length: 5\r\n\r\nhello`))
    assert.equal((await exchange).reusable, isOpen)
    assert.equal(socket.destroyed, !isOpen)
  }
})
