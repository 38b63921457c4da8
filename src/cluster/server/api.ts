/** The HTTP side (W1): every call of `cluster/wire/calls.ts` under its path, and what is common to all of them. */
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Check, Errors } from 'typebox/value'
import { type Clock, finishesWithin, type Millis, remembered } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { CALLS, type CallDefinition, type CallName, openApi } from '../wire/calls.ts'
import {
  ApiError,
  MAX_BODY_BYTES,
  MAX_SENT_BYTES,
  MAX_VOLUME_PIECE,
  PARTS_TYPE,
  PROTOCOL,
  PROTOCOL_HEADER,
  TIME_HEADER,
} from '../wire/protocol.ts'
import type { CallNote } from './call-log.ts'
import type { Callers, Rates } from './callers.ts'
import { type Asked, anonymousRequest, apiErrorOf, type Handlers, noDatabase } from './handlers.ts'
import type { Metrics, MetricsPage } from './metrics.ts'
import { isLocal, type Role } from './roles.ts'
import { belowBase, type Door } from './web-door.ts'
import { httpServer } from './web-server.ts'

export interface ApiTools {
  handlers: Handlers
  callers: Callers
  /** Per worker id; for other callers per address. */
  workerRates: Rates
  anonymousRates: Rates
  metrics: Pick<Metrics, 'called'>
  /** `accept`: the header of who asks. */
  metricsPage(accept: string): Promise<MetricsPage>
  note(call: CallNote): void
  clock: Clock
  journal: Journal<Event>
  isEnding(): boolean
  /** Rejects, or takes too long, when the database cannot be reached. */
  reachable(): Promise<unknown>
  program: string
  /** Throws an ApiError for callers that are neither. */
  admit(role: Role, request: IncomingMessage, asked: Pick<Asked, 'isLocal' | 'join'>): void
  /** The dashboard, for every path that is none of the API; undefined: there is none. */
  pages: Door | undefined
  /** Before every path, where a proxy leaves it: `` or `/crawl`. */
  base: string
  tls: { cert: string; key: string } | undefined
}

const HEALTH_WITHIN: Millis = 3000
const PAGE_FRESH: Millis = 1000

const BODY_LIMIT = { parts: MAX_SENT_BYTES, bytes: MAX_VOLUME_PIECE } as const

export function buildApi(tools: ApiTools): FastifyInstance {
  const { tls, clock } = tools
  const app = fastify({
    logger: false,
    // We answer these ourselves, as API errors.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => belowBase(url, tools.base),
    frameworkErrors: (error, request, reply) => refuse(error, request, reply),
    serverFactory: (answer) => httpServer(tls, answer),
  })
  app.setValidatorCompiler(({ schema }) => validator(schema as TSchema))
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, app.getDefaultJsonParser('error', 'error'))
  for (const type of [PARTS_TYPE, 'application/octet-stream'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  const refuse = (error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = apiErrorOf(error)
    if (known.code === 'bug') tools.journal.record({ kind: 'trouble', what: `a call failed: ${stackOf(error)}` })
    if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds)
    // Unread body bytes would be taken for the next request on this connection.
    if (known.code === 'too-big') reply.header('connection', 'close')
    return reply.code(known.status).type('application/json').send(known.body)
  }
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => {
    const what = `there is no ${request.method} ${request.url.slice(0, 200)}`
    return refuse(new ApiError('not-found', what, 'the calls are listed in /api/openapi.json'), request, reply)
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header(TIME_HEADER, String(clock.now()))
    // Answers hold texts from strangers, and facts that only some may see.
    reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    // Open connections would delay the end of the server.
    if (tools.isEnding()) reply.header('connection', 'close')
  })
  for (const name of Object.keys(CALLS) as CallName[]) addCall(app, name, tools)
  addPages(app, tools)
  const { pages } = tools
  if (pages !== undefined)
    app.route({
      method: ['GET', 'HEAD', 'POST'],
      url: '*',
      // Before the body is read: the door reads forms itself.
      async onRequest(request, reply) {
        if (request.url.startsWith('/api/')) return reply.callNotFound()
        reply.hijack()
        await pages(request.raw, reply.raw)
      },
      handler: () => {},
    })
  return app
}

function addCall(app: FastifyInstance, name: CallName, tools: ApiTools): void {
  const call: CallDefinition = CALLS[name]
  const { clock, handlers, metrics } = tools
  const handler = handlers[name] as (asked: Asked, body: unknown) => Promise<object>
  const askedBy = new WeakMap<FastifyRequest, { asked: Asked; began: Millis }>()

  app.route({
    method: call.method,
    url: call.path,
    bodyLimit: typeof call.body === 'string' ? BODY_LIMIT[call.body] : MAX_BODY_BYTES,
    schema: {
      ...(typeof call.body === 'object' ? { body: call.body } : {}),
      ...(call.params === undefined ? {} : { params: call.params }),
      ...(call.query === undefined ? {} : { querystring: call.query }),
    },
    // Check before reading the body.
    async onRequest(request) {
      const began = clock.elapsed()
      const asked = blank(request)
      askedBy.set(request, { asked, began })
      if (tools.isEnding()) throw new ApiError('ending', 'this server is ending', 'ask another one', 2)
      if (call.by !== 'worker') {
        if (call.by === 'anyone') limit(tools.anonymousRates, asked.address)
        else admit(tools, call.by, request, asked)
        return
      }
      checkProtocol(request)
      try {
        asked.worker = await tools.callers(request.headers.authorization)
      } catch (error) {
        limit(tools.anonymousRates, asked.address)
        throw error
      }
      limit(tools.workerRates, asked.worker)
    },
    async handler(request, reply) {
      const { asked } = askedBy.get(request)!
      if (typeof call.body === 'string') asked.bytes = bytesOf(request)
      asked.name = (request.params as { name?: string }).name ?? ''
      asked.query = request.query as Asked['query']
      const answer = await handler(asked, request.body)
      if (answer instanceof Uint8Array) reply.type('application/octet-stream')
      return answer
    },
    async onError(request, _reply, error) {
      const known = askedBy.get(request)
      if (known !== undefined) known.asked.note.result = apiErrorOf(error).code
    },
    async onResponse(request) {
      const known = askedBy.get(request)
      if (known === undefined) return
      const { worker, note } = known.asked
      const tookMs = clock.elapsed() - known.began
      const bytes = Number(request.headers['content-length'] ?? 0)
      metrics.called(name, note.result, tookMs, bytes)
      if (worker !== '') tools.note({ at: clock.now(), worker, call: name, ...note, bytes, tookMs })
    },
  })
}

