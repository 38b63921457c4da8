/**
 * Applies the rules of `rules.ts` in an order that makes the result idempotent for every set of rules, n(n(u)) = n(u):
 * first the lossless escapes, then text (nested escapes, entities), then the path, then the query. No step makes work
 * for an earlier one. Nothing ever gets longer. A property test checks all of this.
 */
import {
  collapseEntities,
  decodeUnreserved,
  isEntity,
  unnestEscapes,
  upperHex,
  withoutLeadingEntities,
} from './escapes.ts'
import { RULES, type RuleName } from './rules.ts'
import { hasSessionShape, isCookielessSession, isSessionId, withoutEscapedSession } from './session-ids.ts'

/** Path and query in, path and query out. */
export interface Normaliser {
  /** The lossless rules: both spellings are the same URL by the standards. */
  exact(path: string): string
  /** All other rules, applied to the result of `exact`. If they change anything, two pages may have become one. */
  loose(path: string): string
  /** The result of both for a text whose path has no letter of `OF_CONCERN`. Its last name begins at `nameAt`. */
  plain(text: string, nameAt: number): string
}

const LOWER_HEX = /%(?:[a-f][0-9a-fA-F]|[0-9A-F][a-f])/
const ESCAPED_UNRESERVED = /%(?:2[dDeE]|3\d|[46][1-9a-fA-F]|[57][\daA]|5[fF]|7[eE])/
/** Most links have none of these letters, and then only the index-file rules apply. */
export const OF_CONCERN = '%;?&('
const ANY_OF_CONCERN = new RegExp(`[${OF_CONCERN}]`)

export function normaliser(names: readonly RuleName[]): Normaliser {
  const on: ReadonlySet<RuleName> = new Set(names)
  const upper = on.has('hex-case')
  const unreserved = on.has('unreserved')
  const nested = on.has('nested-escapes')
  const entities = on.has('entities')
  const files = on.has('index-files')
  const scripts = on.has('index-scripts')
  const ofPath = pathRules(on)
  const ofQuery = queryRules(on)
  const anyLoose = RULES.some(({ name, lossy }) => lossy && on.has(name))
  return {
    exact(path) {
      if (!path.includes('%')) return path
      const cased = upper && LOWER_HEX.test(path) ? upperHex(path) : path
      return unreserved && ESCAPED_UNRESERVED.test(cased) ? decodeUnreserved(cased) : cased
    },
    loose(given) {
      if (!anyLoose || (!isOfConcern(given) && !endsInIndex(given, files, scripts))) return given
      let text = nested ? unnestEscapes(given) : given
      if (entities) text = collapseEntities(text)
      const question = text.indexOf('?')
      if (question < 0) return ofPath(text)
      const path = ofPath(text.slice(0, question))
      const query = ofQuery(text.slice(question + 1), path)
      return query === undefined ? path : `${path}?${query}`
    },
    plain: (text, nameAt) => (isIndex(text, nameAt, files, scripts) ? text.slice(0, nameAt) : text),
  }
}

export function isOfConcern(path: string): boolean {
  return ANY_OF_CONCERN.test(path)
}

const spelling = normaliser(['hex-case', 'unreserved'])

/** Path and query with every escape in its one spelling, whatever the rules of the crawl. */
export function exactSpelling(path: string): string {
  return spelling.exact(path)
}

/** The rules about paths: session ids in them, and names of files that stand for their folder. */

const INDEX_FILE = /^(?:index\.(?:html?|shtml)|default\.html?)$/i
const INDEX_SCRIPT = /^(?:index|default)\.(?:aspx?|jsp|cfm|php)$/i
const LONGEST_INDEX = 'default.html'.length
/** Segments that the URL parser would take for `.` or `..`. */
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

/**
 * The rules about parameters, in one pass over the query. Each parameter is kept or dropped by itself (except `cfid`,
 * which goes with its `cftoken`, and the last ones dropped by shape, which stay), so a second pass finds nothing more
 * to drop.
 */

const TOKEN = /(?:^|[&;])cftoken(?:[=&;]|$)/i
const LISTING_PIECE = '(?:[NMSD]=[AD]|C=[NMSD]|O=[AD]|F=[012]|V=[01])'
/** Apache's mod_autoindex, old and new; the first lookahead requires a column. */
const LISTING = new RegExp(
  `^(?=(?:.*[;&])?(?:[NMSD]=[AD]|C=[NMSD])(?:[;&]|$))${LISTING_PIECE}(?:[;&]${LISTING_PIECE})*$`,
)
const LONGEST_LISTING = 60

/** Takes and returns the text behind the `?`; undefined when not even the `?` is left. */
type QueryRules = (query: string, path: string) => string | undefined

