/** The door of the dashboard: who asks, what may be asked, forms and sign-in, and the headers of every answer. What a page shows is decided elsewhere (`Pages`). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock, Millis } from '../../base/clock.ts'
import { freshId } from '../../base/random.ts'
import { ratesBy } from './callers.ts'
import type { Role, Roles } from './roles.ts'

export interface PageAsked {
  /** Without the base: `/sites`. */
  path: string
  query: string
  role: Role
  /** Before every link: `` or `/crawl`. */
  base: string
  /** For the forms of operators; empty for viewers. */
  csrf: string
  /** By a token: without tokens there is nothing to sign out of. */
  isSignedIn: boolean
  /** An open page asks again: of the answer, only what is marked `data-live` is used. */
  isRenewal?: boolean
  /** The message of the action that was just performed. */
  message: PageMessage | undefined
}

export interface PageMessage {
  text: string
  isWrong: boolean
}

export interface WebAnswer {
  status: number
  type: string
  body: string | Uint8Array
  headers?: Record<string, string>
}

/** Given by composition: this module knows no page. */
export interface Pages {
  render(asked: PageAsked): Promise<WebAnswer>
  asset(path: string): WebAnswer | undefined
  /** For webmasters whose sites are visited: everyone may see it. */
  bot(): WebAnswer
  /** For Prometheus; undefined: the API answers that. */
  metrics?(accept: string): Promise<{ type: string; text: string }>
  /** For those who are not known; `back`: where they wanted to go. */
  signIn(base: string, back: string, message: PageMessage | undefined): WebAnswer
  /** Performs the action in the fields of a form. Never rejects. */
  perform(who: string, fields: URLSearchParams): Promise<PageMessage>
}

export interface DoorOptions {
  pages: Pages
  roles: Roles
  clock: Clock
  /** `` or `/crawl`; a proxy may strip it or leave it. */
  base: string
  isTls: boolean
  /** Other names of this server in a browser: that of its proxy. */
  publicUrl: string | undefined
  /** A request failed for a reason that its sender must not learn. */
  failed(error: unknown): void
}

/** The caller took the base path off the request's URL, once: a page may have the same name as the base. */
export type Door = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With no-referrer, browsers send forms with `Origin: null`; see isOwnPage.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

const MAX_FORM_BYTES = 256 * 1024
const FORM_WITHIN: Millis = 20_000
/** Tokens are too long to guess; this limit is against noise. */
const SIGN_INS = { aSecond: 0.2, burst: 10 }
const REQUESTS = { aSecond: 50, burst: 200 }
const MAX_MESSAGES = 200
const MIN_PACKED = 1000

const pack = promisify(gzip)

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function webDoor(options: DoorOptions): Door {
  const { roles, pages, clock, base } = options
  const signIns = ratesBy(clock, SIGN_INS)
  const requests = ratesBy(clock, REQUESTS)
  /** Messages for the next page, by a name that only its reader has. */
  const messages = new Map<string, PageMessage>()

  const post = async (path: string, request: IncomingMessage): Promise<WebAnswer> => {
    if (!isOwnPage(request, options.publicUrl))
      throw new Refused(403, 'This form was sent by another site, so nothing was done.')
    const fields = await formOf(request, clock)
    const back = ownPath(fields.get('back') ?? '/')
    if (path === '/login') {
      const signed = roles.signIn(fields.get('token') ?? '')
      // Only failures count: behind a proxy all have one address, and a stranger must not lock the operators out.
      if (signed === undefined && signIns(addressOf(request)) !== undefined)
        return { ...pages.signIn(base, back, wrong('Too many tries: wait a minute.')), status: 429 }
      if (signed === undefined)
        return {
          ...pages.signIn(base, back, wrong('No such token. It is set with --viewer-token or --operator-token.')),
          status: 403,
        }
      return seeOther(base + back, cookie(options, request, signed.session, signed.seconds))
    }
    if (path === '/logout') return seeOther(`${base}/login`, cookie(options, request, '', 0))
    const role = roles.of(request)
    if (path !== '/act') throw new Refused(404, 'There is no such page.')
    if (role !== 'operator') throw new Refused(403, 'Only operators may do that: sign in with the operator token.')
    if (!roles.isForm(role, fields.get('csrf') ?? ''))
      throw new Refused(403, 'This form is out of date: go back, load the page again and try once more.')
    const who = `operator${roles.hasTokens ? ` at ${addressOf(request)}` : ' on this machine'}`
    const id = freshId()
    messages.set(id, await pages.perform(who, fields))
    if (messages.size > MAX_MESSAGES) messages.delete(messages.keys().next().value!)
    return seeOther(`${base}${back}${back.includes('?') ? '&' : '?'}said=${id}`)
  }

  const get = async (path: string, query: URLSearchParams, request: IncomingMessage): Promise<WebAnswer> => {
    const asset = pages.asset(path)
    if (asset !== undefined) return asset
    if (path === '/bot') return pages.bot()
    if (path === '/login' && roles.hasTokens) return pages.signIn(base, ownPath(query.get('back') ?? '/'), undefined)
    // Without tokens, every page in a browser on this machine could have pages made, though it could not read them.
    const { 'sec-fetch-site': from, 'sec-fetch-dest': use } = request.headers
    if (from === 'cross-site' && use !== 'document')
      throw new Refused(403, 'Other sites may link to this page, but not load it.')
    const role = roles.of(request)
    if (role === undefined && !roles.hasTokens)
      throw new Refused(
        403,
        'Without --viewer-token or --operator-token the dashboard is shown only on its own machine, as http://localhost.',
      )
    if (role === undefined) {
      if (request.headers['x-live'] !== undefined || request.headers.authorization !== undefined || path === '/metrics')
        throw new Refused(401, 'Sign in, or send a token as Authorization: Bearer TOKEN.')
      const back = path === '/' ? '' : `?${new URLSearchParams({ back: query.size > 0 ? `${path}?${query}` : path })}`
      return seeOther(`${base}/login${back}`)
    }
    if (path === '/metrics' && pages.metrics !== undefined) {
      const { type, text } = await pages.metrics(request.headers.accept ?? '')
      return { status: 200, type, body: text }
    }
    const said = query.get('said') ?? ''
    query.delete('said')
    const message = messages.get(said)
    return pages.render({
      path,
      query: String(query),
      role,
      base,
      csrf: roles.csrf(role),
      isSignedIn: roles.hasTokens,
      isRenewal: request.headers['x-live'] !== undefined,
      message,
    })
  }

  return async (request, response) => {
    let answer: WebAnswer
    try {
      if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
        throw new Refused(405, 'Pages are asked for with GET.')
      const [path, query = ''] = (request.url ?? '/').split(/\?(.*)/s)
      // Strangers share a bucket per address, which may be a proxy's. Those who are known, and signing in, don't depend on it.
      const wait = path === '/login' ? undefined : requests(roles.of(request) ?? addressOf(request))
      if (wait !== undefined) throw new Refused(429, 'Too many requests: wait a second.')
      const { method } = request
      answer = method === 'POST' ? await post(path, request) : await get(path, new URLSearchParams(query), request)
    } catch (error) {
      if (!(error instanceof Refused)) options.failed(error)
      const status = error instanceof Refused ? error.status : 500
      const text = error instanceof Refused ? error.message : 'The page failed; the log of the server says why.'
      answer = { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers: { connection: 'close' } }
    }
    await send(request, response, answer)
  }
}

