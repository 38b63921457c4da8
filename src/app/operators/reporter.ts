/**
 * The Reporter (V9): mails about what is wrong, at once, and about each day and the end of a crawl. What was mailed is in the database, so it is mailed once
 * whoever is killed; of several servers the elected one sends. A mail is marked after it was sent: a crash between may send it twice, with the same id.
 * It runs beside the crawl and never holds it up: what can't be sent waits in the tables and is tried again.
 */
import { hostname } from 'node:os'
import { type Clock, every, finishesWithin, type Instant, type Millis } from '../../base/clock.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import {
  MAIL_EVERY,
  markMailed,
  type NamedProblem,
  OVER_AFTER,
  type ProblemRow,
  readProblemRows,
} from '../../cluster/maintenance/problem-watch.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database, Tx } from '../../database/database.ts'
import { readRecord, writeRecord } from '../../frontier/records.ts'
import { type DayReport, dayMail, problemMail } from '../../report/crawl-mail.ts'
import type { Mail, Mailer } from '../../report/mail.ts'
import type { Settings } from '../config/keys.ts'
import { dayReport } from '../reader/status.ts'

/** Undefined: no mail is sent, so the library is not loaded. */
export async function mailerOf(
  { mailTo, mailFrom, smtp }: Pick<Settings, 'mailTo' | 'mailFrom' | 'smtp'>,
  clock: Clock,
): Promise<Mailer | undefined> {
  if (mailTo.length === 0) return undefined
  const { smtpMailer } = await import('../../report/mail.ts')
  return smtpMailer({
    smtp: smtp ?? 'smtp://localhost',
    from: mailFrom ?? `orbweaver@${hostname()}`,
    to: mailTo,
    clock,
  })
}

/** For `report --mail`. Returns who got it. */
export async function mailDay(settings: Settings, report: DayReport, clock: Clock): Promise<string> {
  const mailer = await mailerOf(settings, clock)
  if (mailer === undefined)
    throw new Problem('bad-flag', 'nobody gets mails: give --mail-to ADDRESS, or mail-to: in orbweaver.yaml')
  await mailer.send(dayMail(report))
  mailer.close()
  return mailer.to
}

export interface ReporterParts {
  database: Database
  clock: Clock
  journal: Journal<Event>
  mailer: Mailer
  /** Of the collection, for subjects. */
  name: string
  /** The hour (UTC) of the daily mail. */
  hour: number
  isOurs(): Promise<boolean>
  /** As this process sees them: the database may be what is wrong. */
  problems(): readonly NamedProblem[]
}

const LOOK_EVERY: Millis = 10_000
/** After a mail that could not be sent; doubles each time. */
const FIRST_WAIT: Millis = 60_000
const LONGEST_WAIT: Millis = 15 * 60_000
/** For all that is still to be mailed when the process ends: a mail server must not keep it. */
const END_WITHIN: Millis = 30_000

export class Reporter {
  readonly #parts: ReporterParts
  readonly #over = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #failures = 0
  #notBefore: Millis = 0
  /** Marks a mail that was sent. Nothing else is sent before it is written: a database may be readable and take no writes. */
  #mark: ((tx: Tx) => Promise<void>) | undefined
  /** Mails about the database, which can't record them itself. */
  #outage: { mailedAt: Millis; isOver: boolean; what: string; since: Instant } | undefined

  constructor(parts: ReporterParts) {
    this.#parts = parts
  }

  start(): this {
    this.#running = every(this.#parts.clock, LOOK_EVERY, this.#over.signal, () => this.turn())
    return this
  }

