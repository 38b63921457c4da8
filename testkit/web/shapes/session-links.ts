/** A shop or a forum of some dozen pages whose links carry session ids: for those who return no cookie, or for everybody. */
import type { Instant } from '../../../src/base/clock.ts'
import { drawText } from '../chance.ts'
import type { Shape, ShapePage, Visitor } from './shape.ts'
import { pick, readNumber, sheet, token } from './sheet.ts'

/** How a site writes its ids into a path that has none, and takes them out again. */
interface Writing {
  name: string
  stamp(path: string, id: string): string
  read: RegExp
  make(seed: number, number: number): string
}

const query = (name: string, id: string) => (path: string, value: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${name}=${value}${id}`
const hex32 = (seed: number, number: number) => token(seed, number, 32)
const LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz'

const parameter = (name: string, shape: string, make = hex32): Writing => ({
  name,
  stamp: query(name, ''),
  read: new RegExp(`[?&]${name}=(${shape})$`),
  make,
})

function guid(seed: number, number: number): string {
  return hex32(seed, number).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Before the query, at the end of the path. */
const beforeQuery = (path: string, text: string) => {
  const mark = path.indexOf('?')
  return mark < 0 ? path + text : path.slice(0, mark) + text + path.slice(mark)
}

const WRITINGS: readonly Writing[] = [
  parameter('PHPSESSID', '[0-9a-f]{32}'),
  {
    name: ';jsessionid',
    stamp: (path, id) => beforeQuery(path, `;jsessionid=${id}`),
    read: /;jsessionid=([0-9A-F]{32}\.node\d)/,
    make: (seed, number) => `${hex32(seed, number).toUpperCase()}.node${1 + (number % 3)}`,
  },
  parameter('sid', '[0-9a-f]{32}'),
  parameter('osCsid', '[0-9a-z]{26}', (seed, number) => token(seed, number, 26, LETTERS)),
  // Nothing but its shape tells it.
  parameter('v', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', guid),
  {
    name: 'CFID, CFTOKEN',
    stamp: (path, id) => query('CFID', '')(path, id.slice(0, 7)) + `&CFTOKEN=${id.slice(7)}`,
    read: /[?&]CFID=\d{7}&CFTOKEN=(\d{8})$/,
    make: (seed, number) => `1${token(seed, number, 14, '0123456789')}`,
  },
  // ASP.NET without cookies: a directory of its own.
  {
    name: '/(S(…))/',
    stamp: (path, id) => `/(S(${id}))${path}`,
    read: /^\/\(S\(([0-9a-z]{24})\)\)/,
    make: (seed, number) => token(seed, number, 24, LETTERS),
  },
  parameter('s', '[0-9a-f]{32}'),
]

/** How the site of that seed writes them. */
export const sessionForm = (seed: number): string => pick(seed, 1, WRITINGS).name

const ITEMS = 30
const GROUPS = 4
const QUARTER: Instant = 15 * 60_000

/** `always`: also to those who return the cookie. */
export function sessionLinks(always: boolean): Shape {
  return {
    entries: (seed) => [homeOf(seed)],
    page(asked, bound, seed, visitor): ShapePage | undefined {
      const writing = pick(seed, 1, WRITINGS)
      const id = writing.read.exec(asked)
      const bare = id === null ? asked : asked.replace(id[0], '')
      const home = homeOf(seed)
      const item = (number: number) => `${home}item.php?id=${number}`
      const group = (number: number) => `${home}list.php?group=${number}`
      const place = placeOf(bare, home)
      if (place === undefined) return undefined
      const knows = visitor.cookie?.includes('session=') === true
      const session = writing.make(seed, sessionNumber(seed, asked, bound, visitor))
      const stamped = (path: string) => (knows && !always ? path : writing.stamp(path, session))
      const page = sheet(seed, asked, place.title, (pen) => {
        pen.prose(bare, place.kind === 'item' ? 3 : 1)
        for (let number = 1; number <= GROUPS; number++) pen.link(stamped(group(number)))
        if (place.kind === 'home') return
        for (let number = 1; number <= ITEMS; number++) {
          const near = place.kind === 'list' ? number % GROUPS === place.number % GROUPS : number === place.number + 1
          if (near) pen.link(stamped(item(number)), pen.line(`name ${number}`, 3))
        }
        pen.link(stamped(home), 'Home')
      })
      const headers: ShapePage['headers'] = knows ? [] : [['Set-Cookie', `session=${session}; Path=/; HttpOnly`]]
      const common = { ...page, headers, varies: true as const }
      return id === null ? { ...common, sort: 'real' } : { ...common, shows: bare }
    },
  }
}

const homeOf = (seed: number) => pick(seed, 2, ['/forum/', '/shop/', '/katalog/', '/store/'])

function placeOf(bare: string, home: string) {
  if (bare === home) return { kind: 'home', number: 0, title: 'Welcome' } as const
  if (!bare.startsWith(home)) return undefined
  const match = /^(item|list)\.php\?(id|group)=(\d+)$/.exec(bare.slice(home.length))
  if (match === null || (match[1] === 'item') !== (match[2] === 'id')) return undefined
  const kind = match[1] as 'item' | 'list'
  const number = readNumber(match[3], kind === 'item' ? ITEMS : GROUPS)
  return number === undefined || number === 0 ? undefined : ({ kind, number, title: `${kind} ${number}` } as const)
}

/** Half of the sites begin a session with every page that is asked for, half every quarter of an hour. */
function sessionNumber(seed: number, asked: string, bound: number, { at = 0 }: Visitor): number {
  const max = Math.max(1, Math.min(bound, 2 ** 32))
  return (seed & 1) === 0 ? drawText(seed, asked) % max : Math.floor(at / QUARTER) % max
}

export const sessionIdsWithoutCookie = sessionLinks(false)
export const sessionIdsAlways = sessionLinks(true)
