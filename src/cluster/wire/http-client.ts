/** One request over a keep-alive connection: sent once, answered completely within bounds, or NoAnswer. */
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as plain } from 'node:http'
import { Agent as TlsAgent, request as tls } from 'node:https'
import { createSecureContext, getCACertificates } from 'node:tls'
import type { Clock, Millis } from '../../base/clock.ts'
import { networkErrorText, reasonOf } from '../../base/errors.ts'
import { MAX_ANSWER_BYTES } from './protocol.ts'

export interface HttpRequest {
  method: string
  url: string
  headers: OutgoingHttpHeaders
  body: Uint8Array | undefined
  withinMs: Millis
  signal?: AbortSignal
}

export interface HttpAnswer {
  status: number
  header(name: string): string | undefined
  body: Uint8Array
  /** On the monotonic clock: before the first byte was sent, and when the response head arrived. */
  sentAt: Millis
  headAt: Millis
}

export interface HttpClient {
  send(request: HttpRequest): Promise<HttpAnswer>
  close(): void
}

/** No answer, not in time, or not complete: whether the call took effect is unknown. */
export class NoAnswer extends Error {
  /** The server had closed an idle connection; it may answer on a new one. */
  readonly isStale: boolean
  /** Its certificate is untrusted or another host's: nothing was sent. */
  get isUntrusted(): boolean {
    const { code = '' } = this.cause instanceof Error ? (this.cause as NodeJS.ErrnoException) : {}
    return /CERT|^UNABLE_TO_/.test(code)
  }

  constructor(url: string, cause: unknown, isStale = false) {
    super(`${url} does not answer: ${networkErrorText(cause) ?? reasonOf(cause)}`, { cause })
    this.name = 'NoAnswer'
    this.isStale = isStale
  }
}

/** All calls may be sent twice; `request` is rebuilt, because some say that it is a retry. */
export async function sendAgainIfStale(client: HttpClient, request: () => HttpRequest): Promise<HttpAnswer> {
  const first = request()
  try {
    return await client.send(first)
  } catch (error) {
    if (!(error instanceof NoAnswer) || !error.isStale || first.signal?.aborted) throw error
    return client.send(request())
  }
}

const MAX_SOCKETS = 64
/** Shorter than the servers' keep-alive, so that requests rarely meet a closing socket. */
const IDLE: Millis = 60_000

/** `ca`: extra trusted authorities (PEM), beside the machine's. */
export function httpClient(clock: Clock, ca?: string): HttpClient {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE }
  const agents = { plain: new Agent(options), tls: new TlsAgent({ ...options, ...trusting(ca) }) }

  const send = ({ method, url, headers, body, withinMs, signal }: HttpRequest) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      const sentAt = clock.elapsed()
      const isTls = url.startsWith('https:')
      const asked = (isTls ? tls : plain)(url, {
        method,
        agent: isTls ? agents.tls : agents.plain,
        headers: body === undefined ? headers : { ...headers, 'content-length': body.length },
      })
      const giveUp = () => asked.destroy(new Error('given up'))
      const cancel = clock.after(withinMs, () => asked.destroy(new Error(`nothing within ${withinMs} ms`)))
      const end = () => {
        cancel()
        signal?.removeEventListener('abort', giveUp)
      }
      const fail = (error: Error) => {
        end()
        reject(new NoAnswer(url, error, asked.reusedSocket && isReset(error)))
      }
      asked.once('error', fail)
      asked.once('response', (response: IncomingMessage) => {
        const headAt = clock.elapsed()
        whole(response).then((bytes) => {
          end()
          const header = (name: string) => {
            const value = response.headers[name]
            return Array.isArray(value) ? value[0] : value
          }
          resolve({ status: response.statusCode ?? 0, header, body: bytes, sentAt, headAt })
        }, fail)
      })
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp)
      asked.end(body)
    })

  return {
    send,
    close() {
      agents.plain.destroy()
      agents.tls.destroy()
    },
  }
}

/** Cached: reading the machine's roots takes some milliseconds. */
function trusting(ca: string | undefined) {
  if (ca === undefined) return {}
  return { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ca] }) }
}

const isReset = (error: Error): boolean => ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')

async function whole(response: IncomingMessage): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, bytes)
}
