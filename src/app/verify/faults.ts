/**
 * The faults of a verification. Bounded: in a wholly broken collection the first faults are named and all are counted.
 */
export interface Fault {
  where: string
  what: string
}

const MAX_NAMED = 10_000

export class Faults {
  readonly faults: Fault[] = []
  /** No faults, but worth knowing: a crawl is running, a crash left something. */
  readonly notes: Fault[] = []
  #unnamed = 0

  add(where: string, what: string): void {
    if (this.faults.length < MAX_NAMED) this.faults.push({ where, what })
    else this.#unnamed++
  }

  note(where: string, what: string): void {
    if (this.notes.length < MAX_NAMED) this.notes.push({ where, what })
  }

  /**
   * The faults that one transaction found. They are added after its end, because the database may begin it more than
   * once.
   */
  include(others: Faults): void {
    for (const { where, what } of others.faults) this.add(where, what)
    for (const { where, what } of others.notes) this.note(where, what)
    this.#unnamed += others.#unnamed
  }

  /** The faults, and a last one that says how many more there are. */
  all(): Fault[] {
    if (this.#unnamed === 0) return this.faults
    return [...this.faults, { where: 'collection', what: `and ${this.#unnamed} more faults` }]
  }
}
