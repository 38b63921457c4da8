import { type Clock, type Millis, turn } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import { atOriginal, LONGEST_HOW } from '../aliases.ts'
import type { PartResult } from '../ledger.ts'
import { HELD, MAX_REQUEUED } from '../rules/mark.ts'
import { type SiteRow, sitesOf, stateAfter } from '../rules/site.ts'
import { bringsSomething, partResultOf } from '../rules/visit.ts'
import { learnAddress } from './addresses.ts'
import { admitBySite } from './admit.ts'
import { learnWildcard } from './domains.ts'
import { enqueue } from './enqueue.ts'
import { endVisit } from './leases.ts'
import { markPages } from './mark-pages.ts'
import { writeMemory } from './memory.ts'
import { dropNamesOf, moveWaiting } from './move-waiting.ts'
import { beginToWait, readSite, writeSite } from './site-rows.ts'
import { enterSpelling } from './spellings.ts'
import type { FrontierTools } from './tools.ts'

/** What a finding held back that was withdrawn: behind what was never asked for. */
export const REQUEUE = `
  UPDATE url SET mark = 0, due_at = ? WHERE (site, key) IN (
    SELECT site, key FROM url WHERE site = ? AND mark = ${HELD} LIMIT ?)`

/** Parts of a site in their order, each site's row and memory written once, links abroad of all of them in one go. */
export async function applyParts(
  tx: SqliteTx,
  tools: FrontierTools,
  parts: readonly VisitReport[],
): Promise<PartResult[]> {
  const loopYield = new LoopYield(tools.clock)
  const results = new Map<VisitReport, PartResult>()
  const crossSite: Link[] = []
  const resting: SiteName[] = []
  const wild: VisitReport[] = []
  tools.aliases.refresh(tx)
  for (const { key, members } of sitesOf(parts)) {
    const pause = loopYield.take()
    if (pause !== undefined) await pause
    const site = readSite(tx, key)
    let memory: MemoryNews | undefined
    members.sort((a, b) => a.fence - b.fence || a.part - b.part)
    for (const part of members) {
      const result = site === undefined ? 'stale' : partResultOf(site, part)
      results.set(part, result)
      if (result !== 'applied') continue
      learnAlias(tx, tools, part)
      if (part.learnt?.wildcard !== undefined) wild.push(part)
      const own: Link[] = []
      // What a worker calls its own and is not goes where it belongs: under the courtesy of its own site.
      for (const link of part.found) (isOwn(tools, part.site, link) ? own : crossSite).push(link)
      applyPart(tx, tools, site!, part, own)
      for (const link of part.crossSite) crossSite.push(link)
      memory = laterNews(memory, part.memory)
    }
    if (site === undefined || memory === undefined) continue
    writeMemory(tx, key, memory)
    writeSite(tx, site)
    if (site.worker === null) resting.push(site.name)
  }
  // Before its links are judged by it.
  for (const part of wild) learnWildcard(tx, tools, part)
  for (const _ of admitBySite(tx, tools, crossSite, false)) {
    const pause = loopYield.take()
    if (pause !== undefined) await pause
  }
  // Last, for the rows of all sites are as they will be.
  for (const name of resting) settleNames(tx, tools, name)
  return parts.map((part) => results.get(part)!)
}

/** Its home page says whose other name it is. What comes from outside is checked where it is kept. */
function learnAlias(tx: SqliteTx, tools: FrontierTools, { site, learnt }: VisitReport): void {
  if (learnt?.alias === undefined) return
  const { to, how, https, evidence = '' } = learnt.alias
  const words = { how: String(how).slice(0, LONGEST_HOW), evidence: String(evidence) }
  tools.aliases.add(tx, { name: site, original: to, https: https === true, ...words }, tools.time.now())
}

/** To be asked for at the site itself, not at one whose other name it is. */
function isOwn(tools: FrontierTools, site: SiteName, link: Link): boolean {
  if (link.site !== site) return false
  const original = tools.aliases.originalOf(site)
  return original === undefined || atOriginal(tools, link, original) === undefined
}

/** After a visit: what waits in another name goes to the original; an original that was given up loses its names. */
function settleNames(tx: SqliteTx, tools: FrontierTools, name: SiteName): void {
  if (tools.aliases.isEmpty) return
  if (tools.aliases.originalOf(name) !== undefined) moveWaiting(tx, tools, name)
  else if (readSite(tx, signed64(siteKey(name)))?.state === 'barred') dropNamesOf(tx, tools, name)
}

function applyPart(tx: SqliteTx, tools: FrontierTools, site: SiteRow, part: VisitReport, own: readonly Link[]): void {
  markPages(tx, tools, site, part.pages)
  const { courtesy } = part
  site.part = part.part
  if (bringsSomething(part.pages)) site.losses = 0
  site.pause = tools.learntPause(site, courtesy.pause)
  site.polite_at = Math.max(site.polite_at, tools.time.of(courtesy.notBefore))
  if (courtesy.address !== undefined && courtesy.address !== site.address) {
    learnAddress(tx, site, courtesy.address)
    site.holder = ''
  }
  // Others come first, whatever the order says.
  if (part.learnt?.slow !== undefined) site.deferral = Math.max(site.deferral, 1)
  const now = tools.time.now()
  const plain = own.filter(({ spelling }) => !spelling)
  const areNew = enqueue(tx, site, plain, now) === plain.length
  // After them, and after the pages: whether another text is wanted depends on what became of the first. What the visit took
  // for new may be known by now under another name of its folder's index.
  if (plain.length < own.length || !areNew)
    for (const link of own)
      if (link.spelling || (!areNew && tools.urls.keyApart(link.url) !== undefined)) {
        tools.texts.forget(link.key)
        enterSpelling(tx, site, link, now)
      }
  if (part.learnt?.requeue) site.waiting += tx.run(REQUEUE, Math.max(1, now), site.key, MAX_REQUEUED)
  if (part.ended !== undefined) endVisit(tx, tools, site, part)
  else if (site.worker === null) goOnWaiting(tx, tools, site)
}

/** A part of a visit that was given up for lost, in time: what it did counts, and its site waits on. */
function goOnWaiting(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  site.lease_until = null
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
}

/**
 * Long work inside a transaction stops now and then for one turn of the event loop, so that whoever needs no transaction
 * (a check-out of a lease granted ahead) need not wait for its end. Nobody else's transaction comes in between.
 */

/** A turn costs some microseconds. */
const EVERY: Millis = 1

class LoopYield {
  readonly #clock: Clock
  #since: Millis

  /** Work begins now. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.elapsed()
  }

  /** Undefined when it is not time yet: then nothing needs to be awaited. */
  take(): Promise<void> | undefined {
    return this.#clock.elapsed() - this.#since < EVERY ? undefined : this.#turn()
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = this.#clock.elapsed()
  }
}
