/**
 * Every API call, defined once (W2). The checks at both ends, the types, paths, OpenAPI and `docs/reference/api.md` come
 * from it. All calls may be repeated without effect. A worker that asks for sites again after a lost answer names the
 * visits it has.
 */
import Type, { type Static, type TNumber, type TObject, type TUnion } from 'typebox'
import { ActionBody, AuditPage, ChoiceOnTheWire, MAX_ENTRIES, OrdersOnTheWire } from './control-json.ts'
import {
  API,
  ErrorBody,
  LONGEST_POLL,
  MAX_DIGESTS,
  MAX_PARTS,
  MAX_PLAN_BYTES,
  MAX_RENEWED,
  MAX_VISITS,
  MAX_VOLUME_PIECE,
  PARTS_TYPE,
  PROTOCOL,
  PROTOCOL_HEADER,
} from './protocol.ts'
import {
  Address,
  CopyOnTheWire,
  closed,
  Digest,
  Duration,
  oneOf,
  Reading,
  VisitName,
  VisitOnTheWire,
} from './visit-json.ts'

/** The body of a call: nothing, JSON, report parts (`parts-frame.ts`), or bytes of a volume. */
export type Body = TObject | TUnion<TObject[]> | 'parts' | 'bytes'

export interface CallDefinition {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /**
   * `worker`: with id and secret. `viewer`, `operator`: with their token, or, where there are none, on the machine of the server; whoever
   * shows the join secret is an operator.
   */
  by: 'anyone' | 'worker' | 'viewer' | 'operator'
  what: string
  body?: Body
  params?: TObject
  query?: TObject
  /** JSON, or bytes of a volume. */
  answer: TObject | 'bytes'
}

const OPERATOR =
  'The operator shows the token (`Authorization: Bearer TOKEN`) or the join secret (`Authorization: Join BASE64URL`).'
const whole = (maximum: number, description?: string) =>
  Type.Integer({ minimum: 0, maximum, ...(description && { description }) })
const nothing = closed({})

/** The calling thread of the worker: each has its own leases and addresses. New names after each start. */
const Thread = Type.String({ pattern: '^[A-Za-z0-9-]{1,40}$' })
/** Granted with a visit and required with every report about it, so that no other worker can report on it. */
const Ticket = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' })
/** Names of workers and regions, shown to people. */
const Label = Type.String({ pattern: '^[\\w. -]{1,100}$' })
/** Can't lead outside the archive folder. */
export const VOLUME_NAME = '^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}\\.warc\\.gz$'
const VolumeParams = Type.Object({ name: Type.String({ pattern: VOLUME_NAME }) })
/** A folder or a store that is not a server's: see `collection/locations/volume-locations.ts`. */
const Place = Type.String({ pattern: '^(dir:/|s3://)[^\\x00-\\x1f]{1,1000}$' })
const Digits = Type.String({ pattern: '^[0-9]{1,15}$' })
/** Maximum offset in a file. */
const Bytes = whole(Number.MAX_SAFE_INTEGER)
const PlanDigest = Type.String({ maxLength: 100 })
const Servers = Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 1000 })

/**
 * `stored`: durable, don't send again; also if it was there before, if an earlier part of its visit is missing, or if
 * its lease was lost (what counts is decided when it is applied). `not-yours`: the ticket doesn't match the visit and
 * worker. `unreadable`: damaged, or not what its envelope says.
 */
export const PartAnswer = oneOf('stored', 'not-yours', 'unreadable')
export type PartAnswer = Static<typeof PartAnswer>

