/** The comparison runs with what any machine has: a rival that is not here is named, and all others have their turn. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './measure/temporary-folder.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

async function bench(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { timeout: 120_000 })
  return stdout
}

interface RivalFigures {
  crawlers: { name: string; distinct: number; version: string; stores: string; queue: string }[]
  targets: { rival: string; reached: number | null }[]
  missing: Record<string, string>
  failed: Record<string, string>
}

test('rivals: installed crawlers are measured beside ours, missing ones are named', async () => {
  using nowhere = temporaryFolder()
  const size = ['--sites', '2', '--pages', '5', '--runs', '1', '--workers', '1', '--rivals', nowhere.path]
  const text = await bench('rivals', ...size, '--only', 'wget,scrapy,spider,stormcrawler,bubing', '--json')
  const { crawlers, targets, missing, failed } = JSON.parse(text) as RivalFigures
  assert.deepEqual(failed, {})
  assert.match(missing.scrapy, /pip install scrapy==/)
  assert.match(missing.spider, /cargo/)
  assert.match(missing.stormcrawler, /mvn/)
  assert.match(missing.bubing, /mvn/)
  const here = 'wget' in missing ? [] : ['wget-identity', 'wget-gzip']
  assert.deepEqual(
    crawlers.map(({ name, distinct }) => [name, distinct]),
    ['orbweaver-identity', 'orbweaver-gzip', ...here].map((name) => [name, 10]),
  )
  for (const { version, stores, queue } of crawlers) assert.ok(version !== '' && stores !== '' && queue !== '')
  const wget = targets.find(({ rival }) => rival === 'wget-identity')
  assert.equal(wget?.reached === null, here.length === 0)
})

test('rivals: an unknown one is an error that names the known ones', async () => {
  await assert.rejects(bench('rivals', '--only', 'lynx'), /crawlee-http/)
})

interface CrawlFigures {
  crawlers: { name: string; pages: number; handshakes: number; resumed: number }[]
}

test('crawl: over TLS, handshakes are whole or resumed as the server makes them', async () => {
  const only = ['tls-kept', 'tls-cold', 'tls-resumed']
  const size = ['--sites', '2', '--pages', '5', '--runs', '1', '--workers', '1', '--only', only.join(',')]
  const { crawlers } = JSON.parse(await bench('crawl', ...size, '--json')) as CrawlFigures
  const [kept, cold, resumed] = crawlers
  for (const { pages } of crawlers) assert.equal(pages, 10)
  assert.deepEqual([kept.handshakes, kept.resumed], [2, 0])
  // Ten pages and two robots.txt, each with a connection of its own.
  assert.deepEqual([cold.handshakes, cold.resumed], [12, 0])
  assert.deepEqual([resumed.handshakes, resumed.resumed], [12, 10])
})
