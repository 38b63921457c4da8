/** What a frontier can stand on, by the words of `--database`: a place for each size, gone when it is disposed of. */
import { join } from 'node:path'
import { type ServerSettings, startServer } from '../../testkit/postgres/server.test-tools.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'
import type { Place } from './child.ts'

export interface Stand {
  name: 'SQLite' | 'PostgreSQL'
  make(parent: string | undefined): Promise<AsyncDisposable & { place: Place }>
}

/** As somebody would set up a server who wants nothing lost: everything is synced, and a part of the memory is its own. */
const SETTINGS: ServerSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  checkpoint_timeout: '5min',
}

export function standsOf(words: string): Stand[] {
  return words.split(',').map((word): Stand => {
    if (word === 'sqlite') return { name: 'SQLite', make: inFolder }
    if (word === 'embedded') return { name: 'PostgreSQL', make: onOwnServer }
    if (/^postgres(ql)?:\/\//.test(word)) return { name: 'PostgreSQL', make: () => at(word) }
    throw new Error(`--database is sqlite, embedded or postgres://…, not '${word}'`)
  })
}

async function inFolder(parent: string | undefined): Promise<AsyncDisposable & { place: Place }> {
  const folder = temporaryFolder(parent)
  return {
    place: { kind: 'sqlite', path: join(folder.path, 'frontier.db') },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}

async function onOwnServer(parent: string | undefined): Promise<AsyncDisposable & { place: Place }> {
  const server = await startServer(SETTINGS, parent)
  if ('skipped' in server) throw new Error(server.skipped)
  return {
    place: { kind: 'postgres', address: server.url, postmaster: server.pid },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** Left as it is in the end: it is not ours. */
async function at(address: string): Promise<AsyncDisposable & { place: Place }> {
  return { place: { kind: 'postgres', address }, [Symbol.asyncDispose]: async () => {} }
}
