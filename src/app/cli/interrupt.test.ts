import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onInterrupt } from './main.ts'

test('after the first Ctrl-C the handler stays, so that a second signal does not change the exit code', (t) => {
  const before = process.listeners('SIGINT')
  t.after(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      for (const one of process.listeners(signal).slice(before.length)) process.off(signal, one)
  })
  let stops = 0
  const heard = () => process.listenerCount('SIGINT') - before.length
  onInterrupt(() => stops++)()
  assert.equal(heard(), 0, 'a command that was not interrupted leaves nothing behind')
  const deaf = onInterrupt(() => stops++)
  process.emit('SIGINT', 'SIGINT')
  deaf()
  process.emit('SIGINT', 'SIGINT')
  assert.equal(stops, 1)
  assert.equal(heard(), 1)
})
