import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { renamed } from '../aliases.ts'
import type { Admitted } from '../ledger.ts'
import { newSite, type SiteRow, sitesOf } from '../rules/site.ts'
import { isNewText } from '../rules/spellings.ts'
import { balanceDomain, endorse, registerInDomain, release } from './domains.ts'
import { enqueue, freshen } from './enqueue.ts'
import { keepReplaced } from './replaced.ts'
import { growSite, readSite, wake, writeSite } from './site-rows.ts'
import { enterSpelling, readText } from './spellings.ts'
import type { FrontierTools } from './tools.ts'
import { readTotals } from './totals.ts'

/**
 * `asSeeds` remembers that the operator named the sites. Most links abroad are known by now: they are told apart before
 * their site's row is read, which costs five times as much.
 */
export function admit(tx: SqliteTx, tools: FrontierTools, given: readonly Link[], asSeeds = false): Admitted {
  const admitting = admitBySite(tx, tools, given, asSeeds)
  for (;;) {
    const { done, value } = admitting.next()
    if (done) return value
  }
}

/** Stops before each site, where others may be let in. */
export function* admitBySite(
  tx: SqliteTx,
  tools: FrontierTools,
  given: readonly Link[],
  asSeeds: boolean,
): Generator<undefined, Admitted> {
  tools.aliases.refresh(tx)
  tools.texts.refresh(tx.takenBack, () => readTotals(tx).urls.known)
  const { links, replaced } = renamed(tools, given)
  const admitted: Admitted = { fresh: 0, sites: 0 }
  const now = tools.time.now()
  for (const { key, name, members: all } of sitesOf(links)) {
    yield
    const { members, spellings } = sorted(tx, tools, key, all)
    const endorsed = endorse(tx, tools, { key, name }, all, asSeeds)
    if (members.length === 0 && spellings.length === 0 && !asSeeds && endorsed === undefined) continue
    const known = readSite(tx, key)
    // Two names with the same 64 bits: the second is never crawled, rather than asked under the courtesy of the first.
    if (known !== undefined && known.name !== name) continue
    const site = known ?? newSite(key, name, now)
    const fresh = enqueue(tx, site, members, now)
    for (const link of members) tools.texts.note(link.key, link.url)
    for (const link of spellings) tools.texts.forget(link.key)
    const again = spellings.filter((link) => enterSpelling(tx, site, link, now) === 'again').length
    const named = asSeeds && site.seed === 0
    if (fresh === 0 && again === 0 && !named && endorsed === undefined) continue
    const changed = (named && nameSeed(site)) || endorsed?.wasHeld
    const domain = known === undefined ? registerInDomain(tx, tools, site, all, asSeeds) : endorsed?.domain
    if (endorsed?.wasHeld) release(tx, tools, site)
    const woken = fresh + again > 0 && wake(tx, tools, site)
    if (known === undefined || woken || changed) writeSite(tx, site)
    else growSite(tx, site)
    // Last, for the site itself may be among those that there is room for.
    if (domain !== undefined) balanceDomain(tx, tools, domain)
    admitted.fresh += fresh
    if (known === undefined) admitted.sites++
  }
  // After what is entered: the site of a name may be new with its home page.
  if (replaced.length > 0) keepReplaced(tx, tools, replaced, now)
  return admitted
}

/** True when more of its row changed than what `growSite` writes. */
function nameSeed(site: SiteRow): boolean {
  const deferred = site.deferral > 0
  site.seed = 1
  site.deferral = 0
  return deferred
}

/** What is not known, and what is known under another text; what is known as it is has at most a newer `lastmod`. */
function sorted(
  tx: SqliteTx,
  tools: FrontierTools,
  site: bigint,
  links: readonly Link[],
): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of links) {
    if (link.lastmod === undefined && tools.texts.has(link.key, link.url)) continue
    const known = readText(tx, site, signed64(link.key))
    const before = texts.get(link.key)
    if (known === undefined && before === undefined) {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (known === undefined ? !isSameText(before ?? '', link.url) : isNewText(known, link.url))
      spellings.push(link)
    else if (known !== undefined && tools.urls.areTwoIndexes(known.url, link.url)) spellings.push(link)
    else freshen(tx, site, link)
    if (known?.url === link.url) tools.texts.note(link.key, link.url)
  }
  return { members, spellings }
}
