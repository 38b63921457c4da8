import { type Clock, type Millis, turn } from '../../base/clock.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import { laterNews, type MemoryNews } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { isOwnLink, learntAlias } from '../aliases.ts'
import type { PartResult } from '../contract.ts'
import { HELD, MAX_REQUEUED } from '../rules/mark.ts'
import { keyOf, type SiteRow, sitesOf } from '../rules/site.ts'
import { applyPart, type PartOperations, partResultOf } from '../rules/visit.ts'
import { admitBySite } from './admit.ts'
import { learnWildcard } from './domains.ts'
import { enqueue } from './enqueue.ts'
import { markPages } from './mark-pages.ts'
import { writeMemory } from './memory.ts'
import { dropAliasesOf, moveWaiting, writeAlias } from './move-waiting.ts'
import { readSite, writeSite } from './site-rows.ts'
import { enterSpelling } from './spellings.ts'
import type { Work } from './work.ts'

export const REQUEUE = `
  UPDATE url SET mark = 0, due_at = ? WHERE (site, key) IN (
    SELECT site, key FROM url WHERE site = ? AND mark = ${HELD} LIMIT ?)`

const OPERATIONS: PartOperations<Work, SiteRow> = {
  enqueue,
  enterSpelling,
  requeue({ tx, now }, site) {
    site.waiting += tx.run(REQUEUE, Math.max(1, now), site.key, MAX_REQUEUED)
  },
}

/** The parts of each site in their order. A site's row and memory are written once; all cross-site links are entered together. */
export async function applyParts(work: Work, parts: readonly VisitReport[]): Promise<PartResult[]> {
  const { tx, tools } = work
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
      if (site === undefined || result !== 'applied') continue
      const alias = learntAlias(part)
      if (alias !== undefined) writeAlias(work, alias)
      if (part.learnt?.wildcard !== undefined) wild.push(part)
      const own: Link[] = []
      // A link that is not the site's own goes where it belongs, under the pause of its own site.
      for (const link of part.found) (isOwnLink(tools, part.site, link) ? own : crossSite).push(link)
      markPages(work, site, part.pages)
      applyPart(work, site, part, own, OPERATIONS)
      for (const link of part.crossSite) crossSite.push(link)
      memory = laterNews(memory, part.memory)
    }
    if (site === undefined || memory === undefined) continue
    writeMemory(tx, key, memory)
    writeSite(tx, site)
    if (site.worker === null) resting.push(site.name)
  }
  // Before the links that depend on it.
  for (const part of wild) learnWildcard(work, part)
  for (const _ of admitBySite(work, crossSite, false)) {
    const pause = loopYield.take()
    if (pause !== undefined) await pause
  }
  // Last, when the rows of all sites are final.
  for (const name of resting) moveOrDropAliases(work, name)
  return parts.map((part) => results.get(part)!)
}

/** After a visit: what waits at an alias moves to the original; an original that was given up loses its aliases. */
function moveOrDropAliases(work: Work, name: SiteName): void {
  const { aliases } = work.tools
  if (aliases.isEmpty) return
  if (aliases.originalOf(name) !== undefined) moveWaiting(work, name)
  else if (readSite(work.tx, keyOf(name))?.state === 'barred') dropAliasesOf(work, name)
}

/** A turn costs some microseconds. */
const EVERY: Millis = 1

/**
 * Long work inside a transaction stops for one turn of the event loop now and then, so that a check-out of a prefetched lease,
 * which needs no transaction, need not wait for its end. No other transaction comes in between.
 */
class LoopYield {
  readonly #clock: Clock
  #since: Millis

  /** Work begins now. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.elapsed()
  }

  /** Undefined when it is not time yet: then there is nothing to await. */
  take(): Promise<void> | undefined {
    return this.#clock.elapsed() - this.#since < EVERY ? undefined : this.#turn()
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = this.#clock.elapsed()
  }
}
