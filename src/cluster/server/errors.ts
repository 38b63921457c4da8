/** Maps thrown errors to API errors. */
import { isDiskFull, Problem } from '../../base/errors.ts'
import { ApiError } from '../wire/api-error.ts'

const SECONDS_FOR_DATABASE = 2
const SECONDS_FOR_DISK = 30

export const unauthorized = (message: string) =>
  new ApiError(
    'unauthorized',
    message,
    'send `Authorization: Bearer ID.SECRET` as registration gave them; a worker that lost them registers anew',
  )

export const noDisk = (message: string) =>
  new ApiError('disk-full', message, 'the operator of the server must make room; send it again later', SECONDS_FOR_DISK)

export const noDatabase = (message: string) =>
  new ApiError(
    'database-unreachable',
    message,
    'keep what you have and send it again; another server may answer',
    SECONDS_FOR_DATABASE,
  )

/** Errors of HTTP itself: too long, not JSON, another media type, no such path. */
const OF_HTTP: Record<number, [code: 'not-found' | 'too-big' | 'other-type', hint: string]> = {
  404: ['not-found', 'the calls are listed in /api/openapi.json'],
  405: ['not-found', 'the calls are listed in /api/openapi.json'],
  413: ['too-big', 'send less at once'],
  414: ['too-big', 'send less at once'],
  415: ['other-type', 'the media types are listed in /api/openapi.json'],
}

/** `bug` for unexpected errors. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (isDiskFull(error) || (error instanceof Problem && error.code === 'disk-full')) return noDisk(message)
  if (error instanceof Problem && error.code === 'database-unreachable') return noDatabase(message)
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const [code, hint] = OF_HTTP[status] ?? ['bad-request', 'the calls are listed in /api/openapi.json']
    return new ApiError(code, message, hint)
  }
  return new ApiError('bug', 'unexpected error in the server', "see the server's log")
}
