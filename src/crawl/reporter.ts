/**
 * Gathers the results of a visit and cuts them into numbered parts. A part is self-contained: it has the URLs that its
 * pages name, so a crash after it loses none of them.
 */

import { HashSet64 } from '../base/hash-set.ts'
import { Tally } from '../contracts/counts.ts'
import { generationOf, isByForm, linkedPath } from '../contracts/generation.ts'
import type { FailureKind } from '../contracts/outcome.ts'
import type { StoredCopy } from '../contracts/ports.ts'
import type { Courtesy, Finding, Learnt, Link, PageReport, VisitEnd, VisitReport } from '../contracts/report.ts'
import type { MemoryNews, SiteMemory } from '../contracts/site-memory.ts'
import type { TrapMemory } from '../contracts/trap-memory.ts'
import type { Visit } from '../contracts/visit.ts'
import { closeTraps, type OpenTraps, openTraps } from './hazards/open-traps.ts'
import { nextGuess } from './site-names.ts'
import type { VisitTimes } from './visit-times.ts'

const MAX_REFUSED = 100_000
/** About 200 bytes each. */
const MAX_COPIES = 10_000
/** Parts between trap counts. Parts come once a second, so a crash costs at most half a minute of counts. */
const PARTS_PER_TRAP_MEMORY = 30

export class Reporter {
  readonly visit: Visit
  readonly tally = new Tally()
  readonly times: VisitTimes
  /** The page that named the last ones, as detectors know it (`report-hazards.ts`). */
  namer: { url: string; path: string | undefined } = { url: '', path: undefined }
  #memory: SiteMemory
  #traps: OpenTraps | undefined
  #trapsChanged = false
  /** What the coordinator has, or will have with the parts taken so far. */
  #robotsSent: SiteMemory['robots']
  #trapsSent: TrapMemory | undefined
  #trialsSent: string
  #courtesy: () => Courtesy
  #pages: PageReport[] = []
  #found = new Map<bigint, Link>()
  /** Other spellings of known URLs: they never replace a URL that is new. */
  #spellings: Link[] = []
  #crossSite: Link[] = []
  #findings: Finding[] = []
  #refused = new HashSet64()
  #learnt: Learnt | undefined
  readonly #settled = new HashSet64()
  /** The responses reported so far, by the digests of their payloads. */
  readonly #copies = new Map<string, StoredCopy>()
  /** Name guesses at this site, for another visit. */
  readonly #guesses: Link[] = []
  #part = 0
  #pageCount = 0
  #news = false
  #isPageOpen = false
  #ended: VisitEnd | undefined
  #sealed = false

  constructor(visit: Visit, courtesy: () => Courtesy, times: VisitTimes) {
    this.visit = visit
    this.times = times
    const { traps, ...memory }: SiteMemory = visit.memory
    this.#memory = memory
    this.#robotsSent = memory.robots
    this.#trapsSent = traps
    this.#trialsSent = trialsIn(traps)
    this.#courtesy = courtesy
  }

  get pageCount(): number {
    return this.#pageCount
  }

  /** Without what the trap detectors remember. */
  get memory(): SiteMemory {
    return this.#memory
  }

  /** What the trap detectors remember. They change it in place, and then report that. */
  get traps(): OpenTraps {
    this.#traps ??= openTraps(this.#trapsSent)
    return this.#traps
  }

  /** Of the traps: opening all that the detectors remember costs more than a look at an unchanged page. */
  get suspects(): OpenTraps['suspects'] {
    return this.#traps?.suspects ?? this.#trapsSent?.suspects ?? []
  }

  /** A detector threw in the middle of a page. Its counts go back to those sent last, as after a crash; trials stay. */
  restoreTraps(): void {
    const { suspects, cleared, probe, reported } = this.traps
    this.#traps = { ...openTraps(this.#trapsSent), suspects, cleared, probe, reported }
  }

  trapsChanged(): void {
    this.#trapsChanged = true
    this.#news = true
  }

  remember(memory: SiteMemory): void {
    this.#memory = memory
    this.#news = true
  }

  /**
   * A page is reported piece by piece, its links first, and `addPage` is the last piece. No part is cut in between: a
   * crash between two parts would repeat the page and count its links twice.
   */
  beginPage(): void {
    this.#isPageOpen = true
  }

  addPage(page: PageReport): void {
    this.#pages.push(page)
    this.#pageCount++
    this.#news = true
    if (page.capture?.kind === 'response') this.#noteCopy(page.capture.digest, page)
    // A request of our own settles nothing: a link to the same URL still waits.
    if (page.ownRequest) return
    this.#isPageOpen = false
    // Found and fetched within the same part: the page row says it all, except for what a sitemap says.
    if (this.#found.get(page.key)?.lastmod === undefined) this.#found.delete(page.key)
    this.#settled.add(page.key)
    if (page.outcome.kind === 'gone') this.#tryNext(page, page.outcome.why)
  }

  /** A response with this payload that was reported before, in this visit. */
  copyOf(digest: string): StoredCopy | undefined {
    return this.#copies.get(digest)
  }

  /** The first one stays. Beyond the limit a payload may be stored twice. */
  #noteCopy(digest: string, { url, at }: PageReport): void {
    if (this.#copies.size < MAX_COPIES && !this.#copies.has(digest)) this.#copies.set(digest, { url, at })
  }

  /** In the same part as the page that is gone, so that no crash breaks a chain of name guesses. */
  #tryNext(item: { url: string; path: string }, why: FailureKind): void {
    const next = nextGuess(item, why)
    if (next === undefined) return
    if (next.site !== this.visit.site) {
      this.addCrossSite(next)
      return
    }
    this.addLink(next)
    this.#guesses.push(next)
  }

