/** The rules about paths: session ids in them, and names of files that stand for their folder. */
import type { RuleName } from './rules.ts'
import { isCookielessSession, isSessionId, withoutEscapedSession } from './sessions.ts'

const INDEX_FILE = /^(?:index\.(?:html?|shtml)|default\.html?)$/i
const INDEX_SCRIPT = /^(?:index|default)\.(?:aspx?|jsp|cfm|php)$/i
const LONGEST_INDEX = 'default.html'.length
/** What the URL parser would take for a step in the folders. */
const DOTS = /^(?:\.|%2e){1,2}$/i
const SMALL_D = 0x64
const SMALL_I = 0x69

export function pathRules(on: ReadonlySet<RuleName>): (path: string) => string {
  const sessions = on.has('session-paths')
  const files = on.has('index-files')
  const scripts = on.has('index-scripts')
  return (path) => {
    const bare = sessions && mayHoldSession(path) ? withoutSessions(path) : path
    return (files || scripts) && endsInIndex(bare, files, scripts) ? bare.slice(0, bare.lastIndexOf('/') + 1) : bare
  }
}

function mayHoldSession(path: string): boolean {
  return path.includes(';') || path.includes('/(') || path.includes('%')
}

function withoutSessions(path: string): string {
  const segments = path.split('/').map(withoutParameters)
  const last = segments.length - 1
  // The last segment is the page's own name, whatever it looks like.
  return segments.filter((segment, i) => i === last || !isCookielessSession(segment)).join('/')
}

function withoutParameters(segment: string): string {
  if (!segment.includes(';') && !segment.includes('%')) return segment
  const [name, ...parameters] = withoutEscapedSession(segment).split(';')
  const kept = parameters.filter((parameter) => !isSession(parameter, parameters))
  const bare = [name, ...kept].join(';')
  return DOTS.test(bare) ? segment : bare
}

function isSession(parameter: string, all: readonly string[]): boolean {
  const equals = parameter.indexOf('=')
  const name = (equals < 0 ? parameter : parameter.slice(0, equals)).toLowerCase()
  const value = equals < 0 ? '' : parameter.slice(equals + 1)
  return isSessionId(name, value, name === 'cfid' && all.some((other) => /^cftoken(?:=|$)/i.test(other)))
}

export function endsInIndex(path: string, files: boolean, scripts: boolean): boolean {
  return isIndex(path, path.lastIndexOf('/') + 1, files, scripts)
}

/** From `at` on. Most last segments begin with another letter, or are longer. */
export function isIndex(path: string, at: number, files: boolean, scripts: boolean): boolean {
  const length = path.length - at
  if (length === 0 || length > LONGEST_INDEX) return false
  const first = path.charCodeAt(at) | 0x20
  if (first !== SMALL_I && first !== SMALL_D) return false
  const name = path.slice(at)
  return (files && INDEX_FILE.test(name)) || (scripts && INDEX_SCRIPT.test(name))
}
