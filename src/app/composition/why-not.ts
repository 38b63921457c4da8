/**
 * Why a URL that nobody queued is not wanted: the rules of the crawl asked again, in the order in which a visit asks them.
 * For `explain`: a link that was refused leaves no row behind, but the rules that refused it can always be asked.
 */

import type { LinkKind } from '../../contracts/adjacency.ts'
import type { SiteMemory } from '../../contracts/site-memory.ts'
import { formRefusal, uselessForm } from '../../crawl/form-actions.ts'
import { admitUrl } from '../../crawl/hazards/detect.ts'
import type { Blacklist } from '../../crawl/scope/blacklist.ts'
import { normalPath, type WebUrl } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { trustOf } from '../config/trust.ts'
import { scopeFor } from './scope-for.ts'
import { hazardLimits } from './worker-tools.ts'

export interface WhyNot {
  by: 'scope' | 'unwanted' | 'links' | 'hazard' | 'embedded' | 'form' | 'nofollow' | 'unrecorded'
  rule: string
  evidence?: string
}

export interface WhyNotAsk {
  url: WebUrl
  /** Of the page that links to it, plus one. */
  depth: number
  /** Some page that links to it is of its own site. */
  linkedAtHome: boolean
  /** Pages link to it, and none of them had it queued. */
  passedOver: boolean
  /** How pages refer to it: of several ways, the nearest to a link. Undefined: an older version did not record it. */
  kind: LinkKind | undefined
  settings: Settings
  seeds: readonly WebUrl[]
  /** Where names to try may turn out to live. */
  alternates?: readonly WebUrl[]
  blacklist: Blacklist
  /** What visits know of its site; undefined when there was none. */
  memory: SiteMemory | undefined
}

/** Undefined: nothing is against it. */
export function whyNot(ask: WhyNotAsk): WhyNot | undefined {
  const { url, depth, settings, memory } = ask
  const scope = scopeFor(settings, ask.seeds, () => ask.blacklist, ask.alternates)()
  const kind = scope.unwantedKind(url)
  if (kind !== undefined) return { by: 'unwanted', rule: `its name says ${kind}, which --media-types does not name` }
  const finding = scope.judge(url, depth)
  if (!finding.yes) return { by: 'scope', rule: finding.rule }
  if (memory !== undefined) {
    const trusts = trustOf(settings.trust)
    const options = { ...hazardLimits(settings), trusted: (rule: string) => trusts(url.site, rule) }
    // It was not queued, so nobody lists it.
    const { refused } = admitUrl(memory, { path: normalPath(url), depth, generation: 1 }, options)
    if (refused !== undefined) {
      const suspect = memory.traps?.suspects.find(({ pattern }) => pattern === refused.pattern)
      const where = refused.pattern === '' ? '' : ` in ${refused.pattern}`
      return { by: 'hazard', rule: refused.rule + where, evidence: suspect?.evidence }
    }
  }
  if (ask.kind === 'embed')
    return {
      by: 'embedded',
      rule: 'pages only show it as a part of themselves (a style, a script, a picture), and such parts are not collected',
    }
  const { admit } = scope.crossSite(url)
  if (!ask.linkedAtHome && !admit.some(({ key }) => key === url.key)) {
    return { by: 'links', rule: `--links ${settings.links}: links from other sites enter at the home page` }
  }
  if (!ask.passedOver) return undefined
  const isTrapped =
    memory !== undefined &&
    (memory.stopped !== undefined || memory.traps?.suspects?.some(({ stopped }) => stopped) === true)
  const trap = isTrapped ? ', or a trap was found there' : ''
  const useless = ask.kind === 'form' && memory !== undefined ? uselessForm(url, memory) : undefined
  if (useless !== undefined) return { by: 'form', rule: formRefusal(useless) }
  if (ask.kind === undefined)
    return {
      by: 'unrecorded',
      rule: `either the links to it, or the pages they are on, say nofollow${trap}, or pages only embed it; which of these is not known, since an older version collected the pages`,
    }
  return { by: 'nofollow', rule: `the links to it, or the pages they are on, say nofollow${trap}` }
}