const numbers = <Name extends string>(...names: Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Number()])) as Record<Name, TNumber>)
const Figures = Type.Record(Type.String(), Type.Number())
const Looks = Type.Object(
  {
    performed: Type.Number(),
    changed: Type.Number(),
    unchanged: Type.Number(),
    moved: Type.Number(),
    refused: Type.Number({ description: 'no longer permitted or wanted' }),
    failed: Type.Number(),
    hints: numbers('performed', 'discarded', 'new'),
  },
  { description: 'looks at known pages, and hints that they changed' },
)
const FreshnessNow = Type.Object(
  {
    at: Type.Number({ description: 'when it was measured' }),
    pages: Type.Number({ description: 'known pages' }),
    measured: Type.Number({ description: 'of them; above a million a sample is measured' }),
    sites: Type.Number(),
    freshness: Type.Number({ description: 'the expected share that is as on the web, by weight' }),
    ageSeconds: Type.Number({ description: 'how long pages have been out of date, on average' }),
    bound: Type.Number({ description: 'the freshness that no policy exceeds at these pauses and this capacity' }),
    stalenessRatio: Type.Union([Type.Number(), Type.Null()], { description: 'staleness over that of the bound' }),
    boundLooks: Type.Number({ description: 'looks per second at the bound' }),
    capacity: Type.Union([Type.Number(), Type.Null()], { description: '--refresh-rate' }),
    gain: Type.Object({
      oneMoreLook: Type.Number({ description: 'what one look per second more would add to the bound' }),
      shorterPause: Type.Number({ description: 'what pauses shorter by 10 % would add' }),
    }),
  },
  { description: 'of a collection that is refreshed; at most some minutes old' },
)
const Statistics = Type.Object({
  at: Type.Number({ description: 'milliseconds since 1970' }),
  sites: numbers('waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held'),
  urls: Type.Object({
    known: Type.Number(),
    marked: Type.Number(),
    waiting: Type.Number(),
    refreshing: Type.Number({ description: 'pages that are looked at again' }),
  }),
  looks: Looks,
  freshness: Type.Union([FreshnessNow, Type.Null()]),
  counters: Figures,
  inbox: Type.Number({ description: 'parts that this server has still to apply' }),
  servers: Type.Number({ description: 'seen in the last minute' }),
  workers: numbers('alive', 'silent', 'pagesPerSecond'),
})
export type Statistics = Static<typeof Statistics>

const amount = (description?: string) => Type.Number({ minimum: 0, maximum: 1e15, ...(description && { description }) })
const Amount = amount()
/** `DiskLoad` of `base/computer.ts`. */
const DiskOnTheWire = closed({
  ms: Amount,
  writesPerSecond: Amount,
  queue: Amount,
  waitMs: Type.Optional(Amount),
  sectorsPerSecond: Amount,
})

/** The machine of a worker, as it says (W2). Figures may be of a container. */
export const Computer = closed({
  cpus: whole(1e6),
  cpuModel: Type.String({ maxLength: 200 }),
  load: Type.Number({ minimum: 0, maximum: 1e9, description: 'processes that run or wait to, in the last minute' }),
  memoryBytes: Bytes,
  freeMemoryBytes: Bytes,
  freeDiskBytes: whole(Number.MAX_SAFE_INTEGER, 'where it writes volumes now'),
  disk: Type.Optional(DiskOnTheWire),
  bytesPerSecond: amount('of documents, in the last ten seconds'),
  fastestBytesPerSecond: amount('the most in ten seconds since it was started: its connection has at least this speed'),
})
export type Computer = Static<typeof Computer>

export const MAX_CHANGES = 1000
const ChangeOnTheWire = Type.Object({
  at: Type.String({ description: 'ISO 8601, UTC' }),
  url: Type.String(),
  change: oneOf('new', 'changed', 'back', 'moved', 'missing', 'gone'),
  status: Type.Integer(),
  mediaType: Type.String(),
  digest: Type.String(),
  digestBefore: Type.Union([Type.String(), Type.Null()], { description: 'of the last capture that had the page' }),
  class: Type.Union([Type.String(), Type.Null()], {
    description: 'how much of the text changed: markup, volatile, small, medium, large, complete, binary',
  }),
  place: Type.Union([Type.String(), Type.Null()], { description: 'where, for people' }),
})

