/** Who speaks for a site, and whether that is enough: the rule of `../domains.ts`. */

import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type DomainRow, domainOf, HELD } from '../domains.ts'
import { readDomain, writeDomain } from './domain-row.ts'
import { pageOf } from './enqueue.ts'
import type { Rules } from './rules.ts'
import { REMOVE_STRANGER, WRITE_SPEAKER } from './strangers.ts'

export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`

/** Sites by what they say of one. */
export interface Heard {
  vouched: boolean
  /** The one that counts, as long as it is only one. */
  speaker: bigint | null
}

type Links = readonly Pick<Link, 'via'>[]

export function hear(tx: SqliteTx, rules: Rules, site: bigint, domain: string, links: Links, before: Heard): Heard {
  let { speaker } = before
  const heard = new Set<bigint>()
  for (const { via } of links) {
    // No page has it: the house itself wants it.
    if (via === '') return { vouched: true, speaker }
    const { site: voice, name } = pageOf(tx, via)
    if (voice === null || name === undefined || voice === site || voice === speaker || heard.has(voice)) continue
    heard.add(voice)
    const weight = weightOf(tx, rules, voice, name, domain)
    if (weight === 2 || (weight === 1 && speaker !== null)) return { vouched: true, speaker }
    if (weight === 1) speaker = voice
  }
  return { vouched: false, speaker }
}

/** Two are enough. */
function weightOf(tx: SqliteTx, rules: Rules, voice: bigint, name: string, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && readDomain(tx, own)?.wildcard !== 1) return 2
  const known = tx.get<{ seed: number }>(READ_IS_SEED, voice)
  if (known === undefined) return 0
  if (known.seed === 1) return 2
  return rules.strangers.read(tx, voice) === undefined ? 1 : 0
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
function isNews(tx: SqliteTx, site: bigint, links: Links, speaker: bigint | null): boolean {
  return links.some(({ via }) => {
    const voice = pageOf(tx, via).site
    return voice !== site && voice !== speaker
  })
}

export interface Vouched {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`). Undefined when nothing changes: it was vouched for before,
 * or is not yet. Else it is a stranger no more, and the domain's row says so; its own row is the caller's to change.
 */
export function vouch(
  tx: SqliteTx,
  rules: Rules,
  site: { key: bigint; name: string },
  links: Links,
  named: boolean,
): Vouched | undefined {
  const stranger = rules.strangers.read(tx, site.key)
  if (stranger === undefined || !(named || isNews(tx, site.key, links, stranger.speaker))) return undefined
  const domain = readDomain(tx, domainOf(site.name))
  if (domain === undefined || domain.key !== stranger.domain) return undefined
  const { vouched, speaker } = named
    ? { vouched: true, speaker: stranger.speaker }
    : hear(tx, rules, site.key, domain.name, links, { vouched: false, speaker: stranger.speaker })
  if (!vouched) {
    if (speaker !== stranger.speaker) tx.run(WRITE_SPEAKER, speaker, site.key)
    return undefined
  }
  const wasHeld = Number(stranger.standing) === HELD
  tx.run(REMOVE_STRANGER, site.key)
  domain.strangers--
  if (wasHeld) domain.held--
  writeDomain(tx, domain)
  return { domain, wasHeld }
}
