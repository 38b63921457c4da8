/** Who speaks for a site, and whether that is enough: the rule of `../domains.ts`. */
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { domainOf } from '../domains.ts'
import type { Sheaf } from './sheaf.ts'
import { readStrangers, type StrangerRow } from './stranger-rows.ts'

/** Sites by what they say of one. */
export interface Heard {
  vouched: boolean
  /** The one that counts, as long as it is only one. */
  speaker: bigint | null
}

export type Vias = readonly Pick<Link, 'via'>[]

/** A locked site, and the links into it. */
export interface Target {
  readonly key: bigint
  readonly name: SiteName
  readonly members: Vias
}

/**
 * Reads what `vouch` and `enrol` ask for: in one round trip when nobody is new or a stranger, else in two or three.
 * `named`: by the operator.
 */
export async function prepareToHear(sheaf: Sheaf, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !sheaf.sites.isMade(key))
  await sheaf.strangers.read(known.map(({ key }) => key))
  const domains = new Set<string>()
  const voices = new Map<bigint, { domain: string; isNear: boolean }>()
  for (const { key, name, members } of targets) {
    const stranger = sheaf.strangers.get(key)
    const matters = stranger !== undefined && (named || isNews(sheaf, key, members, stranger.speaker))
    if (!matters && !sheaf.sites.isMade(key)) continue
    const domain = domainOf(name)
    domains.add(domain)
    if (named) continue
    for (const { via } of members) {
      const page = sheaf.pageOf(via)
      if (page.site === null || page.name === undefined || page.site === key) continue
      const voice = voices.get(page.site) ?? { domain: domainOf(page.name), isNear: false }
      if (voice.domain === domain) voice.isNear = true
      voices.set(page.site, voice)
    }
  }
  if (domains.size === 0) return
  await sheaf.domains.read(
    domains,
    [...voices.values()].map(({ domain }) => domain),
  )
  // A voice from far away, where nobody can make up sites, is believed whoever it is.
  const doubtful = [...voices].filter(([, { domain, isNear }]) => isNear || sheaf.domains.isWild(domain))
  const keys = doubtful.map(([key]) => key)
  await Promise.all([sheaf.voices.peek(keys), sheaf.strangers.peek(keys)])
}

export function hear(sheaf: Sheaf, site: bigint, domain: string, links: Vias, before: Heard): Heard {
  let { speaker } = before
  const heard = new Set<bigint>()
  for (const { via } of links) {
    // No page has it: the house itself wants it.
    if (via === '') return { vouched: true, speaker }
    const { site: voice, name } = sheaf.pageOf(via)
    if (voice === null || name === undefined || voice === site || voice === speaker || heard.has(voice)) continue
    heard.add(voice)
    const weight = weightOf(sheaf, voice, name, domain)
    if (weight === 2 || (weight === 1 && speaker !== null)) return { vouched: true, speaker }
    if (weight === 1) speaker = voice
  }
  return { vouched: false, speaker }
}

/** Two are enough. */
function weightOf(sheaf: Sheaf, voice: bigint, name: SiteName, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && !sheaf.domains.isWild(own)) return 2
  const seed = sheaf.voices.seedOf(voice)
  if (seed === undefined) return 0
  if (seed === 1) return 2
  return sheaf.strangers.isStranger(voice) ? 0 : 1
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
export function isNews(sheaf: Sheaf, site: bigint, links: Vias, speaker: bigint | null): boolean {
  return links.some(({ via }) => {
    const voice = sheaf.pageOf(via).site
    return voice !== site && voice !== speaker
  })
}

export interface Strangers {
  strangers: ReadonlyMap<bigint, StrangerRow>
  /** Those to whom a link is news. */
  hearing: ReadonlySet<bigint>
}

/** Of sites that are not locked. */
export async function strangersAmong(sheaf: Sheaf, targets: readonly Target[]): Promise<Strangers> {
  const strangers = await readStrangers(
    sheaf.tx,
    targets.map(({ key }) => key),
  )
  const hearing = targets.filter(({ key, members }) => {
    const stranger = strangers.get(key)
    return stranger !== undefined && isNews(sheaf, key, members, stranger.speaker)
  })
  return { strangers, hearing: new Set(hearing.map(({ key }) => key)) }
}
