/** The rows of a check-in, written by nothing but COPY into tables of the same form. */
import { chmodSync, rmSync } from 'node:fs'
import type { Database } from '../../src/database/database.ts'
import { queries } from '../../src/database/queries.ts'

export interface CopyFigures {
  rows: number
  seconds: number
}

export interface CheckedIn {
  /** When what is counted began. */
  since: number
  parts: number
  bodyBytes: number
}

/** By table; the inbox's rows are gone by now, so others that are as long. */
const rowsOf = ({ since, parts, bodyBytes }: CheckedIn): readonly (readonly [table: string, rows: string])[] => [
  [
    'inbox',
    `SELECT n % 256, n, md5(n::text), 1, 1, md5(n::text), 1, 0, decode(repeat(md5(n::text), ${Math.ceil(bodyBytes / parts / 16)}), 'hex'), 0, NULL
     FROM generate_series(1, ${parts}) n`,
  ],
  ['url', `SELECT * FROM url WHERE enqueued_at >= ${since}`],
  ['page', `SELECT * FROM page WHERE at >= ${since}`],
  [
    'page_links',
    `SELECT l.* FROM page_links l JOIN page p ON p.bucket = l.bucket AND p.id = l.page WHERE p.at >= ${since}`,
  ],
  ['capture', `SELECT * FROM capture WHERE at >= ${since}`],
  [
    'payload',
    `SELECT y.* FROM payload y JOIN capture c ON c.bucket = y.bucket AND c.id = y.capture WHERE c.at >= ${since}`,
  ],
]

export async function copyRates(database: Database, folder: string, checkedIn: CheckedIn): Promise<CopyFigures> {
  // The server writes and reads the files, as whoever it runs as.
  chmodSync(folder, 0o777)
  try {
    let rows = 0
    let seconds = 0
    for (const [table, select] of rowsOf(checkedIn)) {
      const file = `${folder}/${table}`
      await database.transact(async (tx) => {
        const db = queries(tx)
        rows += await db.run(`COPY (${select}) TO '${file}'`)
        await db.run(`CREATE TABLE ${table}_again (LIKE ${table} INCLUDING ALL)`)
      })
      const from = performance.now()
      await database.transact((tx) => queries(tx).run(`COPY ${table}_again FROM '${file}'`))
      seconds += (performance.now() - from) / 1000
    }
    return { rows, seconds }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
