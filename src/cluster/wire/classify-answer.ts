/**
 * What an answer means for the caller: done, try another server, or refused. Proxies may answer instead of servers, and
 * servers may differ in version during an upgrade, so only API errors in our own format count as a server's word.
 */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Millis } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { type AnswerOf, CALLS, type CallName } from './calls.ts'
import type { HttpAnswer, NoAnswer } from './http-client.ts'
import { ErrorBody } from './protocol.ts'

/** The server refuses this call from this worker for good. */
export class Refusal extends Problem {
  readonly status: number
  /** Sent by one of our servers, not by a proxy. */
  readonly isOurs: boolean
  /** Not about the call itself: the server doesn't know this worker, or doesn't understand it. */
  readonly isOfWorker: boolean
  constructor(url: string, status: number, { code, message, hint }: Static<typeof ErrorBody>, isOurs: boolean) {
    super('server-refused', `${url} refuses: ${message} (${hint})`)
    this.name = 'Refusal'
    this.status = status
    this.isOurs = isOurs
    this.isOfWorker = isOurs && (code === 'unauthorized' || code === 'other-protocol')
  }
}

/** A server can't do it now. */
export class NotNow extends Error {
  readonly code: string
  constructor(url: string, { code, message }: Static<typeof ErrorBody>) {
    super(`${url} says ${message}`)
    this.name = 'NotNow'
    this.code = code
  }
}

/**
 * | answer | is |
 * |---|---|
 * | 200, with the shape that the call promises | `done` |
 * | 429, 5xx, from a server or a proxy | `later` |
 * | 400, 401, 403, 404, 409, 413, 415 in the words of the API | `refused`: final when every other server was asked, too |
 * | 413 from a proxy | `refused` as well: it will never accept a body of that size |
 * | (no answer, for a certificate that is not trusted) | `strange` |
 * | all else: redirects, pages of proxies, other programs, 200 with another shape | `strange`: that address leads to no server of ours, now |
 */
export type Judged<Name extends CallName> =
  | { kind: 'done'; answer: AnswerOf<Name> }
  | { kind: 'later'; trouble: NotNow; retryAfter: Millis }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'strange'; refusal: Refusal }

export function judgeAnswer<Name extends CallName>(name: Name, url: string, answer: HttpAnswer): Judged<Name> {
  const { status } = answer
  if (status === 200) {
    const value = json(answer.body)
    if (accepts(name, value)) return { kind: 'done', answer: value }
    const message = `it answers ${name} with something else than orbweaver does`
    return { kind: 'strange', refusal: new Refusal(url, status, { code: '200', message, hint: STRANGE }, false) }
  }
  if (status === 429 || status >= 500)
    return { kind: 'later', trouble: new NotNow(url, said(answer).body), retryAfter: retryAfterOf(answer) }
  const refusal = refusalOf(url, answer)
  return { kind: refusal.isOurs || status === 413 ? 'refused' : 'strange', refusal }
}

export function refusalOf(url: string, answer: HttpAnswer): Refusal {
  const { body, isOurs } = said(answer)
  return new Refusal(url, answer.status, body, isOurs)
}

/** Its certificate was not trusted. */
export function untrusted(url: string, { cause }: NoAnswer): Refusal {
  // Drop Node's advice to programmers.
  const [why] = (cause instanceof Error ? cause.message : String(cause)).split(';')
  const message = `its certificate is not trusted: ${why}`
  const hint =
    '--server-ca FILE names the authority that vouches for it; the name in --server must be one of the certificate'
  return new Refusal(url, 0, { code: 'untrusted', message, hint }, false)
}

const STRANGE = 'is that an orbweaver server?'
const TOO_BIG = 'a proxy in front of the server must let through bodies of 32 MB: client_max_body_size of nginx'

const errorShape = Compile(ErrorBody)

function said({ status, body }: HttpAnswer): { body: Static<typeof ErrorBody>; isOurs: boolean } {
  const value = json(body)
  if (errorShape.Check(value)) return { body: value, isOurs: true }
  const hint = status === 413 ? TOO_BIG : STRANGE
  return { body: { code: String(status), message: `status ${status}`, hint }, isOurs: false }
}

function json(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

const checks = new Map<CallName, (value: unknown) => boolean>()

function accepts<Name extends CallName>(name: Name, value: unknown): value is AnswerOf<Name> {
  let check = checks.get(name)
  if (check === undefined) {
    const compiled = Compile(CALLS[name].answer as TSchema)
    check = (value) => compiled.Check(value)
    checks.set(name, check)
  }
  return check(value)
}

/** Maximum Retry-After that is obeyed. */
const LONGEST_RETRY_AFTER: Millis = 300_000

/** In seconds, as our servers send it; a proxy's date is ignored. */
function retryAfterOf({ header }: HttpAnswer): Millis {
  const seconds = Number(header('retry-after') ?? 0)
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_RETRY_AFTER) : 0
}
