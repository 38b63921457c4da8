/**
 * A process that renders pages, or computes what is too slow for one. It reads the collection through a connection of its own, so that a page never holds up the
 * coordinator, and may be killed at any time: it only reads, and its locks end with it.
 */
import { reasonOf } from '../../base/errors.ts'
import type { PageRequest, Slow } from '../../dashboard/page.ts'
import { answer, COMPUTATIONS, type DashboardData } from '../../dashboard/routes.ts'
import { volumeAccessOf } from '../composition/volume-sources.ts'
import type { Settings } from '../config/keys.ts'
import { openCollection } from '../reader/open.ts'

export interface ReaderData {
  settings: Settings
  /** The time limit of one PostgreSQL statement. */
  statementMs: number
}

/** A page, or a computation of `routes.ts`. `query`: what can be sent to another process. */
export type Asked = { page: Omit<PageRequest, 'query'> & { query: string } } | { name: string; argument: string }

export type ToReader =
  /** The first message: settings have secrets, which must not be seen among the arguments of a process. */
  | { kind: 'open'; data: ReaderData }
  | { kind: 'ask'; id: number; asked: Asked }
  | { kind: 'slow'; id: number; slow: Slow<unknown> }

export type FromReader =
  | { kind: 'ready' }
  /** A `PageAnswer`, or what was computed. */
  | { kind: 'done'; id: number; value: unknown }
  /** `isSlow`: the database gave up a statement. */
  | { kind: 'failed'; id: number; why: string; isSlow: boolean }
  | { kind: 'slow'; id: number; name: string; argument: string }

const post = (message: FromReader) => process.send?.(message)

/** How to open it; set before anything is asked. */
let given: ReaderData | undefined
let opened: Promise<DashboardData> | undefined
const asked = new Map<number, (slow: Slow<unknown>) => void>()
let lastAsked = 0

async function open(): Promise<DashboardData> {
  const { settings, statementMs } = given!
  const { collection, database } = settings
  const reader = await openCollection(collection, {
    database,
    volumes: volumeAccessOf(settings),
    patience: { connections: 2, statementMs, idleInTransactionMs: 60_000, patienceMs: 1000 },
  })
  return Object.assign(reader, await reader.browse(settings), {
    slow: <Value>(name: string, argument: string) =>
      new Promise<Slow<Value>>((resolve) => {
        const id = ++lastAsked
        asked.set(id, resolve as (slow: Slow<unknown>) => void)
        post({ kind: 'slow', id, name, argument })
      }),
  })
}

/** A database that could not be reached is tried again with the next request. */
function data(): Promise<DashboardData> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined
    throw error
  })
  return opened
}

async function work(asked: Asked): Promise<unknown> {
  if ('name' in asked) return COMPUTATIONS[asked.name](asked.argument, await data())
  const { page } = asked
  return answer({ ...page, query: new URLSearchParams(page.query) }, await data())
}

/** PostgreSQL's query_canceled: by statement_timeout. */
function isSlow(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : undefined
  return cause instanceof Error && 'code' in cause && cause.code === '57014'
}

// A terminal and systemd send signals to every process of the program: the one that asks decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
process.on('message', (message: ToReader) => {
  if (message.kind === 'open') {
    given = message.data
    data().then(
      () => post({ kind: 'ready' }),
      () => post({ kind: 'ready' }),
    )
    return
  }
  const { id } = message
  if (message.kind === 'slow') {
    asked.get(id)?.(message.slow)
    asked.delete(id)
    return
  }
  work(message.asked).then(
    (value) => post({ kind: 'done', id, value }),
    (error) => post({ kind: 'failed', id, why: reasonOf(error), isSlow: isSlow(error) }),
  )
})
