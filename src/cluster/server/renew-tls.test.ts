import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../contracts/events.ts'
import { type Pem, renewTls } from './open-server.ts'

const OLD: Pem = { cert: 'old', key: 'key' }
const NEW: Pem = { cert: 'new', key: 'key 2' }

/** Files that are read as `reads` says, one after the other; the last one for ever. */
function watching(...reads: (Pem | Error)[]) {
  const shown: string[] = []
  const reported: string[] = []
  const read = () => {
    const now = reads.length > 1 ? reads.shift()! : reads[0]
    if (now instanceof Error) throw now
    return now
  }
  const server = { setSecureContext: ({ cert }: { cert?: unknown }) => void shown.push(String(cert)) }
  const journal = { record: (event: Event) => void reported.push(event.kind === 'trouble' ? event.what : event.kind) }
  return { step: renewTls({ read }, OLD, server, journal), shown, reported }
}

test('a certificate that was renewed is shown, once', async () => {
  const { step, shown, reported } = watching(OLD, NEW, NEW)
  for (let n = 0; n < 4; n++) await step()
  assert.deepEqual(shown, ['new'])
  assert.deepEqual(reported, ['the certificate was renewed'])
})

test('while its files are being replaced the old one is shown, and this is reported once', async () => {
  const away = new Error('key values mismatch')
  const { step, shown, reported } = watching(away, away, away, NEW)
  for (let n = 0; n < 3; n++) await step()
  assert.deepEqual(shown, [])
  assert.deepEqual(reported, ['the certificate stays as it was: key values mismatch'])
  await step()
  assert.deepEqual(shown, ['new'])
})