async function send(request: IncomingMessage, response: ServerResponse, answer: WebAnswer): Promise<void> {
  const headers: Record<string, string> = { ...HEADERS, 'content-type': answer.type, ...answer.headers }
  let body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (takesGzip && body.byteLength >= MIN_PACKED) {
    body = await pack(body)
    headers['content-encoding'] = 'gzip'
  }
  headers['content-length'] = String(body.byteLength)
  headers.vary = 'accept-encoding'
  if (response.destroyed) return
  response.writeHead(answer.status, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
}

const wrong = (text: string): PageMessage => ({ text, isWrong: true })

const seeOther = (location: string, headers: Record<string, string> = {}): WebAnswer => ({
  status: 303,
  type: 'text/plain; charset=utf-8',
  body: '',
  headers: { location, ...headers },
})

function cookie(options: DoorOptions, request: IncomingMessage, session: string, seconds: number) {
  const { roles, base } = options
  const parts = [`${roles.cookieName(request)}=${session}`, `Path=${base === '' ? '/' : base}`]
  const limits = [
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${seconds}`,
    ...(isSecure(request, options) ? ['Secure'] : []),
  ]
  return { 'set-cookie': [...parts, ...limits].join('; ') }
}

function isSecure(request: IncomingMessage, { isTls, publicUrl }: DoorOptions): boolean {
  return isTls || request.headers['x-forwarded-proto'] === 'https' || (publicUrl?.startsWith('https:') ?? false)
}

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? ''

/** Without the base, whether a proxy stripped it or not. */
export function belowBase(target: string, base: string): string {
  if (base === '' || !target.startsWith(base)) return target
  const rest = target.slice(base.length)
  return rest.startsWith('/') ? rest : rest === '' || rest.startsWith('?') ? `/${rest}` : target
}

/** A redirect never leads to another server. */
function ownPath(back: string): string {
  return /^\/(?![/\\])[\x21-\x7e]{0,4000}$/.test(back) ? back : '/'
}

/** Browsers send where a form was shown; older ones send at least its origin. Programs send neither. */
export function isOwnPage({ headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  const origin = headers.origin
  const own = [headers.host, publicUrl && new URL(publicUrl).host]
  const isOwn = origin === undefined || (URL.canParse(origin) && own.includes(new URL(origin).host))
  return site === undefined ? isOwn : site === 'same-origin'
}

async function formOf(request: IncomingMessage, clock: Clock): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refused(415, 'Forms are sent as application/x-www-form-urlencoded.')
  const cancel = clock.after(FORM_WITHIN, () => request.destroy())
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength
      if (bytes > MAX_FORM_BYTES) throw new Refused(413, 'The form is too large.')
      chunks.push(chunk)
    }
  } catch (error) {
    // A caller may hang up: that is no trouble of the server.
    throw error instanceof Refused ? error : new Refused(400, 'The form did not arrive in whole.')
  } finally {
    cancel()
  }
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
