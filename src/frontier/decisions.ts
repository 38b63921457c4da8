/**
 * What operators decided: the tables `control` and `audit`, for both databases. The site's own row says whether it is stopped
 * (`rules/steer.ts`); here is who decided it, when and why, and what else holds for a site or for the whole crawl.
 */
import { type Instant, Wakeup } from '../base/clock.ts'
import type { Choice, DecidedMirrors, Orders, SiteOrder } from '../contracts/control.ts'
import { MAX_ORDERS } from '../contracts/control.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { Database, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'

/** The subject of decisions about the whole crawl. */
export const WHOLE_CRAWL = ''

interface ControlRow {
  subject: string
  choice: string
  version: number
}

/** Actions one after the other, over all servers: versions become visible in their order. */
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtext('orbweaver control'))`
const READ_CHOICE = `SELECT choice FROM control WHERE subject = ?`
export const READ_NEWS = `SELECT subject, choice, version FROM control WHERE version > ? ORDER BY version LIMIT 1000`
export const READ_DECIDED = `SELECT subject, choice, version FROM control WHERE subject > ? AND choice <> '{}' ORDER BY subject LIMIT ?`
const WRITE_CHOICE = `
  INSERT INTO control (subject, choice, version) VALUES (?, ?, ?)
  ON CONFLICT (subject) DO UPDATE SET choice = excluded.choice, version = excluded.version`

export async function readChoice(tx: Tx, subject: string): Promise<Choice> {
  const row = await queries(tx).get<{ choice: string }>(READ_CHOICE, subject)
  return row === undefined ? {} : JSON.parse(row.choice)
}

/** Before an action changes anything: no other runs meanwhile. Returns the version that it may write. */
export async function beginAction(tx: Tx): Promise<number> {
  if (tx.dialect === 'postgres') await queries(tx).get(ONE_AT_A_TIME)
  const last = await queries(tx).get<{ last: number | null }>('SELECT max(version) AS last FROM control')
  return (last?.last ?? 0) + 1
}

export async function writeChoice(tx: Tx, subject: string, choice: Choice, version: number): Promise<void> {
  await queries(tx).run(WRITE_CHOICE, subject, JSON.stringify(choice), version)
}

/** How many sites operators have stopped. There are few decisions, so they are counted. */
export async function countStopped(tx: Tx): Promise<{ paused: number; barred: number }> {
  const sql = `
    SELECT count(*) FILTER (WHERE choice LIKE '%"paused":{%') AS paused, count(*) FILTER (WHERE choice LIKE '%"barred":{%') AS barred
    FROM control WHERE subject <> ?`
  return (await queries(tx).get<{ paused: number; barred: number }>(sql, WHOLE_CRAWL))!
}

export interface DecidedSite {
  site: SiteName
  choice: Choice
}

/** Sites about which something is decided, in the order of names, after `after` ('': from the first). */
export async function decidedSites(tx: Tx, after: SiteName, atMost: number): Promise<DecidedSite[]> {
  const rows = await queries(tx).all<ControlRow>(READ_DECIDED, after, atMost)
  return rows.map(({ subject, choice }) => ({ site: subject, choice: JSON.parse(choice) }))
}

export const READ_MIRRORS = `SELECT subject, choice, version FROM control WHERE choice LIKE '%opyOf":%' ORDER BY subject LIMIT ?`
/** More are not read at once: a person decides some hundred. */
const MAX_MIRRORS = 10_000

export async function decidedMirrors(tx: Tx): Promise<DecidedMirrors> {
  const rows = await queries(tx).all<ControlRow>(READ_MIRRORS, MAX_MIRRORS)
  return mirrorsIn(rows.map(({ subject, choice }) => [subject, JSON.parse(choice)]))
}

function mirrorsIn(choices: readonly (readonly [SiteName, Choice])[]): DecidedMirrors {
  return {
    confirmed: choices.flatMap(([replica, { copyOf }]) =>
      copyOf === undefined ? [] : [{ replica, original: copyOf }],
    ),
    overruled: choices.flatMap(([replica, { notCopyOf = [] }]) => notCopyOf.map((original) => ({ replica, original }))),
  }
}

export interface AuditEntry {
  id: number
  at: Instant
  who: string
  action: string
  /** A site, a worker; '': the whole crawl. */
  subject: string
  /** As JSON: what was in force, and what is; of the blacklist only the line that the action names. */
  before: string | null
  after: string | null
}

/** No action writes more, but earlier versions wrote the whole blacklist with each. */
const MAX_TEXT = 10_000
const bounded = (column: string) =>
  `CASE WHEN length(${column}) > ${MAX_TEXT} THEN '{"characters":' || length(${column}) || '}' ELSE ${column} END AS ${column}`
export const READ_AUDIT = `
  SELECT id, at, who, action, subject, ${bounded('before')}, ${bounded('after')} FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?`

export async function writeAudit(
  tx: Tx,
  { at, who, action, subject, before, after }: Omit<AuditEntry, 'id'>,
): Promise<void> {
  const sql = 'INSERT INTO audit (at, who, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)'
  await queries(tx).run(sql, at, who, action, subject, before, after)
}

/** Characters in one answer; with more, the rest comes with the next. */
const MAX_ANSWER = 1_000_000

/** The latest first; `before`: those with a smaller id. There may be more unless it is empty. */
export async function readAudit(tx: Tx, before: number | undefined, atMost: number): Promise<AuditEntry[]> {
  const entries = await queries(tx).all<AuditEntry>(READ_AUDIT, before ?? Number.MAX_SAFE_INTEGER, atMost)
  let characters = 0
  return entries.filter((entry) => {
    characters += (entry.before?.length ?? 0) + (entry.after?.length ?? 0)
    return characters <= MAX_ANSWER
  })
}

/** A process begins: the crawl is no longer stopped. Processes that have not yet seen the stop still end by its version. */
export async function forgetStop(tx: Tx): Promise<void> {
  const version = await beginAction(tx)
  const { stopped, ...choice } = await readChoice(tx, WHOLE_CRAWL)
  if (stopped !== undefined) await writeChoice(tx, WHOLE_CRAWL, choice, version)
}

/** The decisions in force, in memory, as last read. */
export class Decisions {
  /** Woken when something was decided, here or at another server. */
  readonly changed = new Wakeup()
  readonly #database: Database
  readonly #sites = new Map<SiteName, { choice: Choice; version: number }>()
  #crawl: Choice = {}
  #version = 0
  #deciding = 0

  constructor(database: Database) {
    this.#database = database
  }

  get version(): number {
    return this.#version
  }

  get crawl(): Choice {
    return this.#crawl
  }

  get isPaused(): boolean {
    return this.#crawl.paused !== undefined
  }

  /** Others may have decided something meanwhile, or this process has and did not read it yet. Reading waits for transactions on SQLite. */
  get mayBeOld(): boolean {
    return this.#database.dialect === 'postgres' || this.#deciding > 0
  }

  /** This process has decided something; it is read before this resolves. */
  async decide<T>(work: () => Promise<T>): Promise<T> {
    this.#deciding++
    try {
      const decided = await work()
      await this.refresh()
      return decided
    } finally {
      this.#deciding--
    }
  }

  choiceOf(site: SiteName): Choice | undefined {
    return this.#sites.get(site)?.choice
  }

  isStopped(site: SiteName): boolean {
    const choice = this.#sites.get(site)?.choice
    return choice?.paused !== undefined || choice?.barred !== undefined
  }

  get mirrors(): DecidedMirrors {
    return mirrorsIn([...this.#sites].map(([site, { choice }]) => [site, choice]))
  }

  /** Whether an operator said that neither is a copy of the other. */
  isNoMirror(one: SiteName, other: SiteName): boolean {
    const isNone = (site: SiteName, of: SiteName) => this.choiceOf(site)?.notCopyOf?.includes(of) ?? false
    return isNone(one, other) || isNone(other, one)
  }

  /** Reads what was decided since; cheap when nothing was. Once a second, and after an action. */
  async refresh(): Promise<void> {
    let isNew = false
    for (let more = true; more; ) {
      const rows = await this.#database.read((tx) => queries(tx).all<ControlRow>(READ_NEWS, this.#version))
      for (const { subject, choice: text, version } of rows) {
        const choice: Choice = JSON.parse(text)
        if (subject === WHOLE_CRAWL) this.#crawl = choice
        else this.#sites.set(subject, { choice, version })
        this.#version = Math.max(this.#version, version)
        isNew = true
      }
      more = rows.length > 0
    }
    if (isNew) this.changed.wake()
  }

  /** What workers that know the decisions up to `since` must learn. */
  ordersSince(since: number): Orders {
    const news = [...this.#sites].filter(([, { version }]) => version > since)
    news.sort(([, a], [, b]) => a.version - b.version)
    const some = news.slice(0, MAX_ORDERS)
    const { blacklist = [], blacklistVersion = 0 } = this.#crawl
    return {
      version: some.length < news.length ? some[some.length - 1][1].version : this.#version,
      isPaused: this.isPaused,
      // Up to 20 MB.
      ...(blacklistVersion > since && { blacklist }),
      sites: some.map(([site, { choice }]) => orderOf(site, choice)),
    }
  }
}

function orderOf(site: SiteName, { paused, barred, pauseMs, trust, confirmed }: Choice): SiteOrder {
  const isStopped = paused !== undefined || barred !== undefined
  return {
    site,
    ...(isStopped && { isStopped }),
    ...(pauseMs !== undefined && { pauseMs }),
    ...(trust !== undefined && { trust }),
    ...(confirmed !== undefined && { confirmed: confirmed.map(({ rule, pattern }) => ({ rule, pattern })) }),
  }
}
