/** Works on the same pages that are set against the yardstick: three pieces, and the whole house in virtual time. */
import { sha1 } from '../../src/base/digest.ts'
import { memoryDisk } from '../../src/base/memory-disk.ts'
import { seededRandom } from '../../src/base/random.ts'
import { virtualClock } from '../../src/base/virtual-clock.ts'
import { loadSettings } from '../../src/config/load.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { readPage } from '../../src/page/reading.ts'
import { runVirtualHouse } from '../../src/simulate/virtual-house.ts'
import { RequestLedger } from '../../src/testweb/ledger-of-requests.ts'
import { makeWeb, type TestWeb } from '../../src/testweb/web.ts'
import { decodeReport } from '../../src/visit/decode-report.ts'
import { seal } from '../../src/visit/sealed-part.ts'
import { gather } from '../pieces/material.ts'
import { openArchive } from '../volumes/dropping-archive.ts'
import { benchWeb } from '../web/bench-web.ts'

export interface Work {
  name: string
  /** Once over all pages. */
  run(): void | Promise<void>
}

export interface Works {
  /** Bodies of all pages. */
  pages: readonly Uint8Array[]
  works: readonly Work[]
}

export async function worksOn(sites: number, pagesPerSite: number): Promise<Works> {
  const { pages, parts } = await gather(sites, pagesPerSite)
  const clock = virtualClock(0)
  const journal = { tell() {} }
  const archive = openArchive({
    folder: 'archive',
    prefix: 'CHECK',
    hostname: 'virtual',
    worker: 'w1',
    clock,
    random: seededRandom(1),
    rollBytes: 1_000_000_000,
    info: { software: 'check', userAgent: 'check', robots: 'obey' },
    journal,
    twinsInMemory: 1000,
  })
  const web = remembering(makeWeb(benchWeb(sites, pagesPerSite)))
  return {
    pages: pages.map(({ answer }) => answer.payload),
    works: [
      {
        name: 'read',
        run() {
          for (const { answer } of pages) readPage({ mediaType: 'text/html', charset: 'utf-8', bytes: answer.payload })
        },
      },
      {
        name: 'keep',
        run() {
          for (const page of pages) archive.keep(page, sha1(page.answer.payload), undefined)
        },
      },
      {
        name: 'report',
        run() {
          for (const part of parts) decodeReport(seal(part).body)
        },
      },
      { name: 'crawl', run: () => crawlInVirtualTime(web) },
    ],
  }
}

/** Its pages are made once: the web's own work is no part of the question. */
function remembering(web: TestWeb): TestWeb {
  const answers = new Map<string, ReturnType<TestWeb['answer']>>()
  return {
    ...web,
    answer(request) {
      let answer = answers.get(request.url)
      if (answer === undefined) answers.set(request.url, (answer = web.answer(request)))
      return answer
    },
  }
}

async function crawlInVirtualTime(web: TestWeb): Promise<void> {
  const clock = virtualClock(web.plan.epoch)
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  const database = openSqlite(':memory:')
  const house = runVirtualHouse(
    {
      web,
      ledger: new RequestLedger(clock),
      clock,
      database,
      disk: memoryDisk(),
      settings,
      seeds: web.homes(),
      randomSeed: 1,
      workers: 1,
      journal: { tell() {} },
    },
    new AbortController().signal,
  )
  await clock.run(house)
  await database.close()
}
