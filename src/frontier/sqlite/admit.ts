import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import { renamed } from '../aliases.ts'
import type { Admitted } from '../contract.ts'
import { endorse, registerInDomain, release } from '../rules/domains.ts'
import { nameSeed, newSite, sitesOf, wake } from '../rules/site.ts'
import { kindOfLink } from '../rules/spellings.ts'
import { balanceDomain } from './domains.ts'
import { enqueue, freshen } from './enqueue.ts'
import { keepReplaced } from './replaced.ts'
import { growSite, readSite, writeSite } from './site-rows.ts'
import { enterSpelling, readText } from './spellings.ts'
import { readTotals } from './totals.ts'
import type { Work } from './work.ts'

/**
 * `asSeeds` remembers that the operator named the sites. Most cross-site links are known: they are sorted out before their
 * site's row is read, which costs five times as much.
 */
export function admit(work: Work, given: readonly Link[], asSeeds = false): Admitted {
  const admitting = admitBySite(work, given, asSeeds)
  for (;;) {
    const { done, value } = admitting.next()
    if (done) return value
  }
}

/** Stops before each site, where the event loop may turn. */
export function* admitBySite(work: Work, given: readonly Link[], asSeeds: boolean): Generator<undefined, Admitted> {
  const { tx, tools } = work
  tools.aliases.refresh(tx)
  tools.texts.refresh(tx.rollbacks, () => readTotals(tx).urls.known)
  const { links, replaced } = renamed(tools, given)
  const admitted: Admitted = { fresh: 0, sites: 0 }
  for (const { key, name, members: all } of sitesOf(links)) {
    yield
    const { members, spellings } = sorted(work, key, all)
    const endorsed = endorse(work, { key, name }, all, asSeeds)
    if (members.length === 0 && spellings.length === 0 && !asSeeds && endorsed === undefined) continue
    const known = readSite(tx, key)
    // Two names with the same 64 bits: the second is never crawled, rather than visited under the pause of the first.
    if (known !== undefined && known.name !== name) continue
    const site = known ?? newSite(key, name, work.now)
    const fresh = enqueue(work, site, members)
    for (const link of members) tools.texts.note(link.key, link.url)
    const again = spellings.filter((link) => enterSpelling(work, site, link) === 'again').length
    const named = asSeeds && site.seed === 0
    if (fresh === 0 && again === 0 && !named && endorsed === undefined) continue
    // `growSite` writes that it is a seed, but not its deferral.
    const changed = (named && site.deferral > 0) || endorsed?.wasHeld
    if (named) nameSeed(site)
    const domain = known === undefined ? registerInDomain(work, site, all, asSeeds) : endorsed?.domain
    if (endorsed?.wasHeld) release(work, site)
    const woken = fresh + again > 0 && wake(work, site)
    if (known === undefined || woken || changed) writeSite(tx, site)
    else growSite(tx, site)
    // Last, because the site itself may be among those that are released.
    if (domain !== undefined) balanceDomain(work, domain)
    admitted.fresh += fresh
    if (known === undefined) admitted.sites++
  }
  // After what is entered: the alias's site may be new with its home page.
  if (replaced.length > 0) keepReplaced(work, replaced)
  return admitted
}

/** What is not known, and what is known under another text. What is known as it is has at most a newer `lastmod`. */
function sorted({ tx, tools }: Work, site: bigint, links: readonly Link[]): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of links) {
    if (link.lastmod === undefined && tools.texts.has(link.key, link.url)) continue
    const known = readText(tx, site, signed64(link.key))
    const kind = kindOfLink(known, texts.get(link.key), link.url, tools.urls)
    if (kind === 'new') {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (kind === 'spelling') spellings.push(link)
    else freshen(tx, site, link)
    if (known?.url === link.url) tools.texts.note(link.key, link.url)
  }
  return { members, spellings }
}
