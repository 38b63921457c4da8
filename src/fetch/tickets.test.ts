import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tickets } from './tickets.ts'

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