  /** A newer date of a sitemap or feed is added to what was found before; the first page that lists a URL is where it was found. */
  addLink(link: Link): void {
    this.#news = true
    if (link.spelling) {
      this.#spellings.push(link)
      return
    }
    let before = this.#found.get(link.key)
    if (before !== undefined && isByForm(before.path) && !isByForm(link.path))
      before = { ...before, path: linkedPath(before.path) }
    const isLater = link.lastmod !== undefined && !(before?.lastmod !== undefined && before.lastmod > link.lastmod)
    const lastmod = isLater ? link.lastmod : before?.lastmod
    const first = before === undefined || generationOf(link.path) < generationOf(before.path) ? link : before
    const nearest = before !== undefined && before.depth < first.depth ? { ...first, depth: before.depth } : first
    this.#found.set(link.key, lastmod === first.lastmod ? nearest : { ...nearest, lastmod })
  }

  addCrossSite(link: Link): void {
    this.#crossSite.push(link)
    this.#news = true
  }

  /** True the first time: a URL that every page links to counts once. Of very many, some are counted twice. */
  isFirstRefusal(key: bigint): boolean {
    if (this.#refused.size >= MAX_REFUSED) this.#refused = new HashSet64()
    return this.#refused.add(key)
  }

  addFinding(finding: Finding): void {
    this.#findings.push(finding)
    this.#news = true
  }

  /** What the coordinator should know beyond this site. */
  learn(learnt: Learnt): void {
    this.#learnt = { ...this.#learnt, ...learnt }
    this.#news = true
  }

  end(why: VisitEnd): void {
    // The site's remaining URLs go with it; name guesses continue elsewhere.
    if (why === 'given-up')
      for (const item of [...this.visit.agenda, ...this.#guesses])
        if (!this.#settled.has(item.key)) this.#tryNext(item, 'dns')
    this.#ended = why
    this.#news = true
  }

  /** The next part; undefined when there is no news, a page is incomplete, or the last part was taken. */
  take(): VisitReport | undefined {
    if (this.#sealed || this.#isPageOpen || (!this.#news && this.tally.isEmpty)) return undefined
    this.times.moveTo(this.tally)
    const part: VisitReport = {
      visit: this.visit.id,
      fence: this.visit.fence,
      site: this.visit.site,
      part: ++this.#part,
      pages: this.#pages,
      found: [...this.#found.values(), ...this.#spellings],
      crossSite: this.#crossSite,
      findings: this.#findings,
      counts: this.tally.take(),
      memory: this.#memoryNews(),
      courtesy: this.#courtesy(),
      ended: this.#ended,
    }
    if (this.#learnt !== undefined) part.learnt = this.#learnt
    this.#pages = []
    this.#found = new Map()
    this.#spellings = []
    this.#crossSite = []
    this.#findings = []
    this.#learnt = undefined
    this.#news = false
    this.#sealed = this.#ended !== undefined
    return part
  }

  /** Robots when they changed; trap counts with a finding, during a trial, at the end, and now and then. */
  #memoryNews(): MemoryNews {
    const { robots, ...news }: SiteMemory = this.#memory
    const traps = this.#trapsChanged ? this.#traps : undefined
    // A trial survives whatever happens to the worker.
    const trials = traps === undefined ? this.#trialsSent : trialsIn(traps)
    const hasNews = trials !== this.#trialsSent
    const sendTraps =
      this.#ended !== undefined ||
      this.#findings.length > 0 ||
      this.#learnt?.requeue === true ||
      hasNews ||
      this.#part % PARTS_PER_TRAP_MEMORY === 0
    const sent: MemoryNews = news
    if (robots !== this.#robotsSent) sent.robots = this.#robotsSent = robots
    if (traps !== undefined && sendTraps) {
      sent.traps = this.#trapsSent = closeTraps(traps)
      this.#trialsSent = trials
    }
    return sent
  }
}

/** The state of its trials, without the URLs they hold back, which change with every link. */
function trialsIn(traps: Pick<TrapMemory, 'suspects' | 'cleared' | 'probe'> | undefined): string {
  const { suspects = [], cleared = [], probe } = traps ?? {}
  const samples = suspects.map(({ pattern, confirmed, contradicted }) => `${pattern} ${confirmed} ${contradicted}`)
  // The check for missing pages counts, too: a page that hangs its reader must not be requested again after a crash.
  const checked = probe === undefined ? '' : probe.like === undefined ? 'checked' : 'like'
  return [...samples, cleared.length, checked].join('\n')
}
