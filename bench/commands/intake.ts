/** `bench intake`: check-in on PostgreSQL, from the acknowledgement to the last row, beside a raw COPY of the same rows. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { grouped } from '../../src/report/text-table.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { benchmark, type Outcome } from '../command.ts'
import { copyRates } from '../intake/copy.ts'
import { type IntakeFigures, measureIntake } from '../intake/measure.ts'

const FLAGS = {
  sites: { default: 5000, what: 'sites, with twenty known URLs each' },
  visits: { default: 2000, what: 'visits of ten pages that are measured' },
  'at-once': { default: 256, what: 'visits that are brought together' },
  database: { default: '', what: 'an empty database, postgres://…; without it a server that syncs nothing is started' },
} as const

export const intake = benchmark({
  name: 'intake',
  what: 'check-in on PostgreSQL in URLs a second, and its share of a raw COPY of the same rows',
  flags: FLAGS,
  async run({ sites, visits, 'at-once': atOnce, database: address }, { say }): Promise<Outcome> {
    const server = address === '' ? await postgresForTests() : undefined
    if (server !== undefined && 'skipped' in server) throw new Error(server.skipped)
    const database = await openPostgres(address === '' ? await server!.newDatabase(true) : address)
    try {
      const figures = await measureIntake(database, { sites, visits, atOnce }, say)
      say('the same rows by COPY …')
      const copy = await copyRates(database, mkdtempSync(`${tmpdir()}/bench-intake-`), figures)
      return report(figures, copy.seconds, copy.rows, address === '')
    } finally {
      await database.close()
      await server?.end()
    }
  },
})

function report(figures: IntakeFigures, copySeconds: number, copyRows: number, syncsNothing: boolean): Outcome {
  const { urls, pages, parts, seconds, storeSeconds, transactions, cpuSeconds } = figures
  const share = copySeconds / seconds
  const rate = (count: number, over: number) => grouped(Math.round(count / over))
  return {
    tables: [
      {
        title: 'Check-in on PostgreSQL',
        header: ['', ''],
        rows: [
          ['URLs a second', rate(urls, seconds)],
          ['pages per second', rate(pages, seconds)],
          ['parts acknowledged a second', rate(parts, storeSeconds)],
          ['pages in a transaction', (pages / transactions).toFixed(1)],
          ['µs of this process a page', ((cpuSeconds / pages) * 1e6).toFixed(0)],
          ['rows per second by COPY', rate(copyRows, copySeconds)],
          ['share of COPY', `${(share * 100).toFixed(1)} %`],
        ],
      },
    ],
    notes: [
      'URLs: the pages of the parts, and the links in them that the visits did not know. Everything is counted: inbox, frontier, catalogue, removal from the inbox.',
      'COPY: the rows that this added to url, page, page_links, capture and payload, and as many and as long rows of the inbox, from files of the database’s machine into equal tables with equal indexes, one table after the other. The updates of sites, URLs and sums have no counterpart in it.',
      ...(syncsNothing ? ['The server that was started syncs nothing to the disk, for both.'] : []),
    ],
    figures: { ...figures, copySeconds, copyRows, share },
  }
}
