/**
 * A worker on a machine whose time of day is seven hours behind, or ahead, in a process of its own: the same set, every
 * pause kept, and every time that is recorded (catalogue, volumes, their names) is the servers'.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { walk } from '../../testkit/web/walker.ts'
import { lastWords, startServer } from './cluster.ts'
import {
  assertNone,
  assertSameSet,
  orbweaver,
  readCatalogue,
  seedFile,
  serveWeb,
  startNode,
  temporaryFolder,
} from './harness.ts'
import { judgeRequests } from './harness-judge.ts'

const PAUSE_MS = 100
const PATIENCE = 0.01
const WEB = { seed: 21, sites: 12, pages: 150, latencyMs: 4, pageBytes: 3000, crawlDelaySeconds: 0.3 }
/** The offset is learnt from answers: half of their way there and back is what it may be wrong by. */
const CLOSE_MS = 2000
/** So a site that says until when it wants rest (Retry-After with a date) is asked at most this much too early. */
const LEARNT_WITHIN_MS = 250
const MAIN = fileURLToPath(new URL('../../bin/orbweaver.js', import.meta.url))
const WRONG_CLOCK = new URL('wrong-clock.ts', import.meta.url)

test('workers whose clocks are hours off behave the same, and record the servers’ time', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder)
  const { web } = served
  const seeds = web.homes()
  const collection = folder.at('collection')
  const began = Date.now()
  const server = await startServer(collection, [
    ...['--seeds', seedFile(folder, seeds), '--until-done', ...served.resolve],
    ...['--pause-for', `*.test=${PAUSE_MS}ms`, '--address-pause', '100ms', '--patience', `${PATIENCE}`],
  ])
  const workers = [-7, 7].map((hours) =>
    startNode([
      ...['--import', `${WRONG_CLOCK}?hours=${hours}`, MAIN],
      ...['worker', '-c', folder.at(`worker${hours}`), '--server', server.url, '--until-done', '--workers', '1'],
      // Fewer visits at once than there are sites: whichever begins first leaves some to the other.
      ...['--visits', `${WEB.sites / 2}`],
    ]),
  )
  const ran = await Promise.all([server, ...workers].map(({ done }) => done))
  const ended = Date.now()
  assert.deepEqual(
    ran.map(({ code }) => code),
    [0, 0, 0],
    lastWords(ran),
  )

  const right = walk(web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  const catalogue = readCatalogue(collection)
  assertSameSet(catalogue.documents, new Set(right.documents), 'documents')
  const { retries: _, ...faults } = judgeRequests(await served.requests(), web, right, {
    pauseOf: () => PAUSE_MS,
    patience: PATIENCE,
    firstByteMs: 30_000,
    toleranceMs: 3,
    clockMs: LEARNT_WITHIN_MS,
  })
  for (const [name, list] of Object.entries(faults)) assertNone(list, name)

  const isNow = (time: number) => time >= began - CLOSE_MS && time <= ended + CLOSE_MS
  const archive = join(collection, 'archive')
  const volumes = readdirSync(archive).filter((name) => name.endsWith('.warc.gz'))
  const whose = new Set(volumes.map((name) => name.replace(/^.*?-\d{17}-/, '')))
  assert.ok(whose.size >= 2, `volumes of both workers: ${volumes.join()}`)
  const dates = volumes.flatMap((name) => datesIn(join(archive, name)))
  assert.ok(dates.length > right.documents.size, `${dates.length} dates`)
  assertNone(
    dates.filter((date) => !isNow(Date.parse(date))),
    'WARC-Date',
  )
  const named = volumes.map((name) => /-(\d{17})-/.exec(name)![1]).map(timeOf)
  assertNone(
    named.filter((time) => !isNow(time)),
    'names of volumes',
  )
  const pages = await orbweaver(['export', 'pages', '-c', collection])
  const rows = pages.stdout.split('\n').filter((line) => line !== '')
  const times = rows.map((line) => Date.parse((JSON.parse(line) as { at: string }).at))
  assert.ok(times.length >= right.documents.size)
  assertNone(
    times.filter((time) => !isNow(time)),
    'times in the catalogue',
  )
})

function datesIn(volume: string): string[] {
  const text = gunzipSync(readFileSync(volume)).toString('latin1')
  return [...text.matchAll(/^WARC-Date: (\S+)\r$/gm)].map(([, date]) => date)
}

/** 17 digits: YYYYMMDDhhmmssmmm. */
function timeOf(digits: string): number {
  const [, y, mo, d, h, mi, s, ms] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})$/.exec(digits)!.map(Number)
  return Date.UTC(y, mo - 1, d, h, mi, s, ms)
}
