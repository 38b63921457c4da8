/** An API error: a code for programs, a sentence for people, and what to do. */
import Type, { type Static } from 'typebox'

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
