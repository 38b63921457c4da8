import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrawlSnapshot } from '../assemble/crawl-view.ts'
import { clip, type History, liveLines, plain, progressLine, rates, remember, timeLeftMs } from './progress.ts'

const T0 = 1_780_000_000_000

function snapshot(seconds: number, changes: Partial<CrawlSnapshot> = {}): CrawlSnapshot {
  return {
    at: T0 + seconds * 1000,
    documents: seconds * 10,
    bytes: seconds * 150_000,
    requests: seconds * 12,
    sites: { busy: 3, waiting: 4, free: 1, done: 2, barred: 0, total: 10 },
    urls: { known: 1000, waiting: 1000 - seconds * 12, done: seconds * 12 },
    failures: 1,
    refused: 5,
    inbox: 0,
    waitingOnlyForCourtesy: false,
    nextDueMs: undefined,
    slow: [],
    lateMs: 0,
    ...changes,
  }
}

const run = (...snapshots: CrawlSnapshot[]): History => snapshots.reduce<History>(remember, [])
const PLAIN = { width: 100, colour: false }

test('rates are those of the last half minute', () => {
  const steady = run(...Array.from({ length: 60 }, (_, i) => snapshot(i)))
  assert.equal(rates(steady).documents, 10)
  const stalled = run(
    ...Array.from({ length: 60 }, (_, i) => snapshot(i)),
    ...[70, 80, 95].map((s) => ({ ...snapshot(59), at: T0 + s * 1000 })),
  )
  assert.equal(rates(stalled).documents, 0)
  assert.equal(rates([]).documents, 0)
  assert.equal(rates(run(snapshot(0))).documents, 0)
})

test('history stays small and keeps its beginning', () => {
  const long = run(...Array.from({ length: 5000 }, (_, i) => snapshot(i / 2)))
  assert.ok(long.length < 250)
  assert.equal(long[0].at, T0)
})

test('the time left follows from what waits, and is not guessed', () => {
  assert.equal(timeLeftMs(run(snapshot(0), snapshot(10))), (880 / 12) * 1000)
  assert.equal(timeLeftMs(run(snapshot(0))), undefined)
  assert.match(progressLine(run(snapshot(0))), /finding out how much there is/)
  assert.match(progressLine(run(snapshot(0), snapshot(10))), /about 1m left, if nothing new is found/)
})

test('the live view says it all in a few lines that fit', () => {
  const history = run(
    snapshot(0),
    snapshot(10, { slow: [{ site: 'slow.example', why: 'answers take 9 s' }], inbox: 2 }),
  )
  assert.deepEqual(liveLines(history, PLAIN), [
    'Orbweaver  10s  100 documents  1.5 MB  10.0/s  150 kB/s',
    'sites    3 busy  5 waiting  2 done  of 10',
    'URLs     ██░░░░░░░░░░░░░░░░░░ 120 of 1,000 known, 880 waiting (shrinks by 12.0/s)',
    'also     12'.replace('12', '120') + ' requests  1 failures  5 refused  2 parts to apply',
    'about 1m left, if nothing new is found',
    'slow     slow.example: answers take 9 s',
  ])
  for (const width of [40, 60])
    assert.ok(liveLines(history, { width, colour: false }).every((line) => [...line].length < width))
})

test('a crawl that waits only for courtesy says so', () => {
  const history = run(snapshot(0), snapshot(10, { waitingOnlyForCourtesy: true, nextDueMs: 1500 }))
  assert.match(liveLines(history, PLAIN).join('\n'), /waiting only for courtesy .*next request in 1\.5s/)
  assert.match(progressLine(history), /waiting only for courtesy/)
})

test('colour only where it is wanted', () => {
  const history = run(snapshot(0), snapshot(10))
  assert.ok(!liveLines(history, PLAIN).join('').includes('\x1b'))
  const coloured = liveLines(history, { width: 60, colour: true })
  assert.ok(coloured.join('').includes('\x1b[36m'))
  assert.ok(coloured.every((line) => line.replace(/\x1b\[\d+m/g, '').length < 60))
})

test('nothing that strangers write steers the terminal', () => {
  const history = run(snapshot(0), snapshot(10, { slow: [{ site: 'a\x1b[2Jb\r\n', why: '\u202eevil\x07' }] }))
  assert.ok(!/[\x00-\x09\x0b-\x1f\u202e]/.test([...liveLines(history, PLAIN), progressLine(history)].join('\n')))
  assert.equal(plain('a\x1b[31mb'), 'a?[31mb')
})

test('a line is cut by columns, not by bytes, and keeps its escapes whole', () => {
  assert.equal(clip('abcdef', 6), 'abcdef')
  assert.equal(clip('abcdefg', 6), 'abcde…')
  assert.equal(clip('\x1b[1mabcdefg\x1b[22m h', 6), '\x1b[1mabcde…\x1b[22m')
  assert.equal(clip('ααααααα', 4), 'ααα…')
})
