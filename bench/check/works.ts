/** Works on the same pages that are set against the yardstick: three pieces, and the whole house in virtual time. */
import { sha1 } from '../../src/base/digest.ts'
import { seededRandom } from '../../src/base/random.ts'
import { decodeReport } from '../../src/contracts/decode-report.ts'
import { seal } from '../../src/contracts/sealed-part.ts'
import { readPage } from '../../src/page/reading.ts'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { makeWeb, type TestWeb } from '../../testkit/web/web.ts'
import { gather } from '../pieces/material.ts'
import { crawlInVirtualTime } from '../pieces/virtual-crawl.ts'
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
  const journal = { record() {} }
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
