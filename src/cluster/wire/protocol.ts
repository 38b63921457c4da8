/** What both ends of the API agree on: version, headers, limits. */

import Type, { type Static } from 'typebox'
import type { Millis } from '../../base/clock.ts'

/**
 * Raised when an older worker could do harm or not be understood. 3: workers ask for `orders`. An older one would go on at a
 * site that an operator barred; an older server would not answer.
 */
export const PROTOCOL = 4
export const API = '/api/v1'

/** In every worker request: its protocol. */
export const PROTOCOL_HEADER = 'x-orbweaver-protocol'
/** In every answer: the server's time in milliseconds since 1970, when the answer begins. */
export const TIME_HEADER = 'x-orbweaver-time'
/** Media type of report parts. */
export const PARTS_TYPE = 'application/vnd.orbweaver.parts'

/** Maximum wait for a free site. */
export const LONGEST_POLL: Millis = 30_000
/** Sites per check-out. */
export const MAX_VISITS = 256
/** Visits per renewal: a thread has half as many at most. */
export const MAX_RENEWED = 20_000
/** Parts per check-in, and their bytes, compressed and uncompressed. */
export const MAX_PARTS = 4096
export const MAX_PART_BYTES = 64 * 2 ** 20
export const MAX_SENT_BYTES = 32 * 2 ** 20
/** Digests per lookup of stored copies. */
export const MAX_DIGESTS = 500
/** Bytes per piece of a volume. */
export const MAX_VOLUME_PIECE = 16 * 2 ** 20
/** Body size of ordinary calls. */
export const MAX_BODY_BYTES = 2 ** 20
/** Size of the plan: seeds, settings and block lists. */
export const MAX_PLAN_BYTES = 64 * 2 ** 20
/** Size of an answer: 32 sites with all that is known about them. */
export const MAX_ANSWER_BYTES = 128 * 2 ** 20

/** Code → status. A worker retries only after 429 and 5xx. */
export const API_ERRORS = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'other-protocol': 409,
  conflict: 409,
  'too-big': 413,
  'other-type': 415,
  'too-many': 429,
  bug: 500,
  ending: 503,
  'database-unreachable': 503,
  'disk-full': 503,
} as const

export type ApiErrorCode = keyof typeof API_ERRORS

export const ErrorBody = Type.Object({
  code: Type.String({ maxLength: 100 }),
  message: Type.String({ maxLength: 10_000 }),
  hint: Type.String({ maxLength: 10_000 }),
})
export type ErrorBody = Static<typeof ErrorBody>

/** A code for programs, a sentence for people, and what to do. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly hint: string
  /** When to retry. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ApiErrorCode, message: string, hint: string, retryAfterSeconds?: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.hint = hint
    this.retryAfterSeconds = retryAfterSeconds
  }

  get status(): number {
    return API_ERRORS[this.code]
  }

  get body(): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint }
  }
}
