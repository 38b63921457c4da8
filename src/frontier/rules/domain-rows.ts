/** The domains of a transaction: rows in memory, written at its end. And unendorsed sites. */
import type { Instant } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import { tableOf } from '../../database/tables.ts'
import { taken } from './site.ts'

/** A domain's row. */
export interface DomainRow {
  /** Signed, as databases hold it. */
  readonly key: bigint
  readonly name: string
  sites: number
  unendorsed: number
  held: number
  wildcard: number
  pending: number
}

export function domainKey(name: string): bigint {
  return signed64(hash64(name))
}

function newDomain(name: string): DomainRow {
  return { key: domainKey(name), name, sites: 0, unendorsed: 0, held: 0, wildcard: 0, pending: 0 }
}

/** Enough to see what a domain has to show; at a pause of seconds it costs a few minutes. */
export const UNENDORSED_ALLOWED = 25

export function allowedUnendorsed({ sites, unendorsed }: { sites: number; unendorsed: number }): number {
  return UNENDORSED_ALLOWED + sites - unendorsed
}

export interface DomainView {
  name: string
  /** Known sites, and of them the endorsed ones. */
  sites: number
  endorsed: number
  held: number
  wildcard: boolean
  /** What made-up names under it resolve to. */
  addresses: readonly string[]
  probedAt?: Instant
  /** Unendorsed sites that may be visited. */
  allowed: number
}

type ViewedRow = Omit<DomainRow, 'key' | 'pending'> & { addresses: string | null; probed_at: number | null }

export function domainView(row: ViewedRow): DomainView {
  return {
    name: row.name,
    sites: row.sites,
    endorsed: row.sites - row.unendorsed,
    held: row.held,
    wildcard: row.wildcard === 1,
    addresses: row.addresses === null ? [] : (JSON.parse(row.addresses) as string[]),
    ...(row.probed_at === null ? {} : { probedAt: row.probed_at }),
    allowed: allowedUnendorsed(row),
  }
}

/** What made-up names under a domain resolve to, as its row has it. */
interface Probe {
  addresses: string
  at: Instant
}

interface KeptDomain {
  readonly row: DomainRow
  /** The counts in the database. */
  before: DomainRow
  /** It is there, or will be. */
  exists: boolean
  probe?: Probe
}

const COUNTS = ['sites', 'unendorsed', 'held'] as const

export class DomainRows {
  readonly #load: ((key: bigint) => DomainRow | undefined) | undefined
  readonly #kept = new Map<bigint, KeptDomain>()
  readonly #changed = new Set<KeptDomain>()
  /** Of domains that were only looked at. */
  readonly #wild = new Map<bigint, boolean>()

  constructor(load?: (key: bigint) => DomainRow | undefined) {
    this.#load = load
  }

  /** Undefined when it is unknown, or when another name has the same 64 bits. */
  get(name: string): DomainRow | undefined {
    const kept = this.#of(name)
    return kept?.exists === true && kept.row.name === name ? kept.row : undefined
  }

  /** As `get`, but an unknown one is made. Of two names with the same 64 bits the second is not bounded. */
  for(name: string): DomainRow | undefined {
    const kept = this.#of(name)
    if (kept?.row.name !== name) return undefined
    kept.exists = true
    return kept.row
  }

  isWild(name: string): boolean {
    const key = domainKey(name)
    const known = this.#kept.get(key)?.row.wildcard ?? this.#wild.get(key)
    return known === undefined && this.#load !== undefined ? this.#of(name)?.row.wildcard === 1 : Number(known) === 1
  }

  isKept(key: bigint): boolean {
    return this.#kept.has(key)
  }

  isSeen(key: bigint): boolean {
    return this.#kept.has(key) || this.#wild.has(key)
  }

  see({ key, wildcard }: DomainRow): void {
    this.#wild.set(key, wildcard === 1)
  }

  /** A row that is read again has the changes of others, plus what is counted here. */
  keep(read: DomainRow): void {
    const kept = this.#kept.get(read.key)
    if (kept === undefined) {
      this.#kept.set(read.key, { row: read, before: { ...read }, exists: true })
      return
    }
    for (const name of COUNTS) kept.row[name] += read[name] - kept.before[name]
    kept.row.wildcard = Math.max(kept.row.wildcard, read.wildcard)
    kept.row.pending = read.pending
    kept.before = { ...read }
    kept.exists = true
  }

  /** Rows that were not found do not exist. */
  keepAbsent(names: Iterable<string>): void {
    for (const name of names) {
      const row = newDomain(name)
      if (!this.#kept.has(row.key)) this.#kept.set(row.key, { row, before: { ...row }, exists: false })
    }
  }

  change(row: DomainRow, probe?: Probe): void {
    const kept = this.#kept.get(row.key)
    if (kept === undefined) return
    this.#changed.add(kept)
    if (probe !== undefined) kept.probe = probe
  }

  /** `before` is still what the database has. */
  take(): KeptDomain[] {
    const all = taken(this.#changed)
    return all.map((kept) => {
      const copy = { ...kept }
      kept.before = { ...kept.row }
      return copy
    })
  }

  #of(name: string): KeptDomain | undefined {
    const key = domainKey(name)
    const known = this.#kept.get(key)
    if (known !== undefined || this.#load === undefined) return known
    const row = this.#load(key)
    if (row === undefined) this.keepAbsent([name])
    else this.keep(row)
    return this.#kept.get(key)
  }
}

/** An unendorsed site. The row belongs to the transaction that has locked the site. */
export interface UnendorsedRow {
  readonly site: bigint
  readonly domain: bigint
  /** The one endorsed site that links to it. */
  referrer: bigint | null
  readonly since: Instant
  hold_state: number
}

/** `hold_state`. */
export const HOLDABLE = 0
export const HELD = 1
/** It was visited before there were too many, or must not be held. */
export const EXEMPT = 2

export const UNENDORSED_SITE = tableOf<UnendorsedRow>('unendorsed_site', ['site'])
