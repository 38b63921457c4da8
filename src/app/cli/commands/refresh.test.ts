import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { CrawlEnd } from '../../composition/crawl.ts'
import type { CrawlSnapshot } from '../../composition/crawl-view.ts'
import type { PagePlan } from '../../reader/plan.ts'
import {
  FRESHNESS,
  fakeReader,
  fakeServices,
  NO_EMPTY_SEEDS,
  recordedScreen,
  SNAPSHOT,
} from '../fake-services.test-data.ts'
import { freshnessLines } from '../freshness-text.ts'
import { run } from '../main.ts'
import { liveLines, progressLine } from '../progress.ts'
import { planText } from './plan.ts'
import { refreshText } from './refresh.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-refresh-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'c'))
writeFileSync(join(folder, 'c', 'collection.db'), '')

const END: CrawlEnd = { why: 'complete', exit: 0, documents: 7, seeds: NO_EMPTY_SEEDS, mirrorsLeft: [] }
const LOOKS = { performed: 10, changed: 2, unchanged: 7, moved: 0, refused: 0, failed: 1 }
const HINTS = { performed: 0, discarded: 0, new: 0 }

async function orbweaver(argv: string[], services = fakeServices(END)) {
  const screen = recordedScreen()
  const exit = await run(argv, screen, services)
  return { exit, out: screen.out, err: screen.err, services }
}

test('refresh is a crawl in refresh mode, without the limits of a crawl', async () => {
  const { exit, services } = await orbweaver(['refresh', '-c', join(folder, 'c'), '--for', '24h'])
  assert.equal(exit, 0)
  const [{ settings, seeds }] = services.crawls
  assert.deepEqual(seeds, [])
  assert.deepEqual([settings.refresh, settings.once, settings.maxTime], [true, false, 86_400_000])
  assert.equal(
    (await orbweaver(['crawl', 'http://a.test/', '-c', join(folder, 'd')])).services.crawls[0].settings.refresh,
    false,
  )
})

test('its end: the time was asked for, Ctrl-C is an interrupt that says how to go on', async () => {
  const ended = (why: CrawlEnd['why'], exit: number, ...flags: string[]) =>
    orbweaver(['refresh', '-c', join(folder, 'c'), ...flags], fakeServices({ ...END, why, exit }))
  assert.equal((await ended('time', 15, '--for', '1h')).exit, 0)
  const stopped = await ended('interrupted', 11, '--once')
  assert.equal(stopped.exit, 11)
  assert.match(stopped.err, /Go on with: orbweaver refresh --once -c /)
})

test('mistakes are named', async () => {
  const none = await orbweaver(['refresh', '-c', join(folder, 'nothing')])
  assert.equal(none.exit, 2)
  assert.match(none.err, /there is no collection in .*nothing to refresh/)
  const both = await orbweaver(['refresh', '-c', join(folder, 'c'), '--once', '--for', '1h'])
  assert.match(both.err, /--once and --for contradict each other/)
  assert.equal((await orbweaver(['refresh', '--max-pages', '3'])).exit, 2)
  const early = await orbweaver(['plan', '-c', join(folder, 'c')])
  assert.equal(early.exit, 1)
  assert.match(early.err, /nothing is planned yet; begin with: orbweaver refresh/)
})

const FIRST: CrawlSnapshot = {
  ...SNAPSHOT,
  refresh: { pages: 100, looks: { ...LOOKS, hints: HINTS }, freshness: undefined },
}
const LATER: CrawlSnapshot = {
  ...FIRST,
  at: FIRST.at + 20_000,
  documents: 9,
  sites: { ...FIRST.sites, waiting: 1 },
  refresh: {
    pages: 102,
    looks: { ...LOOKS, performed: 50, changed: 5, unchanged: 44, hints: HINTS },
    freshness: FRESHNESS,
  },
  next: { site: 'a.test', inMs: 90_000 },
}

test('the progress of a refresh shows the looks of this run, new pages, freshness and its bound', () => {
  const line = progressLine([FIRST, LATER])
  assert.equal(
    line,
    '20s: 40 looks, 3 changed, 37 unchanged, 0 failed, 2.0/s; 2 new pages; freshness 93.1% of at most 95.0%; next look in 1m30s, at a.test',
  )
  const live = liveLines([FIRST, LATER], { width: 90, colour: false })
  assert.match(live[0], /^Orbweaver {2}20s {2}102 pages {2}freshness 93\.1% of at most 95\.0%$/)
  assert.match(live[1], /^looks {4}40 {2}3 changed {2}37 unchanged {2}0 failed {2}2\.0\/s$/)
  assert.ok(live.every((text) => text.length < 90))
  assert.match(liveLines([FIRST], { width: 90, colour: false })[0], /freshness not measured yet/)
})

