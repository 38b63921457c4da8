/** What a verification found. Bounded: of a collection that is wholly broken the first faults are named and all counted. */
export interface Finding {
  where: string
  what: string
}

const MAX_NAMED = 10_000

export class Findings {
  readonly faults: Finding[] = []
  /** What is as it may be, and worth knowing: a crawl that runs, what a crash left. */
  readonly notes: Finding[] = []
  #unnamed = 0

  fault(where: string, what: string): void {
    if (this.faults.length < MAX_NAMED) this.faults.push({ where, what })
    else this.#unnamed++
  }

  note(where: string, what: string): void {
    if (this.notes.length < MAX_NAMED) this.notes.push({ where, what })
  }

  /** What a look at the database found: entered when it has ended, for it may have been begun more than once. */
  include(others: Findings): void {
    for (const { where, what } of others.faults) this.fault(where, what)
    for (const { where, what } of others.notes) this.note(where, what)
    this.#unnamed += others.#unnamed
  }

  /** The faults, and a last one that says how many more there are. */
  all(): Finding[] {
    if (this.#unnamed === 0) return this.faults
    return [...this.faults, { where: 'collection', what: `and ${this.#unnamed} more faults` }]
  }
}
