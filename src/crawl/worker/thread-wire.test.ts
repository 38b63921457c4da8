import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { sampleReport } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import type { ToCoordinator } from '../../contracts/calls.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { reachCoordinator } from './thread-wire.ts'

const reports = Array.from({ length: 200 }, (_, at) => sampleReport(`site-${at}.test`, 1, []))

/** A house that answers each call of parts as `answer` says, and the parts that it was brought. */
function coordinator(answer: (call: number) => string | undefined) {
  const { port1, port2 } = new MessageChannel()
  const brought: SealedPart[][] = []
  port2.on('message', (message: ToCoordinator) => {
    if (message.kind !== 'call' || message.call.name !== 'accept') return
    brought.push(message.call.args[1])
    const failed = answer(brought.length)
    if (failed === undefined) port2.postMessage({ kind: 'answer', id: message.id, value: undefined })
    else port2.postMessage({ kind: 'fault', id: message.id, message: failed })
  })
  return { remote: reachCoordinator(port1), brought, close: () => port1.close() }
}

test('the news of many visits is sent in several calls, completely and in order', async () => {
  const { remote, brought, close } = coordinator(() => undefined)
  await remote.sink.send('w', reports)
  assert.ok(brought.length > 2)
  assert.deepEqual(
    brought.flat().map(({ site }) => site),
    reports.map(({ site }) => site),
  )
  close()
})

test('when one of the calls fails, the whole check-in has failed', async () => {
  const { remote, close } = coordinator((call) => (call === 2 ? 'no room left' : undefined))
  await assert.rejects(remote.sink.send('w', reports), /no room left/)
  close()
})
