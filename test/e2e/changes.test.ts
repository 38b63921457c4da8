/** What changed on a page, as the program shows it: between a crawl and a refresh of a small site. */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import {
  crawl,
  folder,
  json,
  links,
  type Pages,
  run,
  runTo,
  type Scene,
  serve,
  start,
  until,
  type Web,
} from './command.ts'

/** Hostile: it tries to colour, to turn the text round, and to run a script in the comparison. */
const EVIL = 'evil \x1b[31m \u202e \u009b31m <script>alert(1)</script> "\'&'
const story = (changes: Partial<Record<'lead' | 'link' | 'image' | 'count', string>>, isMoved = false) => {
  const { lead = 'The old lead of the story', link = '/a', image = 'one.png', count = '12' } = changes
  const first = '<p>A first paragraph that may move about.</p>'
  return `<!doctype html><title>Story</title><body><div id="main"><h1>Story</h1>${isMoved ? '' : first}
    <p>${lead}</p><p>日本語の文章です。東京。</p><p>See <a href="${link}">more about it</a></p><p><img src="${image}"></p>
    <ul><li>One item</li><li>Another item</li></ul>${isMoved ? first : ''}</div><p>Visits: ${count}</p>`
}

const escapes = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Crawled, changed, and looked at again. */
async function changedSite(scene: Scene, ...flags: string[]): Promise<{ web: Web; at: string; pages: Pages[string] }> {
  const pages: Pages[string] = {
    '/': links('/story', '/same', '/moves', '/notes.txt', '/data.pdf', '/counter'),
    '/story': story({}),
    '/same': '<p>always the same',
    '/moves': '<p>here for now',
    '/counter': '<p>Text that stays<p>Visits: 1',
    '/notes.txt': { headers: { 'content-type': 'text/plain' }, body: 'one\ntwo\nthree\n' },
    '/data.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4\n\x00\x01\x02 one' },
  }
  const web = await serve(scene, { 'a.test': pages })
  const at = folder(scene)
  await runTo(0, crawl(web, at, 'http://a.test/', ...flags))
  pages['/story'] = story(
    { lead: `The new lead of the story ${escapes(EVIL)}`, link: '/b', image: 'two.png', count: '13' },
    true,
  )
  pages['/moves'] = { status: 301, headers: { location: '/same' } }
  pages['/counter'] = '<p>Text that stays<p>Visits: 2'
  pages['/notes.txt'] = { headers: { 'content-type': 'text/plain' }, body: 'one\n2\nthree\nfour\n' }
  pages['/data.pdf'] = { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4\n\x00\x01\x02 two' }
  await refresh(web, at, ...flags)
  return { web, at, pages }
}

const refresh = (web: Web, at: string, ...flags: string[]) =>
  runTo(0, ['refresh', '--once', ...crawl(web, at, ...flags).slice(1), '--quiet'])