function blank(request: FastifyRequest): Asked {
  const { socket } = request.raw
  return {
    ...anonymousRequest(),
    address: socket.remoteAddress ?? '',
    isLocal: isLocal(request.raw),
    join: joinShown(request.headers.authorization),
    packing: request.headers['content-encoding'] ?? '',
    gone: () => socket.destroyed,
  }
}

/** The join secret that an operator shows. */
function joinShown(authorization: string | undefined): string | undefined {
  const [, shown] = /^Join ([A-Za-z0-9_-]{1,2000})$/.exec(authorization ?? '') ?? []
  return shown === undefined ? undefined : Buffer.from(shown, 'base64url').toString()
}

/** Strangers share a limit per address, which may be a proxy's: they must not use up that of viewers and operators. */
function admit(tools: ApiTools, role: Role, request: FastifyRequest, asked: Asked): void {
  try {
    tools.admit(role, request.raw, asked)
  } catch (error) {
    limit(tools.anonymousRates, asked.address)
    throw error
  }
  limit(tools.anonymousRates, role)
}

function checkProtocol(request: FastifyRequest): void {
  const spoken = request.headers[PROTOCOL_HEADER]
  if (spoken === String(PROTOCOL)) return
  const what = typeof spoken === 'string' ? `protocol ${spoken.slice(0, 20)}` : 'no protocol that it names'
  throw new ApiError(
    'other-protocol',
    `the worker speaks ${what}, this server ${PROTOCOL}`,
    // A worker that sends no version counts as an old one.
    Number(spoken) > PROTOCOL
      ? 'the server is the older one: install the worker’s version of orbweaver on all servers'
      : 'the worker is the older one: install the server’s version of orbweaver on it',
  )
}

function limit(rates: Rates, who: string): void {
  const waitMs = rates(who)
  if (waitMs === undefined) return
  throw new ApiError('too-many', 'too many calls', 'ask less often', Math.max(1, Math.ceil(waitMs / 1000)))
}

function bytesOf({ body }: FastifyRequest): Uint8Array {
  if (body instanceof Uint8Array) return body
  throw new ApiError('other-type', 'this call takes bytes', `send ${PARTS_TYPE} or application/octet-stream`)
}

/** Health, metrics and the description of the API: for operators and their tools. */
function addPages(app: FastifyInstance, tools: ApiTools): void {
  const { reachable, metricsPage, clock, program } = tools
  const onRequest = async (request: FastifyRequest) => admit(tools, 'viewer', request, blank(request))
  const description = JSON.stringify(openApi(program))
  // Anyone may ask, any number of times: the cost is bounded per second.
  const healthy = remembered(clock, PAGE_FRESH, async () => {
    if (!(await finishesWithin(clock, HEALTH_WITHIN, reachable()))) throw new Error('it does not answer')
  })
  app.get('/api/openapi.json', { onRequest }, async (_request, reply) => {
    reply.type('application/json')
    return description
  })
  app.get('/healthz', async () => {
    try {
      await healthy()
    } catch (error) {
      throw noDatabase(`the database cannot be reached: ${error instanceof Error ? error.message : error}`)
    }
    return { status: 'ok', program }
  })
  app.get('/metrics', { onRequest }, async (request, reply) => {
    const { type, text } = await metricsPage(request.headers.accept ?? '')
    reply.type(type)
    return text
  })
}

/** The same checks as at the worker's end; nothing is coerced or removed. */
function validator(schema: TSchema) {
  const compiled = Compile(schema)
  return (value: unknown) => {
    if (compiled.Check(value)) return { value }
    const [first] = Errors(shapeMeant(schema, value), value)
    const where = first?.instancePath === '' ? 'it' : first?.instancePath
    const said = `${where} ${first?.message ?? 'has another shape'}`.slice(0, 300)
    return { error: new ApiError('bad-request', said, 'the shape is in /api/openapi.json') }
  }
}

/** The error names what the action's own shape lacks, not how it differs from other actions. */
function shapeMeant(schema: TSchema, value: unknown): TSchema {
  const { anyOf: shapes = [] } = schema as { anyOf?: { properties: { action: TSchema } }[] }
  const { action } = (value ?? {}) as { action?: unknown }
  return shapes.find(({ properties }) => Check(properties.action, action)) ?? schema
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
