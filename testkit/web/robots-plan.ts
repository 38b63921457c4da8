/**
 * robots.txt of many kinds. Each is defined as groups of rules, from which both its text and the right answer ("may this
 * path be asked?") follow; the text is never parsed here, so that a parser's mistake can't hide in its own oracle.
 */
import type { Millis } from '../../src/base/clock.ts'

export type RobotsKind =
  | 'missing' // 404
  | 'forbidden' // 403: no restriction either
  | 'empty'
  | 'allow-all'
  | 'some' // some directories, for all
  | 'token' // everybody out, but a milder group for our token
  | 'token-free' // everybody out, but our token may do all
  | 'everything' // everybody out
  | 'patterns' // wildcards, ends, ties, letters outside ASCII
  | 'delay' // Crawl-delay
  | 'crlf'
  | 'cr'
  | 'bom'
  | 'html' // a web page in its place: nothing is forbidden
  | 'large' // 600 KB; all rules that count within the first 500 KiB
  | 'moved' // 301 to another path of the site
  | 'unavailable' // 503: the site is never to be crawled
  | 'busy' // 429: the same
  | 'timeout' // never answers: the same

interface Rule {
  allow: boolean
  path: string
}

interface Group {
  agents: readonly string[]
  rules: readonly Rule[]
  delaySeconds?: number
}

export interface RobotsDefinition {
  kind: RobotsKind
  /** rules: `groups` count; free: nothing is forbidden; closed: nothing may be asked. */
  state: 'rules' | 'free' | 'closed'
  status: number
  contentType: string
  groups: readonly Group[]
  /** Where robots.txt sends its readers, and lies. */
  movedTo?: string
  text: string
}

/** The token that the synthetic robots files name. */
export const ROBOTS_TOKEN = 'orbweaver'

const deny = (...paths: string[]): Rule[] => paths.map((path) => ({ allow: false, path }))
const allow = (...paths: string[]): Rule[] => paths.map((path) => ({ allow: true, path }))

const SOME: readonly Group[] = [
  { agents: ['otherbot'], rules: deny('/') },
  { agents: ['*'], rules: [...deny('/private', '/tmp'), ...allow('/private1')] },
]

const PATTERNS: readonly Group[] = [
  {
    agents: ['*'],
    rules: [
      ...deny('/*.HTM$', '/*/show.php?*lang=', '/tmp*/p1', '/página', '/d4/p', '/private'),
      ...allow('/*/show.php?id=1', '/d4/p', '/private*.html'),
    ],
  },
]

export function defineRobots(kind: RobotsKind, delaySeconds: number): RobotsDefinition {
  const file = (groups: readonly Group[], end = '\n', before = ''): RobotsDefinition => ({
    kind,
    state: 'rules',
    status: 200,
    contentType: 'text/plain',
    groups,
    text: before + textOf(groups, end),
  })
  const other = (state: 'free' | 'closed', status: number, text = ''): RobotsDefinition => ({
    kind,
    state,
    status,
    contentType: 'text/html',
    groups: [],
    text,
  })
  switch (kind) {
    case 'missing':
      return other('free', 404, '<html><body>No such file</body></html>')
    case 'forbidden':
      return other('free', 403, '<html><body>Forbidden</body></html>')
    case 'html':
      return other(
        'free',
        200,
        '<!DOCTYPE html><html><head><title>Welcome</title></head><body>Not a robots file</body></html>',
      )
    case 'empty':
      return file([])
    case 'allow-all':
      return file([{ agents: ['*'], rules: deny('') }])
    case 'some':
      return file(SOME)
    case 'token':
      return file([
        { agents: ['*'], rules: deny('/') },
        { agents: ['somebot', 'Orbweaver'], rules: deny('/private') },
      ])
    case 'token-free':
      return file([
        { agents: [ROBOTS_TOKEN], rules: deny('') },
        { agents: ['*'], rules: deny('/') },
      ])
    case 'everything':
      return file([{ agents: ['*'], rules: deny('/') }])
    case 'patterns':
      return file(PATTERNS)
    case 'delay':
      return file([{ agents: ['*'], rules: deny('/tmp'), delaySeconds }])
    case 'crlf':
      return file(SOME, '\r\n')
    case 'cr':
      return file(SOME, '\r')
    case 'bom':
      return file(SOME, '\n', '\ufeff')
    case 'large':
      return { ...file([{ agents: ['*'], rules: [...deny('/private'), ...deny('/tmp')] }]), text: largeText() }
    case 'moved':
      return { ...file(SOME), movedTo: '/files/robots-elsewhere.txt' }
    case 'unavailable':
      return other('closed', 503, 'down')
    case 'busy':
      return other('closed', 429, 'slow down')
    case 'timeout':
      return other('closed', 0)
  }
}

function textOf(groups: readonly Group[], end: string): string {
  const lines = ['# synthetic', '']
  for (const group of groups) {
    for (const agent of group.agents) lines.push(`User-agent: ${agent}`)
    for (const rule of group.rules) lines.push(`${rule.allow ? 'Allow' : 'Disallow'}: ${rule.path}  # why`)
    if (group.delaySeconds !== undefined) lines.push(`crawl-delay: ${group.delaySeconds}`)
    lines.push('')
  }
  return lines.join(end) + 'Sitemap: /sitemap.xml' + end
}

let large: string | undefined

/** The first rule at the top, the second after 400 KB, nothing but noise beyond. */
function largeText(): string {
  const noise = (count: number) => 'Disallow: /nothing-is-here/under/this/name\n'.repeat(count)
  large ??= `User-agent: *\nDisallow: /private\n${noise(9500)}Disallow: /tmp\n${noise(4500)}`
  return large
}

/** May a crawler with this token ask for the path (with its query)? Longest rule wins, Allow wins ties. */
export function permits(robots: RobotsDefinition, token: string, path: string): boolean {
  if (path === '/robots.txt') return true
  if (robots.state !== 'rules') return robots.state === 'free'
  const ours = robots.groups.filter((group) =>
    group.agents.some((agent) => agent.toLowerCase() === token.toLowerCase()),
  )
  const groups = ours.length > 0 ? ours : robots.groups.filter((group) => group.agents.includes('*'))
  let longest = -1
  let finding = true
  for (const { rules } of groups) {
    for (const rule of rules) {
      const pattern = encodeURI(rule.path)
      if (rule.path === '' || pattern.length < longest || !matches(pattern, path)) continue
      if (pattern.length > longest) finding = rule.allow
      else finding ||= rule.allow
      longest = pattern.length
    }
  }
  return finding
}

/** The pause that robots.txt asks of this token; 0: none. */
export function crawlDelay(robots: RobotsDefinition, token: string): Millis {
  const named = (agent: string) => agent.toLowerCase() === token.toLowerCase()
  const group =
    robots.groups.find(({ agents }) => agents.some(named)) ?? robots.groups.find(({ agents }) => agents.includes('*'))
  return (group?.delaySeconds ?? 0) * 1000
}

const compiled = new Map<string, RegExp>()

/** A handful of patterns, all written in this file: compiled once each. */
function matches(pattern: string, path: string): boolean {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    const anchored = pattern.endsWith('$')
    const body = (anchored ? pattern.slice(0, -1) : pattern)
      .split('*')
      .map((piece) => piece.replace(/[.?+^$()[\]{}|\\]/g, '\\$&'))
      .join('.*')
    compiled.set(pattern, (expression = new RegExp(`^${body}${anchored ? '$' : ''}`, 's')))
  }
  return expression.test(path)
}
