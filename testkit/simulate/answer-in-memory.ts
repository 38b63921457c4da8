/** The API of a server without its sockets: who calls is looked up, the call is found by its path, what it throws becomes a status. */
import type { Clock } from '../../src/base/clock.ts'
import type { Callers } from '../../src/cluster/server/callers.ts'
import type { Asked, Handlers } from '../../src/cluster/server/handlers.ts'
import { apiErrorOf } from '../../src/cluster/server/handlers.ts'
import { CALLS, type CallDefinition, type CallName } from '../../src/cluster/wire/calls.ts'
import type { HttpRequest } from '../../src/cluster/wire/http-client.ts'
import type { Listen } from './network.ts'

export interface Answering {
  handlers: Handlers
  callers: Callers
  clock: Clock
  /** Of errors that nobody foresaw. */
  bug(error: unknown): void
}

interface Route {
  name: CallName
  call: CallDefinition
  path: RegExp
}

const ROUTES: readonly Route[] = Object.entries<CallDefinition>(CALLS).map(([name, call]) => ({
  name: name as CallName,
  call,
  path: new RegExp(`^${call.path.replace(':name', '([^/]+)')}$`),
}))

export function answerInMemory({ handlers, callers, clock, bug }: Answering): Listen {
  return async (request, _server, gone) => {
    try {
      const { pathname, searchParams } = new URL(request.url)
      const route = ROUTES.find(({ call, path }) => call.method === request.method && path.test(pathname))!
      const [, name = ''] = route.path.exec(pathname)!
      const asked: Asked = {
        ...blankOf(request, gone),
        name: decodeURIComponent(name),
        query: Object.fromEntries(searchParams),
        worker: route.call.by === 'anyone' ? '' : await callers(String(request.headers.authorization)),
      }
      const handler = handlers[route.name] as (asked: Asked, body: unknown) => Promise<object>
      const isJson = typeof route.call.body === 'object'
      const body = isJson ? JSON.parse(Buffer.from(request.body!).toString()) : undefined
      return { status: 200, body: await handler(asked, body), time: clock.now() }
    } catch (error) {
      const { status, body, retryAfterSeconds, code } = apiErrorOf(error)
      if (code === 'bug') bug(error)
      return { status, body, time: clock.now(), ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    }
  }
}

function blankOf({ body, headers }: HttpRequest, gone: () => boolean) {
  return {
    address: '127.0.0.1',
    isLocal: true,
    bytes: body ?? new Uint8Array(0),
    packing: String(headers['content-encoding'] ?? ''),
    gone,
    note: { items: 0, result: '' },
  }
}
