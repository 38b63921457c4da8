/**
 * The rules about parameters, in one pass over the query. Each parameter is kept or dropped for what it is itself (but
 * for `cfid`, which goes with its `cftoken`, and for the last ones by shape, which stay), so that a second pass finds nothing
 * more to drop.
 */
import { isEntity, withoutLeadingEntities } from './escapes.ts'
import type { RuleName } from './rules.ts'
import { hasSessionShape, isSessionId, withoutEscapedSession } from './sessions.ts'

const TOKEN = /(?:^|[&;])cftoken(?:[=&;]|$)/i
const LISTING_PIECE = '(?:[NMSD]=[AD]|C=[NMSD]|O=[AD]|F=[012]|V=[01])'
/** mod_autoindex of Apache, then and now; the first lookahead demands a column. */
const LISTING = new RegExp(
  `^(?=(?:.*[;&])?(?:[NMSD]=[AD]|C=[NMSD])(?:[;&]|$))${LISTING_PIECE}(?:[;&]${LISTING_PIECE})*$`,
)
const LONGEST_LISTING = 60

/** From and to the text behind the `?`; undefined when nothing is left, not even the `?`. */
export type QueryRules = (query: string, path: string) => string | undefined

export function queryRules(on: ReadonlySet<RuleName>): QueryRules {
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
  /** Some sites part parameters by `;`, and some hang a path's parameters behind the query. */
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
    // What is drawn by chance may be the only name that a page has: it goes when another parameter is left.
    if (shapes && parameters.length > 1) {
      const named = parameters.flatMap((parameter) => without(parameter, isDrawn) ?? [])
      const full = named.filter((parameter) => !isEmpty(parameter))
      // `x=ID;` leaves nothing behind that another pass would have to drop.
      if (full.length > 0) parameters = empty ? full : named
    }
    if (sorted && !inOrder(parameters)) parameters = byName(parameters)
    if (repeated) parameters = parameters.filter((parameter, i) => i === 0 || parameter !== parameters[i - 1])
    if (parameters.length === 0) return undefined
    const left = parameters.join('&')
    return listing && path.endsWith('/') && left.length <= LONGEST_LISTING && LISTING.test(left) ? undefined : left
  }
}

/** `?&&?`: question marks that ask nothing. */
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

/** Stable: `a=2&a=1` may mean that the last one counts. */
function byName(parameters: readonly string[]): string[] {
  return parameters
    .map((text) => ({ text, name: nameOf(text) }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ text }) => text)
}

/** Parameters by which campaigns, mailings and networks count who comes from where. No page is another for them. */

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