  /** Never throws. */
  async turn(): Promise<void> {
    const { clock, isOurs } = this.#parts
    if (clock.elapsed() < this.#notBefore) return
    try {
      await this.#reportOutage()
      if (this.#outage !== undefined && !this.#outage.isOver) return
      if (!(await isOurs())) return
      await this.#writeMark()
      await this.#reportProblems()
      await this.#reportDay()
    } catch {
      // Reported where it happened, as is an unreachable database.
    }
  }

  /** The end of a crawl, in some words. Waits for the mail, but not long. Never throws. */
  end(ended: string): Promise<void> {
    return this.#inTime(this.#mailEnd(ended))
  }

  async #mailEnd(ended: string): Promise<void> {
    await this.#stop()
    const { database, clock, name, isOurs } = this.#parts
    try {
      if (!(await isOurs())) return
      const report = await database.read((tx) => dayReport(tx, name, clock.now(), ended))
      await this.#send(dayMail(report))
    } catch {
      // Already reported, or the database itself has failed.
    }
  }

  async close(): Promise<void> {
    await this.#inTime(this.#stop())
    this.#parts.mailer.close()
  }

  /** A mail that takes longer is given up. */
  async #inTime(work: Promise<void>): Promise<void> {
    const { clock, mailer } = this.#parts
    if (!(await finishesWithin(clock, END_WITHIN, work))) mailer.close()
    await work
  }

  /** A mail under way is awaited: its mark belongs to it. */
  async #stop(): Promise<void> {
    this.#over.abort()
    await this.#running
  }

  async #send(mail: Mail): Promise<void> {
    const { mailer, journal, clock } = this.#parts
    try {
      await mailer.send(mail)
      this.#failures = 0
      journal.record({ kind: 'mail', result: 'sent', what: mail.subject })
    } catch (error) {
      const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failures++)
      this.#notBefore = clock.elapsed() + wait
      journal.record({ kind: 'mail', result: 'failed', what: reasonOf(error) })
      throw error
    }
  }

  async #reportProblems(): Promise<void> {
    const { database, clock, name } = this.#parts
    const now = clock.now()
    const { begun, over } = newsOf(await database.read(readProblemRows), now)
    if (begun.length + over.length === 0) return
    await this.#send(problemMail(name, begun, over))
    this.#mark = (tx) => markMailed(tx, begun, over, now)
    await this.#writeMark()
  }

  async #writeMark(): Promise<void> {
    if (this.#mark === undefined) return
    await this.#parts.database.transact(this.#mark)
    this.#mark = undefined
  }

  async #reportDay(): Promise<void> {
    const { database, clock, name, hour } = this.#parts
    const now = clock.now()
    const today = new Date(now).toISOString().slice(0, 10)
    const isTime = new Date(now).getUTCHours() >= hour
    const mailed = await database.read((tx) => readRecord(tx, 'mailed_day'))
    if (mailed === today || (mailed !== undefined && !isTime)) return
    // A crawl that has just begun has no day to report.
    if (mailed !== undefined)
      await this.#send(dayMail(await database.read((tx) => dayReport(tx, name, now, undefined))))
    const day = isTime ? today : 'none yet'
    this.#mark = (tx) => writeRecord(tx, 'mailed_day', day)
    await this.#writeMark()
  }

  async #reportOutage(): Promise<void> {
    const { clock, name, problems } = this.#parts
    const found = problems().find(({ kind }) => kind === 'database')
    const last = this.#outage
    if (found !== undefined) {
      const isRecent = last !== undefined && (!last.isOver || clock.elapsed() - last.mailedAt < MAIL_EVERY)
      if (isRecent) return
      const news = { name: found.name, what: found.what, since: clock.now() }
      await this.#send(problemMail(name, [news], []))
      this.#outage = { mailedAt: clock.elapsed(), isOver: false, what: found.what, since: news.since }
    } else if (last !== undefined && !last.isOver) {
      await this.#send(problemMail(name, [], [{ name: 'database', ...last }]))
      this.#outage = { ...last, isOver: true }
    }
  }
}

/** What a mail is due about. `mailed_at >= since`: the last mail was about this time that it is wrong. */
export function newsOf(rows: readonly ProblemRow[], now: Instant): { begun: ProblemRow[]; over: ProblemRow[] } {
  const isOver = ({ seenAt }: ProblemRow) => seenAt < now - OVER_AFTER
  const isMailed = ({ mailedAt, since }: ProblemRow) => mailedAt !== null && mailedAt >= since
  return {
    begun: rows.filter(
      (row) => !isOver(row) && !isMailed(row) && (row.mailedAt === null || row.mailedAt < now - MAIL_EVERY),
    ),
    over: rows.filter((row) => isOver(row) && isMailed(row)),
  }
}
