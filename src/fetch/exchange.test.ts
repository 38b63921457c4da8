import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { Connection, Stop } from './connection.ts'
import { carry } from './exchange.ts'
import { handClock } from './raw-server.test-data.ts'

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'

/** A connection whose events the test makes, and how many timers it has under way. */
function scripted() {
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
    minRate: { bytesPerSecond: 0, graceMs: 0 },
  }
  const wants = () => ({ download: true, limitBytes: 100 }) as const
  const exchange = carry(connection, false, Buffer.from('GET'), wants, options, new Stop())
  return { socket, connection, exchange, timers: () => timers }
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