/** Controls except line ends, and marks that turn the direction of a text. */
const RAW = /(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

test('diff shows what changed, side by side, in a terminal, as a page and as JSON', async (t) => {
  const { at, web, pages } = await changedSite(t)
  const { stdout } = await runTo(0, ['diff', 'http://a.test/story', '-c', at])
  assert.match(stdout, /Blocks: 3 changed, 1 moved, 5 the same\.\nBlocks with the same text that differ in links 1\./)
  assert.match(stdout, /^@ body > div#main > p$/m)
  assert.match(stdout, /\[-old-\].*│.*\{\+new\+\}/)
  assert.match(stdout, /links: \/a → \/b/)
  assert.match(stdout, /images: one\.png → two\.png/)
  assert.match(stdout, /moved down: move 1/)
  assert.match(stdout, /\[-12-\]/)
  assert.doesNotMatch(stdout, RAW, 'nothing of the page reaches the terminal as it came')
  for (const line of stdout.split('\n')) assert.ok([...line].length <= 80, line)

  const file = join(at, 'changes.html')
  await runTo(0, ['diff', 'http://a.test/story', '-c', at, '--html', file])
  const page = readFileSync(file, 'utf8')
  assert.match(page, /<del>old<\/del>/)
  assert.match(page, /<ins>new<\/ins>/)
  assert.match(page, /default-src 'none'/)
  assert.doesNotMatch(page, /<script|javascript:|\bsrc=|https?:\/\/(?!a\.test)/i)
  assert.match(page, /&lt;script&gt;alert/)
  assert.doesNotMatch(page, RAW)

  const { stdout: text } = await runTo(0, ['diff', 'http://a.test/story', '-c', at, '--json'])
  assert.doesNotMatch(text, RAW)
  const { diff, before } = JSON.parse(text)
  assert.deepEqual([diff.counts.changed, diff.counts.moved, diff.counts.link], [3, 1, 1])

  // Any two versions: the last two, or what was current at a time.
  pages['/story'] = story({ lead: 'A third lead' })
  await refresh(web, at)
  const third = await json<{ diff: { counts: object }; captures: number }>([
    ...['diff', 'a.test/story', '-c', at, '--from', before.at],
  ])
  assert.equal(third.captures, 3)
  assert.deepEqual(third.diff.counts, { ...NOTHING, same: 9, changed: 1 })
})

const NOTHING = {
  same: 0,
  changed: 0,
  added: 0,
  removed: 0,
  moved: 0,
  tag: 0,
  link: 0,
  image: 0,
  attribute: 0,
  place: 0,
}

test('diff says what it cannot compare, and why', async (t) => {
  const { at } = await changedSite(t)
  const said = async (code: number, ...args: string[]) => {
    const { stdout, stderr } = await runTo(code, ['diff', ...args, '-c', at])
    return code === 0 ? stdout : stderr
  }
  assert.match(await said(0, 'http://a.test/notes.txt'), /Lines: 1 changed, 1 added, 2 the same/)
  assert.match(
    await said(0, 'http://a.test/data.pdf'),
    /not text, so only their bytes.*sha1:\w+ before, sha1:\w+ after/s,
  )
  assert.match(await said(0, 'http://a.test/same'), /is the same in 2 captures/)
  assert.match(await said(1, 'http://a.test/nowhere'), /was not collected; 'orbweaver explain/)
  assert.match(
    await said(1, 'http://a.test/moves'),
    /has one capture, of .* so there is nothing to compare; 'orbweaver refresh/,
  )
  assert.match(
    await said(1, 'http://a.test/story', '--from', '2001-01-01'),
    /not collected at or before 2001-01-01 23:59:59 UTC; its first/,
  )
  assert.match(
    await said(2, 'http://a.test/story', '--from', '2002-01-01', '--to', '2001-01-01'),
    /--from .* is later than --to/,
  )
  // With a retention that keeps the last version only.
  await runTo(0, ['clean', '-c', at, '--retention', 'none', '--remove'])
  assert.match(await said(1, 'http://a.test/story'), /has one capture.*removed: clean --retention/)
  assert.equal((await run(['verify', '-c', at])).code, 0)
})

test('diff of an image says what differs in its pixels, and shows both in the page', async (t) => {
  const image = (dark: number) => {
    const png = new PNG({ width: 40, height: 30 })
    png.data.fill(255)
    png.data.fill(0, 0, dark * 4)
    return { headers: { 'content-type': 'image/png' }, body: PNG.sync.write(png) }
  }
  const pages: Pages[string] = { '/': '<img src="/a.png"><a href="/a.png">a</a><a href="/b.png">b</a>' }
  Object.assign(pages, { '/a.png': image(0), '/b.png': image(0) })
  const web = await serve(t, { 'a.test': pages })
  const at = folder(t)
  const types = ['--media-types', 'text/html,image/png']
  await runTo(0, [...crawl(web, at, 'http://a.test/'), ...types])
  const { body } = image(9)
  Object.assign(pages, { '/a.png': image(8), '/b.png': { ...image(9), body: body.subarray(0, 50) } })
  await runTo(0, ['refresh', '--once', ...crawl(web, at).slice(1), ...types, '--quiet'])
  const { stdout } = await runTo(0, ['diff', 'http://a.test/a.png', '-c', at])
  assert.match(
    stdout.replace(/\s+/g, ' '),
    /PNG, 40 × 30\. 8 pixels differ \(0\.7 %\).* within 8 × 1 at 0, 0\. Perceptual/,
  )
  const { images } = await json<{ images: { pixels: object; after: object } }>([
    'diff',
    'http://a.test/a.png',
    '-c',
    at,
  ])
  assert.match(JSON.stringify(images), /"changed":8,.*"isSameIval":/)
  const page = (await runTo(0, ['diff', 'http://a.test/a.png', '-c', at, '--html', '-'])).stdout
  assert.equal(page.match(/<img alt="\w+" src="data:image\/png;base64,/g)?.length, 2)
  assert.match(
    (await runTo(0, ['diff', 'http://a.test/b.png', '-c', at])).stdout,
    /The image after is a PNG that is damaged/,
  )
})

interface Change {
  at: string
  url: string
  change: string
  cursor: string
}
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Change)
const named = (changes: readonly Change[]) =>
  changes.map(({ change, url }) => `${change} ${new URL(url).pathname}`).sort()
const CHANGED = ['changed /counter', 'changed /data.pdf', 'changed /notes.txt', 'changed /story', 'moved /moves']

test('watch reports each change once; after any of them it goes on with the next', async (t) => {
  const { at, web, pages } = await changedSite(t)
  const watched = async (...flags: string[]) => linesOf((await runTo(0, ['watch', '-c', at, ...flags])).stdout)
  const all = await watched()
  assert.deepEqual(named(all), CHANGED)
  assert.deepEqual(named(await watched('--since', all[2].cursor)), named(all.slice(3)))
  assert.deepEqual(await watched('--since', 'now'), [])
  assert.equal((await watched('--since', '2001-01-01')).length, all.length)
  assert.deepEqual(await watched('--since', '2101-01-01'), [])
  assert.equal((await watched('--new')).length, all.length + 7)
  const since = ['--since', all.at(-1)!.cursor]
  pages['/counter'] = '<p>Text that stays<p>Visits: 3'
  await refresh(web, at)
  assert.deepEqual(await watched(...since), [], 'a counter that changes at every look is no change')
  const everything = await watched(...since, '--refresh-counts-as-change', 'markup')
  assert.deepEqual(named(everything), ['changed /counter'], 'unless the operator says so')
  delete pages['/counter']
  await refresh(web, at)
  assert.deepEqual(named(await watched(...since)), ['missing /counter'])
  const { stderr } = await runTo(2, ['watch', '-c', at, '--since', 's99999999'])
  assert.match(stderr, /the cursor is not one of .*--since 2026/)
})

test('watch --follow -o misses nothing and repeats nothing, though it is killed', async (t) => {
  const { at, web, pages } = await changedSite(t)
  const file = join(at, 'changes.jsonl')
  const args = ['watch', '-c', at, '--follow', '-o', file]
  const lines = () => (existsSync(file) ? linesOf(readFileSync(file, 'utf8')) : [])
  const first = start(args)
  await until('the first changes', () => lines().length === CHANGED.length)
  pages['/same'] = '<p>not the same any more'
  await refresh(web, at)
  await until('a change that is found meanwhile', () => lines().length === CHANGED.length + 1)
  first.child.kill('SIGKILL')
  await first.ended
  appendFileSync(file, '{"at":"a line that was cut off')
  pages['/counter'] = '<p>Quite another text'
  await refresh(web, at)
  const second = start(args)
  await until(
    'the change it missed',
    () => readFileSync(file, 'utf8').endsWith('\n') && lines().length > CHANGED.length + 1,
  )
  second.child.kill('SIGTERM')
  assert.equal((await second.ended).code, 0)
  assert.deepEqual(named(lines().slice(0, 5)), CHANGED)
  assert.deepEqual(named(lines().slice(5)), ['changed /counter', 'changed /same'])
  assert.equal(new Set(lines().map(({ cursor }) => cursor)).size, CHANGED.length + 2)
  writeFileSync(file, 'a file of mine\n')
  assert.match((await runTo(2, args)).stderr, /does not end with a change that watch wrote/)
  assert.equal(readFileSync(file, 'utf8'), 'a file of mine\n')
})

test('watch over PostgreSQL reports each change once, and goes on though it is killed', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    const database = ['--database', await postgres.newDatabase()]
    const { at, web, pages } = await changedSite(t, ...database)
    const watch = ['watch', '-c', at, ...database]
    const all = linesOf((await runTo(0, watch)).stdout)
    assert.deepEqual(named(all), CHANGED)
    assert.deepEqual(linesOf((await runTo(0, [...watch, '--since', all.at(-1)!.cursor])).stdout), [])
    const file = join(at, 'changes.jsonl')
    const lines = () => (existsSync(file) ? linesOf(readFileSync(file, 'utf8')) : [])
    const first = start([...watch, '--follow', '-o', file])
    await until('the first changes', () => lines().length === CHANGED.length)
    pages['/same'] = '<p>not the same any more'
    await refresh(web, at, ...database)
    await until('a change that is found meanwhile', () => lines().length === CHANGED.length + 1)
    first.child.kill('SIGKILL')
    await first.ended
    pages['/counter'] = '<p>Quite another text'
    await refresh(web, at, ...database)
    const second = start([...watch, '--follow', '-o', file])
    await until('the change it missed', () => lines().length > CHANGED.length + 1)
    second.child.kill('SIGTERM')
    assert.equal((await second.ended).code, 0)
    assert.deepEqual(named(lines().slice(CHANGED.length)), ['changed /counter', 'changed /same'])
    assert.equal(new Set(lines().map(({ cursor }) => cursor)).size, CHANGED.length + 2)
  } finally {
    await postgres.end()
  }
})

test('watch --feed writes a feed that a feed reader understands', async (t) => {
  const { at } = await changedSite(t)
  const file = join(at, 'changes.atom')
  await runTo(0, ['watch', '-c', at, '--feed', file])
  const feed = readFileSync(file, 'utf8')
  assert.equal(feed.match(/<entry>/g)?.length, CHANGED.length)
  assert.match(feed, /<category term="moved"\/>/)
  assert.match(feed, /<link rel="alternate" href="http:\/\/a.test\/story"\/>/)
  await runTo(0, ['watch', '-c', at, '--feed', file])
  assert.equal(readFileSync(file, 'utf8'), feed, 'entries keep their ids')
})

test('history says how much changed and where; report changes counts it', async (t) => {
  const { at } = await changedSite(t)
  const { stdout } = await runTo(0, ['history', 'http://a.test/story', '-c', at])
  assert.match(stdout, /first .*\n.*\n.*\n.* changed .*\n {4}change: (small|medium|large), .*body > div#main > p/)
  const { captures } = await json<{ captures: { change: string | null; place: string | null }[] }>([
    ...['history', 'http://a.test/data.pdf', '-c', at],
  ])
  assert.deepEqual(
    captures.map(({ change }) => change),
    [null, 'binary'],
  )
  const report = await json<{ looks: number; changed: number; classes: Record<string, number>; pages: number }>([
    ...['report', 'changes', '-c', at],
  ])
  assert.deepEqual([report.looks, report.changed, report.classes.binary], [6, 4, 1])
  assert.equal(
    Object.values(report.classes).reduce((sum, n) => sum + n, 0),
    4,
  )
  const tables = (await runTo(0, ['report', 'changes', '-c', at])).stdout
  assert.match(tables, /Share +Fetterly 2003/)
  assert.match(tables, /a\.test +\d+/)
  for (const line of tables.split('\n')) assert.ok([...line].length <= 80, line)
})
