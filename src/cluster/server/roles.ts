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

export class Roles {
  readonly #tokens: Tokens
  readonly #clock: Clock
  readonly #base: string
  /** Signs forms where there are no tokens. */
  readonly #key = freshId()

  /** `base`: of the pages, `` or `/crawl`. */
  constructor(tokens: Tokens, clock: Clock, base: string) {
    this.#tokens = tokens
    this.#clock = clock
    this.#base = base
  }

  get hasTokens(): boolean {
    return this.#tokens.viewer !== undefined || this.#tokens.operator !== undefined
  }

  /** Undefined: nobody who is known. */
  of(request: IncomingMessage): Role | undefined {
    if (!this.hasTokens) return isLocal(request) ? 'operator' : undefined
    const [, shown] = /^Bearer (\S{1,2000})$/.exec(request.headers.authorization ?? '') ?? []
    if (shown !== undefined) return this.#ofToken(shown)
    const cookies = (request.headers.cookie ?? '').split(/; */)
    const name = this.cookieName(request)
    const session = cookies.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)
    return session === undefined ? undefined : this.#ofSession(session)
  }

  /** Browsers send cookies to every port of a host: two dashboards there must not sign each other out. The port is the one that the browser sees. */
  cookieName({ headers }: IncomingMessage): string {
    const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? []
    const base = this.#base === '' ? [] : [hash('sha256', this.#base).slice(0, 8)]
    return ['orbweaver', ...(port === undefined ? [] : [port]), ...base].join('-')
  }

  /** A new session for who has this token. */
  signIn(token: string): { role: Role; session: string; seconds: number } | undefined {
    const role = this.#ofToken(token)
    if (role === undefined) return undefined
    const until = `${role}.${this.#clock.now() + SESSION}`
    return { role, session: `${until}.${this.#sign(role, until)}`, seconds: SESSION / 1000 }
  }

  /** In every form of an operator: another site can't know it. */
  csrf(role: Role): string {
    return role === 'operator' ? this.#sign(role, 'form') : ''
  }

  isForm(role: Role, csrf: string): boolean {
    return role === 'operator' && isSame(csrf, this.csrf(role))
  }

  #ofToken(shown: string): Role | undefined {
    const { operator, viewer } = this.#tokens
    if (operator !== undefined && isSame(shown, operator)) return 'operator'
    return viewer !== undefined && isSame(shown, viewer) ? 'viewer' : undefined
  }

  #ofSession(session: string): Role | undefined {
    const [, given, until, signature] = /^(viewer|operator)\.(\d{1,16})\.([0-9a-f]{64})$/.exec(session) ?? []
    const role = given as Role | undefined
    if (role === undefined || !isSame(signature, this.#sign(role, `${role}.${until}`))) return undefined
    return this.#clock.now() < Number(until) ? role : undefined
  }

  #sign(role: Role, text: string): string {
    return createHmac('sha256', this.#tokens[role] ?? this.#key)
      .update(text)
      .digest('hex')
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
