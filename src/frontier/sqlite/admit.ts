import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { isSameText } from '../../web/url/web-url.ts'
import type { Admitted } from '../ledger.ts'
import { renamed } from '../rename.ts'
import { newSite, type SiteRow } from '../site-row.ts'
import { sitesOf } from '../sites-of.ts'
import { isNewText } from '../spellings.ts'
import { balanceDomain, release } from './balance-domain.ts'
import { enqueue, freshen } from './enqueue.ts'
import { enrol } from './enrol.ts'
import { growSite } from './grow-site.ts'
import { readSite } from './read-site.ts'
import { readTotals } from './read-totals.ts'
import { keepReplaced } from './replaced.ts'
import type { Rules } from './rules.ts'
import { enterSpelling, readText } from './spellings.ts'
import { vouch } from './vouch.ts'
import { wake } from './wake.ts'
import { writeSite } from './write-site.ts'

/**
 * `asSeeds` remembers that the operator named the sites. Most links abroad are known by now: they are told apart before
 * their site's row is read, which costs five times as much.
 */
export function admit(tx: SqliteTx, rules: Rules, given: readonly Link[], asSeeds = false): Admitted {
  const admitting = admitBySite(tx, rules, given, asSeeds)
  for (;;) {
    const { done, value } = admitting.next()
    if (done) return value
  }
}

/** Stops before each site, where others may be let in. */
export function* admitBySite(
  tx: SqliteTx,
  rules: Rules,
  given: readonly Link[],
  asSeeds: boolean,
): Generator<undefined, Admitted> {
  rules.aliases.refresh(tx)
  rules.texts.refresh(tx.takenBack, () => readTotals(tx).urls.known)
  const { links, replaced } = renamed(rules, given)
  const admitted: Admitted = { fresh: 0, sites: 0 }
  const now = rules.time.now()
  for (const { key, name, members: all } of sitesOf(links)) {
    yield
    const { members, spellings } = sorted(tx, rules, key, all)
    const vouched = vouch(tx, rules, { key, name }, all, asSeeds)
    if (members.length === 0 && spellings.length === 0 && !asSeeds && vouched === undefined) continue
    const known = readSite(tx, key)
    // Two names with the same 64 bits: the second is never crawled, rather than asked under the courtesy of the first.
    if (known !== undefined && known.name !== name) continue
    const site = known ?? newSite(key, name, now)
    const fresh = enqueue(tx, site, members, now)
    for (const link of members) rules.texts.note(link.key, link.url)
    for (const link of spellings) rules.texts.forget(link.key)
    const again = spellings.filter((link) => enterSpelling(tx, site, link, now) === 'again').length
    const named = asSeeds && site.seed === 0
    if (fresh === 0 && again === 0 && !named && vouched === undefined) continue
    const changed = (named && nameSeed(site)) || vouched?.wasHeld
    const domain = known === undefined ? enrol(tx, rules, site, all, asSeeds) : vouched?.domain
    if (vouched?.wasHeld) release(tx, rules, site)
    const woken = fresh + again > 0 && wake(tx, rules, site)
    if (known === undefined || woken || changed) writeSite(tx, site)
    else growSite(tx, site)
    // Last, for the site itself may be among those that there is room for.
    if (domain !== undefined) balanceDomain(tx, rules, domain)
    admitted.fresh += fresh
    if (known === undefined) admitted.sites++
  }
  // After what is entered: the site of a name may be new with its home page.
  if (replaced.length > 0) keepReplaced(tx, rules, replaced, now)
  return admitted
}

/** True when more of its row changed than what `growSite` writes. */
function nameSeed(site: SiteRow): boolean {
  const crowded = site.crowd > 0
  site.seed = 1
  site.crowd = 0
  return crowded
}

/** What is not known, and what is known under another text; what is known as it is has at most a newer `lastmod`. */
function sorted(
  tx: SqliteTx,
  rules: Rules,
  site: bigint,
  links: readonly Link[],
): { members: Link[]; spellings: Link[] } {
  const members: Link[] = []
  const spellings: Link[] = []
  const texts = new Map<bigint, string>()
  for (const link of links) {
    if (link.lastmod === undefined && rules.texts.has(link.key, link.url)) continue
    const known = readText(tx, site, signed64(link.key))
    const before = texts.get(link.key)
    if (known === undefined && before === undefined) {
      members.push(link)
      texts.set(link.key, link.url)
    } else if (known === undefined ? !isSameText(before ?? '', link.url) : isNewText(known, link.url))
      spellings.push(link)
    else if (known !== undefined && rules.urls.areTwoIndexes(known.url, link.url)) spellings.push(link)
    else freshen(tx, site, link)
    if (known?.url === link.url) rules.texts.note(link.key, link.url)
  }
  return { members, spellings }
}