export const CALLS = {
  version: {
    method: 'GET',
    path: `${API}/version`,
    by: 'anyone',
    what: 'The program of the server and the protocol that it speaks.',
    answer: Type.Object({ program: Type.String(), protocol: Type.Integer() }),
  },
  statistics: {
    method: 'GET',
    path: `${API}/statistics`,
    by: 'viewer',
    what: 'How far the crawl is: sums only, no names.',
    answer: Statistics,
  },
  changes: {
    method: 'GET',
    path: `${API}/changes`,
    by: 'operator',
    what: `Changes of pages after a position, at most ${MAX_CHANGES}, in the order in which the collection learnt of them: as \`orbweaver watch --new\` prints them. Ask again with \`cursor\`: at once if there is \`more\`. \`since\` is a cursor, \`first\` for the beginning, or \`now\`. ${OPERATOR}`,
    query: closed({ since: Type.String({ pattern: '^(first|now|s[0-9]{1,16}|p[A-Za-z0-9_-]{300,4000})$' }) }),
    answer: Type.Object({
      changes: Type.Array(ChangeOnTheWire, { maxItems: MAX_CHANGES }),
      cursor: Type.String(),
      more: Type.Boolean(),
    }),
  },
  actions: {
    method: 'POST',
    path: `${API}/actions`,
    by: 'operator',
    what: `Steers the crawl while it runs: pauses, resumes or stops it, pauses or bars a site, and so on. It is in force at all workers within five seconds, and after a restart. Repeating an action changes nothing. Every action is kept in the audit log. ${OPERATOR}`,
    body: ActionBody,
    answer: Type.Object({
      isChanged: Type.Boolean({ description: 'false: it was so already' }),
      now: Type.String({ description: 'what is in force now, for people' }),
    }),
  },
  control: {
    method: 'GET',
    path: `${API}/control`,
    by: 'operator',
    what: `What operators decided and is in force: about the crawl, and about at most ${MAX_ENTRIES} sites in the order of their names, after the site \`after\`. ${OPERATOR}`,
    query: closed({ after: Type.Optional(Type.String({ maxLength: 2000 })) }),
    answer: Type.Object({
      crawl: ChoiceOnTheWire,
      sites: Type.Array(Type.Object({ site: Type.String(), choice: ChoiceOnTheWire })),
    }),
  },
  audit: {
    method: 'GET',
    path: `${API}/audit`,
    by: 'operator',
    what: `Every action of an operator, the latest first, at most ${MAX_ENTRIES} with an id below \`before\`; fewer when their texts exceed a megabyte. \`subject\` is a site or a worker, empty for the whole crawl; \`before\` and \`after\` are JSON. ${OPERATOR}`,
    query: closed({ before: Type.Optional(Digits) }),
    answer: AuditPage,
  },
  orders: {
    method: 'POST',
    path: `${API}/orders`,
    by: 'worker',
    what: 'What operators decided after the version `since`; waits up to `waitMs` until there is something. The worker ends its visits to these sites, all of them when the crawl is paused. `blacklist` is the whole list when it changed, else absent. `version` of the answer is the next `since`: ask again at once.',
    body: closed({ since: whole(Number.MAX_SAFE_INTEGER), waitMs: whole(LONGEST_POLL) }),
    answer: OrdersOnTheWire,
  },
  register: {
    method: 'POST',
    path: `${API}/workers`,
    by: 'anyone',
    what: 'A new worker joins. The secret is sent once; the server keeps only a hash. `join` is the secret that the operator gives to those who may join.',
    body: closed({
      name: Label,
      region: Type.Optional(Label),
      version: Type.String({ maxLength: 100 }),
      join: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    answer: Type.Object({
      worker: Type.String({ pattern: '^[0-9a-f]{16}$' }),
      secret: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    }),
  },
  servers: {
    method: 'GET',
    path: `${API}/servers`,
    by: 'worker',
    what: 'The servers of this crawl that were seen lately.',
    answer: Type.Object({ servers: Servers }),
  },
  plan: {
    method: 'POST',
    path: `${API}/plan`,
    by: 'worker',
    what: `What a worker needs to crawl as the coordinator would, at most ${MAX_PLAN_BYTES / 2 ** 20} MiB. A worker that has a plan names its digest (\`have\`) and gets the plan only if it has changed.`,
    body: closed({ have: Type.Optional(PlanDigest) }),
    answer: Type.Object({
      digest: PlanDigest,
      plan: Type.Optional(
        Type.Object({
          version: Type.String(),
          settings: Type.String(),
          seeds: Type.Array(Type.String()),
          alternates: Type.Array(Type.String()),
          files: Type.Record(Type.String(), Type.String()),
        }),
      ),
    }),
  },
  checkOut: {
    method: 'POST',
    path: `${API}/visits`,
    by: 'worker',
    what: 'Sites to visit. When none is free it waits up to `waitMs` and answers as soon as one is. A lease counts from `heldMs` after the request was sent; a wait from when the answer came. `next`: when to ask again, or that the crawl is over. After a check-out without an answer, the worker names the visits that the thread has; other visits granted to it and not begun are taken back first.',
    body: closed({
      thread: Thread,
      atMost: Type.Integer({ minimum: 1, maximum: MAX_VISITS }),
      waitMs: whole(LONGEST_POLL),
      has: Type.Optional(Type.Array(VisitName, { maxItems: MAX_RENEWED })),
    }),
    answer: Type.Object({
      visits: Type.Array(Type.Object({ visit: VisitOnTheWire, ticket: Ticket }), { maxItems: MAX_VISITS }),
      next: Type.Union([Duration, Type.Literal('over')]),
      heldMs: Duration,
    }),
  },
  enter: {
    method: 'POST',
    path: `${API}/visits/enter`,
    by: 'worker',
    what: 'May this visit ask at this address? An address belongs to one thread at a time.',
    body: closed({ thread: Thread, visit: VisitName, address: Address }),
    answer: Type.Object({ answer: oneOf('here', 'elsewhere') }),
  },
  renew: {
    method: 'POST',
    path: `${API}/visits/renew`,
    by: 'worker',
    what: 'Renews all leases of a thread, counted from when the request was sent. Visits in `lost` no longer have a lease.',
    body: closed({ thread: Thread, visits: Type.Array(VisitName, { maxItems: MAX_RENEWED }) }),
    answer: Type.Object({ lease: Duration, lost: Type.Array(VisitName) }),
  },
  checkIn: {
    method: 'POST',
    path: `${API}/parts`,
    by: 'worker',
    what: 'Numbered parts of reports; an empty last one gives a visit back. Answered when they are durable, one word for each, in their order. 503 when they cannot be made durable: keep them and send them again.',
    body: 'parts',
    answer: Type.Object({ answers: Type.Array(PartAnswer, { maxItems: MAX_PARTS }) }),
  },
  unreadable: {
    method: 'POST',
    path: `${API}/unreadable`,
    by: 'worker',
    what: 'The thread that read this page hung and was ended: the page is recorded as one that cannot be read, and the visit ends.',
    body: closed({ thread: Thread, ticket: Ticket, reading: Reading }),
    answer: nothing,
  },
  leave: {
    method: 'POST',
    path: `${API}/leave`,
    by: 'worker',
    what: 'The thread has ended: its leases are released now instead of expiring. A restarted worker calls this for its earlier threads.',
    body: closed({ thread: Thread }),
    answer: nothing,
  },
  findCopies: {
    method: 'POST',
    path: `${API}/copies`,
    by: 'worker',
    what: 'Earlier captures of these payloads, in the same order; null where there is none.',
    body: closed({ digests: Type.Array(Digest, { minItems: 1, maxItems: MAX_DIGESTS }) }),
    answer: Type.Object({ copies: Type.Array(Type.Union([CopyOnTheWire, Type.Null()]), { maxItems: MAX_DIGESTS }) }),
  },
  alive: {
    method: 'POST',
    path: `${API}/alive`,
    by: 'worker',
    what: 'How the worker is doing; answered with the servers there are.',
    body: closed({
      visits: whole(10_000_000),
      lateMs: Type.Number({ minimum: 0, maximum: 1e9 }),
      pagesPerSecond: Type.Number({ minimum: 0, maximum: 1e9 }),
      state: oneOf('working', 'ending'),
      version: Type.String({ maxLength: 100 }),
      computer: Type.Optional(Computer),
      clockOffsetMs: Type.Optional(
        Type.Number({ minimum: -1e14, maximum: 1e14, description: "the servers' time minus that of its machine" }),
      ),
    }),
    answer: Type.Object({ servers: Servers }),
  },
  upload: {
    method: 'PUT',
    path: `${API}/volumes/:name`,
    by: 'worker',
    what: `The next bytes of a volume, at most ${MAX_VOLUME_PIECE / 2 ** 20} MiB. Bytes that are there already must be the same, so a piece may be sent again; none may be left out. Answered when they are durable, with the size that the volume has here. A volume belongs to the worker that began it. Each server has what was sent to it: one that has nothing of a volume says 0 and takes it from the beginning.`,
    body: 'bytes',
    params: VolumeParams,
    query: closed({ offset: Digits }),
    answer: Type.Object({ bytes: Bytes }),
  },
  readVolume: {
    method: 'GET',
    path: `${API}/volumes/:name`,
    by: 'operator',
    what: `Bytes of a volume on this server, at most ${MAX_VOLUME_PIECE / 2 ** 20} MiB; fewer at its end. ${OPERATOR}`,
    params: VolumeParams,
    query: closed({ offset: Digits, length: Digits }),
    answer: 'bytes',
  },
  located: {
    method: 'POST',
    path: `${API}/volumes/:name/place`,
    by: 'worker',
    what: 'A volume is not on a server but in a folder of the worker (`dir:/PATH`) or in a store (`s3://BUCKET/PREFIX`), with this many bytes. Sent before the parts that name it.',
    body: closed({ location: Place, bytes: Bytes, sealed: Type.Boolean() }),
    params: VolumeParams,
    answer: nothing,
  },
  seal: {
    method: 'POST',
    path: `${API}/volumes/:name/seal`,
    by: 'worker',
    what: 'The volume is complete: it has so many bytes and gets no more.',
    body: closed({ bytes: Bytes }),
    params: VolumeParams,
    answer: Type.Object({ bytes: Bytes }),
  },
} as const satisfies Record<string, CallDefinition>

export type CallName = keyof typeof CALLS
export type RequestOf<Name extends CallName> = (typeof CALLS)[Name] extends {
  body: infer Body extends TObject | TUnion
}
  ? Static<Body>
  : undefined
export type AnswerOf<Name extends CallName> = (typeof CALLS)[Name]['answer'] extends TObject
  ? Static<(typeof CALLS)[Name]['answer']>
  : Uint8Array

/** How a worker is doing, as it says. */
export type WorkerNews = RequestOf<'alive'>

/** In OpenAPI 3.1. */
export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [name, call] of Object.entries<CallDefinition>(CALLS)) {
    const path = call.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(name, call) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'orbweaver', version, description: 'The calls of workers to a server.' },
    paths,
    components: {
      schemas: { Error: ErrorBody },
      securitySchemes: {
        worker: { type: 'http', scheme: 'bearer', description: 'ID.SECRET, as registration gave them' },
        operator: { type: 'http', scheme: 'join', description: 'the join secret, in base64url' },
      },
    },
  }
}

function operation(name: string, { by, what, body, params, query, answer }: CallDefinition): object {
  const parameters = [
    ...Object.entries(params?.properties ?? {}).map(([id, schema]) => parameter('path', id, schema)),
    ...Object.entries(query?.properties ?? {}).map(([id, schema]) => ({
      ...parameter('query', id, schema),
      required: query?.required?.includes(id) ?? false,
    })),
    ...(by === 'worker' ? [parameter('header', PROTOCOL_HEADER, { const: String(PROTOCOL) })] : []),
  ]
  return {
    operationId: name,
    summary: what,
    ...(by === 'anyone' ? {} : { security: [{ [by]: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      200: { description: 'the answer', content: contentOf(answer) },
      default: {
        description: 'no',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const parameter = (where: string, name: string, schema: unknown) => ({ in: where, name, required: true, schema })

function contentOf(body: NonNullable<CallDefinition['body']>): object {
  if (body === 'parts') return { [PARTS_TYPE]: { schema: { type: 'string', format: 'binary' } } }
  if (body === 'bytes') return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
  return { 'application/json': { schema: body } }
}
