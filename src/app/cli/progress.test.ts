import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import { recordedScreen, SNAPSHOT } from './fake-services.test-data.ts'
import { type History, liveLines, progressLine, rates, remember, timeLeftMs, watchCrawl } from './progress.ts'
import { clip, plain } from './text.ts'

const T0 = 1_780_000_000_000

function snapshot(seconds: number, changes: Partial<CrawlSnapshot> = {}): CrawlSnapshot {
  return {
    at: T0 + seconds * 1000,
    documents: seconds * 10,
    bytes: seconds * 150_000,
    requests: seconds * 12,
    sites: { busy: 3, waiting: 4, free: 1, done: 2, barred: 0, total: 10 },
    urls: { known: 1000, waiting: 1000 - seconds * 12, done: seconds * 12 },
    refresh: undefined,
    failures: 1,
    refused: 5,
    inbox: 0,
    waitsFor: undefined,
    next: undefined,
    slow: [],
    paused: undefined,
    lateMs: 0,
    stuckMs: 0,
    outage: undefined,
    ...changes,
  }
}

const run = (...snapshots: CrawlSnapshot[]): History => snapshots.reduce<History | undefined>(remember, undefined)!
const PLAIN = { width: 100, colour: false }

test('rates are those of the last half minute', () => {
  const steady = run(...Array.from({ length: 60 }, (_, i) => snapshot(i)))
  assert.equal(rates(steady).documents, 10)
  const stalled = run(
    ...Array.from({ length: 60 }, (_, i) => snapshot(i)),
    ...[70, 80, 95].map((s) => ({ ...snapshot(59), at: T0 + s * 1000 })),
  )
  assert.equal(rates(stalled).documents, 0)
  assert.equal(rates(run(snapshot(0))).documents, 0)
})

test('the history of snapshots stays small and keeps the first one', () => {
  const long = run(...Array.from({ length: 5000 }, (_, i) => snapshot(i / 2)))
  assert.ok(long.length < 250)
  assert.equal(long[0].at, T0)
})

test('the time left follows from the recent pace', () => {
  assert.equal(timeLeftMs(run(snapshot(0), snapshot(10))), (880 / 12) * 1000)
  assert.equal(timeLeftMs(run(snapshot(0))), undefined)
  assert.match(progressLine(run(snapshot(0))), /discovering URLs/)
  assert.match(progressLine(run(snapshot(0), snapshot(10))), /at least 1m left, longer if new URLs are found/)
  // A crawl that was fast, and has ten URLs of one slow site left.
  const fast = Array.from({ length: 20 }, (_, i) =>
    snapshot(i, { urls: { known: 1000, waiting: 1000 - i * 50, done: i * 50 } }),
  )
  const slow = Array.from({ length: 20 }, (_, i) =>
    snapshot(20 + i, { urls: { known: 1000, waiting: 40 - i, done: 960 + i } }),
  )
  assert.equal(timeLeftMs(run(...fast, ...slow)), 21_000)
  assert.match(progressLine(run(...fast, ...slow)), /at least 20s left/)
})

test('no time left is estimated for the last few URLs', () => {
  const few = run(snapshot(0), snapshot(10, { urls: { known: 1000, waiting: 7, done: 993 } }))
  assert.match(progressLine(few), /7 URLs left on 8 sites/)
  assert.doesNotMatch(progressLine(few), /at least/)
  const grows = [0, 1, 2].map((s) => snapshot(s, { urls: { known: 10 + s * 20, waiting: 9 + s * 5, done: s * 15 } }))
  assert.match(progressLine(run(...grows)), /discovering URLs/, 'those are not the last')
})

test('the trend of the queue is that of the last seconds; an empty queue has none', () => {
  const grown = Array.from({ length: 15 }, (_, i) => snapshot(i, { urls: { known: 1000, waiting: i * 60, done: 0 } }))
  const shrinking = Array.from({ length: 4 }, (_, i) =>
    snapshot(15 + i, { urls: { known: 1000, waiting: 850 - i * 10, done: i * 10 } }),
  )
  const queue = (history: History) => liveLines(history, PLAIN).find((line) => line.startsWith('queue'))
  assert.equal(queue(run(...grown)), 'queue    840 waiting, growing by 60.0/s')
  assert.equal(queue(run(...grown, ...shrinking)), 'queue    820 waiting, shrinking by 10.0/s')
  const over = snapshot(26, { urls: { known: 1000, waiting: 0, done: 1000 }, sites: { ...snapshot(0).sites, busy: 0 } })
  assert.equal(queue(run(...grown, over)), 'queue    0 waiting')
  assert.match(progressLine(run(...grown, over)), /the queue is empty/)
})

