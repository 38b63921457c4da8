/**
 * A wait that a site asked for a moment ago outlives the crawler: killed as soon as the part that tells of it is durable
 * and started again at once, it still waits. Judged by what the server saw.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { RequestEntry } from '../../testkit/web/ledger-of-requests.ts'
import { PLAIN, type WebOptions } from '../../testkit/web/options.ts'
import type { Death } from './crawl-and-die.ts'
import {
  orbweaver,
  type ServedWeb,
  seedFile,
  serveWeb,
  startNode,
  type TemporaryFolder,
  temporaryFolder,
} from './harness.ts'

const TOLERANCE_MS = 3

// They mostly wait: side by side they take as long as one.
describe('a wait that was learnt a moment before kill -9', { concurrency: true }, () => {
  test('a Crawl-delay of 3 s, learnt just before kill -9, is kept, and robots.txt is not asked for again', async () => {
    using folder = temporaryFolder()
    const web: WebOptions = { ...PLAIN, seed: 1, sites: 2, pagesPerSite: 3, robots: ['delay'], crawlDelaySeconds: 3 }
    await using served = await serveWeb({ ...web, latencyMs: 0 }, folder)
    const [, home] = served.web.homes()
    const flags = flagsFor(folder, served, home)
    await dies(flags, { at: 'applied', nth: 1 })
    await dies(flags, { at: 'applied', nth: 1, afterRequestOf: home })
    assert.equal((await orbweaver(['crawl', ...flags])).code, 0)
    const entries = await served.requests()
    assert.deepEqual(
      entries.slice(0, 2).map(({ url }) => url),
      [`${home}robots.txt`, home],
    )
    assert.equal(new Set(entries.map(({ url }) => url)).size, entries.length, 'nothing is asked for twice')
    assert.ok(entries.length >= 4)
    for (const gap of gaps(entries)) assert.ok(gap >= 3000 - TOLERANCE_MS, `${gap} ms`)
  })

  for (const [status, text] of [
    [429, 'Too Many Requests'],
    [503, 'Service Unavailable'],
  ] as const) {
    test(`a Retry-After of 4 s with ${status} ${text}, answered just before kill -9, is kept`, async () => {
      using folder = temporaryFolder()
      const home = 'http://busy.test/'
      const [busy, calm] = [`${home}busy.html`, `${home}calm.html`]
      const html = '<a href="/busy.html">busy</a> <a href="/calm.html">calm</a>'
      const headers = [['Retry-After', '4']] as const
      const planted = [
        { url: home, html, links: [busy, calm] },
        { url: busy, status, html: 'later', headers },
        { url: calm, html: 'calm' },
      ]
      await using served = await serveWeb(
        { ...PLAIN, seed: 1, sites: 1, pagesPerSite: 1, latencyMs: 0, planted },
        folder,
      )
      const flags = flagsFor(folder, served, home)
      await dies(flags, { at: 'applied', nth: 1, afterRequestOf: busy })
      const before = await served.requests()
      assert.deepEqual(
        before.map(({ url }) => url),
        [`${home}robots.txt`, home, busy],
      )
      // The second life dies at its first news too: the wait is the whole site's, whichever page comes first.
      await dies(flags, { at: 'applied', nth: 1 })
      assert.equal((await orbweaver(['crawl', ...flags])).code, 0)
      const entries = await served.requests()
      assert.ok(entries.some(({ url }) => url === calm))
      for (const [at, gap] of gaps(entries).entries()) {
        const asked = entries[at].url === busy ? 4000 : PAUSE_MS
        assert.ok(gap >= asked - TOLERANCE_MS, `${gap} ms after ${entries[at].url}`)
      }
    })
  }
})

const PAUSE_MS = 20

function flagsFor(folder: TemporaryFolder, served: ServedWeb, seed: string): string[] {
  return [
    ...['--seeds', seedFile(folder, [seed]), '-c', folder.at('collection'), '--pause-for', `*.test=${PAUSE_MS}ms`],
    ...['--address-pause', '100ms', '--patience', '0.01', ...served.resolve],
  ]
}

/** Requests are told to the coordinator only when it listens to every event: `--verbose`. */
async function dies(flags: readonly string[], death: Death): Promise<void> {
  const script = join(import.meta.dirname, 'crawl-and-die.ts')
  const ran = await startNode([script, JSON.stringify(death), ...flags, '--verbose']).done
  assert.equal(ran.signal, 'SIGKILL', `the crawl ended with ${ran.code}: ${ran.stderr}`)
}

/** From the end of each answer to the next request. */
function gaps(entries: readonly RequestEntry[]): number[] {
  return entries.slice(1).map((entry, at) => entry.at - (entries[at].endedAt ?? entries[at].at))
}