test('the result of a refresh', () => {
  const text = refreshText({ end: END, first: FIRST, last: LATER, tookMs: 20_000 }, 'c', true)
  assert.match(
    text,
    /^Done: 40 looks \(3 changed, 37 unchanged, 0 failed\), 2 new pages, in 20s\.\nExpected freshness 93\.1% of at most 95\.0%\.\nCollection: c$/,
  )
})

test('a collection just looked at may be fresher than it can stay', () => {
  const freshness = { ...FRESHNESS, freshness: 0.99991, ageSeconds: 0.2 }
  const last = { ...LATER, refresh: { ...LATER.refresh!, freshness } }
  const text = refreshText({ end: END, first: FIRST, last, tookMs: 20_000 }, 'c', true)
  assert.match(text, /\nExpected freshness 99\.991% \(at most 95\.0% in the long run\)\.\n/)
  assert.match(freshnessLines(freshness).join('\n'), /out of date for less than 1s on average/)
})

test('status shows freshness, age, the bound and what would help', async () => {
  const reader = fakeReader()
  const standing = async () => {
    const status = await reader.standing()
    return { ...status, urls: { ...status.urls, refreshing: 5 }, looks: { ...LOOKS, hints: HINTS } }
  }
  const services = () => fakeServices(END, fakeReader({ standing, freshness: async () => FRESHNESS }))
  const { out } = await orbweaver(['status', '-c', join(folder, 'c')], services())
  assert.match(
    out,
    /fresh {7}93\.1% expected, of 10,987,654 known pages\n +\(measured: 1,000,321 of them, on 12,345 sites\)\n +out of date for 3h12m/,
  )
  assert.match(out, /at most {5}95\.0%, with 120 looks\/s\n +staleness is 1\.38 times/)
  assert.match(out, /gain {8}\+0\.010% from one look\/s more, \+0\.31% from 10% shorter pauses/)
  assert.match(out, /looks {7}10 : 2 changed, 7 unchanged\n +1 failed/)
  const json = JSON.parse((await orbweaver(['status', '--json', '-c', join(folder, 'c')], services())).out)
  assert.equal(json.freshness.stalenessRatio, 1.38)
  assert.equal(json.freshness.at, '2026-05-28T20:27:40.000Z')
  assert.equal(json.looks.unchanged, 7)
  assert.equal('price' in json.freshness, false)
})

test('just looked at, pages may be fresher than they can stay', () => {
  const atMost = (boundLooks: number) => freshnessLines({ ...FRESHNESS, boundLooks }).join('\n')
  assert.match(atMost(0.0084), /with 30\.2 looks\/h$/m)
  assert.match(atMost(1.2), /with 1\.20 looks\/s$/m)
  assert.ok(freshnessLines({ ...FRESHNESS, stalenessRatio: 0.4 }).some((line) => /fresher than it can stay/.test(line)))
})

test('plan prints a page in sentences and others as a table', () => {
  const now = 1_780_000_000_000
  const page: PagePlan = {
    ...{
      url: 'http://a.test/x',
      lookedAt: now - 3_600_000,
      dueAt: now + 7_200_000,
      changesPerDay: 0.5,
      low: 0.1,
      high: 2,
    },
    ...{ changes: 3, weight: 1, valueHours: 1.5, looksPerDay: 4, failures: 0 },
  }
  const one = planText({ pages: 9, asked: 1, priceHours: 0, plans: [page] }, now)
  assert.match(
    one,
    /Changes every 2d or so \(12h to 10d\): 3 changes seen\.\n {2}Looked at 60m ago; due in 2h; 4\.00 looks a day are best\.\n {2}A look now is worth 1h30m of freshness\./,
  )
  const two = planText(
    {
      pages: 9,
      asked: 2,
      priceHours: 0.5,
      plans: [page, { ...page, dueAt: undefined, low: 0, high: Number.POSITIVE_INFINITY }],
    },
    now,
  )
  assert.match(two, /2 pages of 9 known pages; a look must be worth 30m\. Those worth most now:/)
  assert.match(two, /in 2h +1h30m +4\.00 +2d \(12h to 10d\) +http:\/\/a\.test\/x/)
  assert.match(two, /never +1h30m +4\.00 +2d \(\? to \?\)/)
  const soon = { ...page, url: `http://a.test/${'long/'.repeat(20)}`, dueAt: now + 300 }
  const long = planText({ pages: 9, asked: 2, priceHours: 0, plans: [page, soon] }, now)
  assert.match(long, /^ {2}─{78}$/m)
  assert.match(long, /^ {2}now /m)
})
