/**
 * Who may look and who may act. With tokens, everyone shows one: as `Authorization: Bearer TOKEN`, or by signing in, which gives a cookie. Without tokens only those
 * on this machine may, as operators. A session is signed with the token that it was opened with, so that nobody can make one of a role without its token. Sessions hold
 * over restarts and on all servers, and end when the token is changed.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import type { Clock, Millis } from '../../base/clock.ts'
import { freshId } from '../../base/random.ts'

export type Role = 'viewer' | 'operator'

export interface Tokens {
  viewer: string | undefined
  operator: string | undefined
}

const SESSION: Millis = 7 * 86_400_000

export type Roles = ReturnType<typeof rolesBy>

/** `base`: of the pages, `` or `/crawl`. */
export function rolesBy(tokens: Tokens, clock: Clock, base: string) {
  const hasTokens = tokens.viewer !== undefined || tokens.operator !== undefined
  /** Signs forms where there are no tokens. */
  const key = freshId()
  const sign = (role: Role, text: string) =>
    createHmac('sha256', tokens[role] ?? key)
      .update(text)
      .digest('hex')
  const ofToken = (shown: string): Role | undefined => {
    const { operator, viewer } = tokens
    if (operator !== undefined && isSame(shown, operator)) return 'operator'
    return viewer !== undefined && isSame(shown, viewer) ? 'viewer' : undefined
  }
  const ofSession = (session: string): Role | undefined => {
    const [, given, until, signature] = /^(viewer|operator)\.(\d{1,16})\.([0-9a-f]{64})$/.exec(session) ?? []
    const role = given as Role | undefined
    if (role === undefined || !isSame(signature, sign(role, `${role}.${until}`))) return undefined
    return clock.now() < Number(until) ? role : undefined
  }
  /** Browsers send cookies to every port of a host: two dashboards there must not sign each other out. The port is the one that the browser sees. */
  const cookieName = ({ headers }: IncomingMessage): string => {
    const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? []
    const ofBase = base === '' ? [] : [hash('sha256', base).slice(0, 8)]
    return ['orbweaver', ...(port === undefined ? [] : [port]), ...ofBase].join('-')
  }
  /** In every form of an operator: another site can't know it. */
  const csrf = (role: Role): string => (role === 'operator' ? sign(role, 'form') : '')
  return {
    hasTokens,
    cookieName,
    csrf,
    /** Undefined: an unknown caller. */
    of(request: IncomingMessage): Role | undefined {
      if (!hasTokens) return isLocal(request) ? 'operator' : undefined
      const [, shown] = /^Bearer (\S{1,2000})$/.exec(request.headers.authorization ?? '') ?? []
      if (shown !== undefined) return ofToken(shown)
      const cookies = (request.headers.cookie ?? '').split(/; */)
      const name = cookieName(request)
      const session = cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
      return session === undefined ? undefined : ofSession(session)
    },
    /** A new session for who has this token. */
    signIn(token: string) {
      const role = ofToken(token)
      if (role === undefined) return undefined
      const until = `${role}.${clock.now() + SESSION}`
      return { role, session: `${until}.${sign(role, until)}`, seconds: SESSION / 1000 }
    },
    isForm: (role: Role, shown: string) => role === 'operator' && isSame(shown, csrf(role)),
  }
}

/** Compared as hashes, so that neither time nor length tells anything. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}

/** What proxies say; some say only one of these. */
const FROM_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** Asked from this machine, by a name that only this machine has: a page of a stranger whose name leads here is refused. */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (FROM_PROXIES.some((name) => headers[name] !== undefined)) return false
  if (!/^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')) return false
  const host = (headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host) || host === hostname().toLowerCase()
}
