/** The API in OpenAPI 3.1, generated from the call definitions. */
import { ErrorBody } from './api-error.ts'
import { CALLS, type CallDefinition } from './calls.ts'
import { PARTS_TYPE, PROTOCOL, PROTOCOL_HEADER } from './protocol.ts'

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
    ...Object.entries(query?.properties ?? {}).map(([id, schema]) => parameter('query', id, schema)),
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