function queryRules(on: ReadonlySet<RuleName>): QueryRules {
  const sessions = on.has('session-ids')
  const shapes = on.has('session-shape')
  const tracking = on.has('tracking')
  const empty = on.has('empty-parameters')
  const sorted = on.has('params-sorted')
  const repeated = on.has('repeated-parameters')
  const listing = on.has('listing-order')
  const entities = on.has('entities')
  const dropsAny = sessions || tracking

  const isDropped = (piece: string, besideToken: boolean): boolean => {
    const equals = piece.indexOf('=')
    const name = (equals < 0 ? piece : piece.slice(0, equals)).toLowerCase()
    if (tracking && isTracking(name)) return true
    return sessions && isSessionId(name, equals < 0 ? '' : piece.slice(equals + 1), besideToken)
  }
  const isDrawn = (piece: string): boolean => {
    const equals = piece.indexOf('=')
    return equals >= 0 && hasSessionShape(piece.slice(0, equals).toLowerCase(), piece.slice(equals + 1))
  }
  /** Some sites separate parameters by `;`, and some append path parameters to the query. */
  const without = (parameter: string, drops: (piece: string) => boolean): string | undefined => {
    if (!parameter.includes(';')) return drops(parameter) ? undefined : parameter
    const pieces = parameter.split(';')
    const kept: string[] = []
    pieces.forEach((given, i) => {
      const leads = entities && i > 0 && kept.length === 0
      const piece = leads ? withoutLeadingEntities(given) : given
      const isRest = leads && i < pieces.length - 1 && isEntity(piece)
      if (!isRest && !drops(piece)) kept.push(piece)
    })
    if (kept.length === pieces.length) return parameter
    return kept.length === 0 ? undefined : kept.join(';')
  }

  return (given, path) => {
    const query = sessions ? withoutEscapedSession(given) : given
    const besideToken = sessions && TOKEN.test(query)
    let parameters = query.split('&')
    if (dropsAny || empty) {
      const kept: string[] = []
      for (const parameter of parameters) {
        const left = dropsAny ? without(parameter, (piece) => isDropped(piece, besideToken)) : parameter
        if (left !== undefined && !(empty && isEmpty(left))) kept.push(left)
      }
      parameters = kept
    }
    // A random value may be the only name of a page: it is dropped only if another parameter is left.
    if (shapes && parameters.length > 1) {
      const named = parameters.flatMap((parameter) => without(parameter, isDrawn) ?? [])
      const full = named.filter((parameter) => !isEmpty(parameter))
      // `x=ID;` must leave nothing that another pass would drop.
      if (full.length > 0) parameters = empty ? full : named
    }
    if (sorted && !inOrder(parameters)) parameters = byName(parameters)
    if (repeated) parameters = parameters.filter((parameter, i) => i === 0 || parameter !== parameters[i - 1])
    if (parameters.length === 0) return undefined
    const left = parameters.join('&')
    return listing && path.endsWith('/') && left.length <= LONGEST_LISTING && LISTING.test(left) ? undefined : left
  }
}

/** `?&&?`: empty question marks. */
function isEmpty(parameter: string): boolean {
  return parameter === '' || (parameter.charCodeAt(0) === 0x3f && /^\?+$/.test(parameter))
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=')
  return equals < 0 ? parameter : parameter.slice(0, equals)
}

function inOrder(parameters: readonly string[]): boolean {
  for (let i = 1; i < parameters.length; i++) if (nameOf(parameters[i - 1]) > nameOf(parameters[i])) return false
  return true
}

/** Stable: in `a=2&a=1` the last one may count. */
function byName(parameters: readonly string[]): string[] {
  return parameters
    .map((text) => ({ text, name: nameOf(text) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ text }) => text)
}

/** Parameters by which campaigns, mailings and networks count visitors. They never change the page. */

const NAMES = new Set(
  (
    'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh mc_cid mc_eid _ga _gl ' +
    '_gac _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv oly_anon_id oly_enc_id rb_clickid ' +
    's_cid s_kwcid ef_id wickedid epik ref_src ref_url _openstat ncid sc_campaign sc_channel sc_content sc_medium sc_outcome ' +
    'sc_geo sc_country xtor at_campaign at_medium at_custom1 guccounter guce_referrer guce_referrer_sig zanpid irclickid ' +
    'pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid srsltid mkwid pcrid cvosrc wt.mc_id trk_contact trk_msg trk_module trk_sid'
  ).split(' '),
)
const BEGINNINGS = ['utm_', 'piwik_', 'mtm_', 'matomo_', 'hsa_', '_branch_']

/** `name` in lower case. */
function isTracking(name: string): boolean {
  return NAMES.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning))
}
