/** The counters of a visit. The crawl's counters are sums of `VisitReport.counts`, each counted exactly once. */

/** A closed list, so that outside input cannot create counters; labels after the colon are bounded below. */
export type CountName =
  | 'requests' // every request sent, robots.txt included
  | 'wireBytes' // body bytes received, kept or not
  | 'fetched' // URLs whose answer was final
  | 'documents' // pages kept, duplicates included
  | 'bytes' // their body bytes
  | 'duplicates' // of them, those whose payload was in the collection already
  | 'links' // links extracted
  | 'malformed' // links that are no URLs
  | 'seedLinksDropped' // links to other seeds' sites, dropped by the home-page policy (V10)
  | 'cut' // bodies cut by a limit
  | 'capturesRemoved' // good captures that retention removed from the catalogue
  | 'recordsChecked' // records of volumes that were read back after packing
  | 'recordsWrong' // of them, those that were packed wrongly and written again
  | `status:${number}` // answers by status
  | `failure:${string}` // FailureKind
  | `refused:${string}` // RefusedBy: of pages asked about, and of links by scope
  | `unwanted:${string}` // references to what is not wanted, by kind: mailto, image, application/pdf …
  | `type:${string}` // documents by media type
  | `typeBytes:${string}`
  | `trouble:${string}` // faults of pages that were read, and of codings and certificates of kept ones
  | 'sitemaps' // sitemaps and feeds read
  | `hints:${HintResult}` // hints that known pages changed: looked at because of it, ignored, or of unknown URLs
  | `looks:${LookResult}` // looks at pages that were known
  | `stopped:${string}` // URLs not followed, by hazard rule (Table 7 of VN)
  | `elapsed:${Operation | 'check-out'}` // time of visits in ms, and of the calls that brought them
  | 'checkOuts' // calls that brought visits

/** What a visit spends its time on, as in VN's Fig. 7b. Text is not stored apart from the original. */
export const OPERATIONS = ['store', 'processing', 'download', 'courtesy'] as const
export type Operation = (typeof OPERATIONS)[number]

/** As in CoBWeb's Table 3. `discarded`: the page was looked at since. */
type HintResult = 'performed' | 'discarded' | 'new'

/** `same`: whole, with the same bytes; `unmodified`: 304. */
export type LookResult = 'changed' | 'same' | 'unmodified' | 'moved' | 'refused' | 'failed'

/** Media types and kinds come from servers: short, plain, few. */
export function countLabel(text: string): string {
  return /^[a-z0-9.+*/_-]{1,60}$/.test(text) ? text : 'other'
}

/** `site-urls>=5000` is a finding of the rule `site-urls`. */
export function ruleLabel(rule: string): string {
  return countLabel(rule.split(/[<>= ]/, 1)[0])
}

/** Per report part; further labels count as `other`. */
const MAX_LABELS = 200

export class Tally {
  #sums = new Map<string, number>()

  add(name: CountName, by = 1): void {
    if (by === 0) return
    const known = this.#sums.get(name)
    if (known !== undefined) {
      this.#sums.set(name, known + by)
      return
    }
    const full = this.#sums.size >= MAX_LABELS && name.includes(':')
    const counted = full ? `${name.slice(0, name.indexOf(':'))}:other` : name
    this.#sums.set(counted, (this.#sums.get(counted) ?? 0) + by)
  }

  get isEmpty(): boolean {
    return this.#sums.size === 0
  }

  /** What was counted since the last take. */
  take(): ReadonlyMap<string, number> {
    const taken = this.#sums
    this.#sums = new Map()
    return taken
  }
}