test('the live view has a few lines that fit the width', () => {
  const history = run(
    snapshot(0),
    snapshot(10, { slow: [{ site: 'slow.example', why: 'answers take 9 s' }], inbox: 2 }),
  )
  assert.deepEqual(liveLines(history, PLAIN), [
    'Orbweaver  10s  100 documents  1.5 MB  10.0/s  150 kB/s',
    'sites    3 busy  5 waiting  2 done  of 10',
    'URLs     ██░░░░░░░░░░░░░░░░░░ 120 of 1,000 known',
    'queue    880 waiting, shrinking by 12.0/s',
    'also     120 requests  1 failure  5 refused  2 parts to apply',
    'at least 1m left, longer if new URLs are found',
    'slow     slow.example: answers take 9 s',
  ])
  for (const width of [40, 60])
    assert.ok(liveLines(history, { width, colour: false }).every((line) => [...line].length < width))
  const millions = { known: 12_345_678, waiting: 11_111_111, done: 1_234_567 }
  const large = run(snapshot(0), snapshot(10, { documents: 1_234_567, requests: 2_345_678, urls: millions }))
  for (const line of liveLines(large, { width: 80, colour: false })) assert.doesNotMatch(line, /…/, 'cut at 80 columns')
})

test('a waiting crawl shows what it waits for: a pause, a retry, the database', () => {
  const next = { site: 'a.test', inMs: 1500 }
  const polite = run(snapshot(0), snapshot(10, { waitsFor: 'courtesy', next }))
  assert.match(liveLines(polite, PLAIN).join('\n'), /waiting out politeness pauses; next request in 1\.5s/)
  assert.match(progressLine(polite), /waiting out politeness pauses/)
  const refused = progressLine(run(snapshot(0), snapshot(10, { waitsFor: 'retry', next })))
  assert.match(refused, /waiting to retry a\.test in 1\.5s/)
  assert.doesNotMatch(refused, /pauses/)
  const nobody = { ...snapshot(0).sites, busy: 0, free: 3 }
  assert.match(progressLine(run(snapshot(0), snapshot(1, { sites: nobody }))), /waiting for a worker: 3 sites ready/)
  const outage = { what: 'the database db.test cannot be reached: nothing listens there', forMs: 12_300 }
  const away = progressLine(run(snapshot(0), snapshot(10, { outage, lateMs: 10_000 })))
  assert.match(away, /waiting for the database for 12s: the database db\.test cannot be reached/)
  assert.doesNotMatch(away, /machine/)
})

test('colour is used only when enabled', () => {
  const history = run(snapshot(0), snapshot(10))
  assert.ok(!liveLines(history, PLAIN).join('').includes('\x1b'))
  const coloured = liveLines(history, { width: 60, colour: true })
  assert.ok(coloured.join('').includes('\x1b[36m'))
  assert.ok(coloured.every((line) => line.replace(/\x1b\[\d+m/g, '').length < 60))
})

test('no text from the web controls the terminal', () => {
  const history = run(snapshot(0), snapshot(10, { slow: [{ site: 'a\x1b[2Jb\r\n', why: '\u202eevil\x07' }] }))
  assert.ok(!/[\x00-\x09\x0b-\x1f\u202e]/.test([...liveLines(history, PLAIN), progressLine(history)].join('\n')))
  assert.equal(plain('a\x1b[31mb'), 'a?[31mb')
})

test('a line is cut by columns, not by bytes, and escape sequences stay intact', () => {
  assert.equal(clip('abcdef', 6), 'abcdef')
  assert.equal(clip('abcdefg', 6), 'abcde…')
  assert.equal(clip('\x1b[1mabcdefg\x1b[22m h', 6), '\x1b[1mabcde…\x1b[22m')
  assert.equal(clip('ααααααα', 4), 'ααα…')
})

test('an outage of the database and its end are reported, even with --quiet', async () => {
  const clock = virtualClock(0)
  const screen = recordedScreen()
  const begun = clock.elapsed()
  const outage = (): CrawlSnapshot['outage'] => {
    const ms = clock.elapsed() - begun
    return ms < 5000 || ms > 30_000 ? undefined : { what: 'the database db.test cannot be reached', forMs: ms - 5000 }
  }
  const view = watchCrawl(() => ({ ...SNAPSHOT, outage: outage() }), { screen, clock, quiet: true, lineEvery: 1000 })
  await clock.run(clock.sleep(40_000))
  view.stop()
  assert.equal(
    screen.err,
    'orbweaver: the database db.test cannot be reached; waiting for it, nothing is lost\n' +
      'orbweaver: the database is back after 26s\n',
  )
})
