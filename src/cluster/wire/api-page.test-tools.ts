/** The API for people, made from the definitions of the calls: `docs/reference/api.md` must be this page. */
import type { TSchema } from 'typebox'
import { CALLS, type CallDefinition } from './calls.ts'
import {
  API_ERRORS,
  MAX_PART_BYTES,
  MAX_PARTS,
  MAX_SENT_BYTES,
  PARTS_TYPE,
  PROTOCOL,
  PROTOCOL_HEADER,
  TIME_HEADER,
} from './protocol.ts'

const MIB = 2 ** 20

export function describeApi(): string {
  const calls = Object.entries<CallDefinition>(CALLS)
  return [
    '# The API between servers and workers',
    '',
    '<!-- Made from src/cluster/wire/calls.ts; UPDATE_DOCS=1 on its test writes it anew. -->',
    '',
    `Protocol ${PROTOCOL}. JSON both ways unless a call says otherwise; OpenAPI at \`/api/openapi.json\`. Durations are in`,
    'milliseconds, and visits carry durations only, so that clocks need not agree. 64-bit keys are 16 hex digits.',
    '',
    'A worker sends `Authorization: Bearer ID.SECRET`, as registration gave them, and',
    `\`${PROTOCOL_HEADER}: ${PROTOCOL}\`. Every answer has \`${TIME_HEADER}\`: the server's time in milliseconds since 1970.`,
    'Any server of a crawl can be asked. Every call may be sent again: what was done is not done twice; who asks for',
    'sites again, because the answer got lost, names those that he has, and the others are taken back.',
    '',
    '| call | | by | |',
    '|---|---|---|---|',
    ...calls.map(
      ([name, { method, path, by, what }]) => `| \`${name}\` | \`${method} ${path}\` | ${by} | ${firstOf(what)} |`,
    ),
    '',
    ...calls.flatMap(([name, call]) => describeCall(name, call)),
    '## Parts',
    '',
    `\`${PARTS_TYPE}\`, packed by zstd or gzip (\`Content-Encoding\`) or as they are; at most ${MAX_SENT_BYTES / MIB} MiB as sent,`,
    `${MAX_PART_BYTES / MIB} MiB unpacked, ${MAX_PARTS} parts. Numbers are varints (7 bits a byte, the lowest first), texts are UTF-8 with their length`,
    'in front: version (1, a byte), number of parts; for each its ticket, visit, fence, number, site, a byte that is 1 for the',
    'last part of a visit, and the report as `src/contracts/encode-report.ts` lays it out, with its length in front.',
    '',
    '| a part that | is answered | and |',
    '|---|---|---|',
    '| is new | `stored` | is applied after the ones before it |',
    '| was sent before | `stored` | changes nothing |',
    '| comes before an earlier one | `stored` | waits for that one |',
    '| comes after its lease was lost | `stored` | counts if nobody else has had the site since; else it changes nothing |',
    '| is of a visit that this worker never had | `not-yours` | is not stored |',
    '| is damaged, or not what its envelope says | `unreadable` | is not stored |',
    '',
    'If they cannot be made durable the answer is 503, for all of them: keep them, and send them again after `Retry-After`.',
    '',
    '## Errors',
    '',
    '`{ "code", "message", "hint" }`: a word for programs, a sentence for people, and what to do. Send again what was answered with 429 or',
    '5xx, after `Retry-After` if that is there, and nothing else.',
    '',
    '| code | status |',
    '|---|---|',
    ...Object.entries(API_ERRORS).map(([code, status]) => `| \`${code}\` | ${status} |`),
    '',
    '## For operators',
    '',
    'Viewers and operators send `Authorization: Bearer TOKEN` (`--viewer-token`, `--operator-token`). On a server without tokens, only its own machine may ask,',
    "by the name `localhost` or a loopback address. The join secret (`Authorization: Join BASE64URL`) is as good as the operator's token.",
    '',
    '| | |',
    '|---|---|',
    '| `GET /healthz` | for anyone: 200; 503 with a line that says why when the database cannot be reached |',
    "| `GET /metrics` | for viewers, in Prometheus' form; names begin with `orbweaver_`; no site, URL or worker is a label |",
    '| `GET /api/openapi.json` | for viewers: this page for programs |',
    '',
    'Each call of a worker is a row of `worker_call` (view `worker_calls`), kept for as long as `--keep-calls` says.',
    '',
  ].join('\n')
}

function describeCall(name: string, { method, path, by, what, body, query, answer }: CallDefinition): string[] {
  return [
    `## \`${name}\``,
    '',
    `\`${method} ${path}${query === undefined ? '' : `?${Object.keys(query.properties).join('=…&')}=…`}\` · by ${by}`,
    '',
    what,
    '',
    ...(body === undefined
      ? []
      : [typeof body === 'string' ? `Sends ${OF_BYTES[body]}.` : `Sends ${shapeOf(body)}`, '']),
    `Answer: ${answer === 'bytes' ? OF_BYTES.bytes : shapeOf(answer)}`,
    '',
  ]
}

const OF_BYTES = { parts: 'parts, as below', bytes: 'bytes (`application/octet-stream`)' }

const firstOf = (what: string): string => `${what.split(/(?<=\.)\s|: /)[0].replace(/\.$/, '')}`

function shapeOf(schema: TSchema): string {
  return `\`${wordOf(schema)}\``
}

/** As TypeScript would say it; what is deep inside is left to OpenAPI. */
function wordOf(schema: object, depth = 0): string {
  const { type, properties, required, items, anyOf, patternProperties } = schema as Described
  if ('const' in schema) return JSON.stringify(schema.const)
  if (anyOf !== undefined) return anyOf.map((one) => wordOf(one, depth)).join(' | ')
  if (type === 'array')
    return items !== undefined && 'anyOf' in items ? `(${wordOf(items, depth)})[]` : `${wordOf(items ?? {}, depth)}[]`
  if (type !== 'object') return type ?? 'unknown'
  if (patternProperties !== undefined)
    return `{ [name]: ${Object.values(patternProperties).map((one) => wordOf(one, depth + 1))[0]} }`
  const fields = Object.entries(properties ?? {})
  if (fields.length === 0) return '{}'
  if (depth > 2) return '{ … }'
  const optional = (name: string) => (required?.includes(name) ? '' : '?')
  return `{ ${fields.map(([name, one]) => `${name}${optional(name)}: ${wordOf(one, depth + 1)}`).join(', ')} }`
}

interface Described {
  type?: string
  properties?: Record<string, object>
  required?: readonly string[]
  items?: object
  anyOf?: readonly object[]
  patternProperties?: Record<string, object>
}
