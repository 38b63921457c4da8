import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOON } from '../../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { loadSettings } from '../../app/config/load.ts'
import type { Instant } from '../../base/clock.ts'
import type { Event } from '../../contracts/events.ts'
import type { Resolve } from '../../contracts/exchange.ts'
import { usualUrls } from '../../web/url/web-url.ts'
import { DEFAULT_HEURISTIC } from './heuristics.ts'
import { linesOf, nameChecker, readMirrorFile, renewMirrorFile, writeMirrorFile } from './mirror-file.ts'
import { type AliasNames, type MirrorMaintenanceParts, maintainMirrors } from './mirror-maintenance.ts'
import { addPage, catalogueOf } from './sample-sites.test-data.ts'

const PATH = 'collection/mirrors.txt'

function diskWith(text: string | undefined) {
  const disk = memoryDisk()
  if (text === undefined) return disk
  const file = disk.append(PATH)
  file.write(new TextEncoder().encode(text))
  file.close()
  return disk
}

const textOf = (disk: ReturnType<typeof memoryDisk>) =>
  new TextDecoder().decode(disk.read(PATH, 0, disk.size(PATH) ?? 0))

function nameBook(now: () => Instant) {
  const known = new Map<string, { name: string; original: string; how: string; since: Instant }>()
  const book: AliasNames = {
    alias: async (_, name) => {
      known.set(name.name, { ...name, since: now() })
      return 'taken'
    },
    unalias: async (_, name) => known.delete(name),
    aliases: async () => [...known.values()],
  }
  return { known, book }
}

const UNDECIDED: MirrorMaintenanceParts['decisions'] = {
  mirrors: { confirmed: [], overruled: [] },
  choiceOf: () => undefined,
}

const pairsOf = (known: ReadonlyMap<string, { name: string; original: string }>) =>
  [...known.values()].map(({ name, original }) => `${name} ${original}`).sort()

test("the flag's default heuristic is the documented one", () => {
  const { settings } = loadSettings([], 'mirrors', { env: {}, readFile: () => undefined })
  assert.equal(settings.heuristic, DEFAULT_HEURISTIC)
})

test('names that do not exist are distinguished from those without an answer', async () => {
  let atOnce = 0
  let max = 0
  const resolve: Resolve = async (host) => {
    max = Math.max(max, ++atOnce)
    await new Promise((done) => queueMicrotask(() => done(undefined)))
    atOnce--
    if (host.startsWith('gone')) return { kind: 'failed', failure: { kind: 'no-such-name', detail: '' } }
    if (host.startsWith('mute')) return { kind: 'failed', failure: { kind: 'dns', detail: '' } }
    return { kind: 'addresses', list: [{ ip: '192.0.2.1' }] }
  }
  const names = [...Array.from({ length: 300 }, (_, i) => `s${i}.test`), 'gone.test:8080', 'mute.test', 's1.test']
  const { gone, unanswered } = await nameChecker(resolve)(names)
  assert.deepEqual([...gone], ['gone.test:8080'])
  assert.equal(unanswered, 1)
  assert.equal(max, 50)
})

test('a list is made, and renewed with what a person wrote', async () => {
  const disk = diskWith(undefined)
  const pair = { replica: 'b.test', original: 'a.test', shared: 3, telling: 3, sameHome: true, total: 3 }
  const renewal = { heuristic: 'Dups60' as const, pairs: [pair], at: NOON, gone: new Set<string>() }
  assert.deepEqual(await renewMirrorFile(disk, PATH, renewal), { pairs: 1, left: 0 })
  const mine = {
    kind: 'pair' as const,
    text: 'dead.test a.test',
    replica: 'dead.test',
    original: 'a.test',
    ours: false,
  }
  await writeMirrorFile(disk, PATH, [...linesOf(disk, PATH), mine])
  const check = async (names: readonly string[]) => ({
    gone: new Set(names.filter((name) => name === 'dead.test')),
    unanswered: 0,
  })
  assert.deepEqual(await renewMirrorFile(disk, PATH, { ...renewal, pairs: [] }, check), { pairs: 0, left: 2 })
  assert.match(textOf(disk), /# left 2024-01-01: dead\.test a\.test: dead\.test does not resolve/)
  assert.deepEqual(readMirrorFile(disk, PATH), [])
})

test('a crawl enters the list, and drops aliases that a person removed from it', async () => {
  const database = await catalogueOf({})
  const clock = virtualClock(NOON)
  const { known, book } = nameBook(() => clock.now())
  const common = { database, names: book, urls: usualUrls, decisions: UNDECIDED, clock, journal: { record() {} } }
  await maintainMirrors({ ...common, disk: diskWith('b.test a.test\nc.test b.test\n'), path: PATH })
  assert.deepEqual(pairsOf(known), ['b.test a.test', 'c.test a.test'])
  known.set('www.x.test', { name: 'www.x.test', original: 'x.test', how: 'www', since: 0 })
  const since = known.get('b.test')!.since
  await clock.run(clock.sleep(1000))
  await maintainMirrors({ ...common, disk: diskWith('b.test a.test\nc.test d.test\n'), path: PATH })
  assert.deepEqual(pairsOf(known), ['b.test a.test', 'c.test d.test', 'www.x.test x.test'])
  assert.equal(known.get('b.test')!.since, since, 'what stays keeps its date')
  await maintainMirrors({ ...common, disk: diskWith(undefined), path: undefined })
  assert.deepEqual(pairsOf(known), ['www.x.test x.test'])
})

test('what operators decided counts more than the list, and stays when home pages differ', async () => {
  const database = await catalogueOf({ 'a.test': { '/': 'one' }, 'c.test': { '/': 'other' } })
  const clock = virtualClock(NOON - 1)
  const { known, book } = nameBook(() => clock.now())
  const disk = diskWith('b.test a.test\nd.test a.test\n! c.test a.test\n')
  const pair = (replica: string) => ({ replica, original: 'a.test' })
  // Whichever of the two is named first.
  const overruled = [{ replica: 'a.test', original: 'b.test' }]
  const decisions: MirrorMaintenanceParts['decisions'] = {
    mirrors: { confirmed: [pair('c.test')], overruled },
    choiceOf: (site) => (site === 'c.test' ? { copyOf: 'a.test' } : undefined),
  }
  const parts = { database, disk, path: PATH, names: book, urls: usualUrls, decisions, clock, journal: { record() {} } }
  const mirrors = await maintainMirrors(parts)
  await mirrors.finish()
  assert.deepEqual(pairsOf(known), ['c.test a.test', 'd.test a.test'])
  await maintainMirrors({ ...parts, decisions: UNDECIDED })
  assert.deepEqual(pairsOf(known), ['b.test a.test', 'd.test a.test'])
})

test('a replica that became a site of its own leaves frontier and file, with a comment and an event', async () => {
  const database = await catalogueOf({
    'a.test': { '/': 'one' },
    'b.test': { '/': 'one' },
    'c.test': { '/': 'a site of its own' },
  })
  const clock = virtualClock(NOON - 1)
  const { known, book } = nameBook(() => clock.now())
  const disk = diskWith('# mine\nb.test a.test\nc.test a.test  # Dups60, 9/9, 2023-12-01\n')
  const told: Event[] = []
  const journal = { record: (event: Event) => told.push(event) }
  const mirrors = await maintainMirrors({
    database,
    disk,
    path: PATH,
    names: book,
    urls: usualUrls,
    decisions: UNDECIDED,
    clock,
    journal,
  })
  await mirrors.compareSome()
  const left = { replica: 'c.test', original: 'a.test', why: 'their home pages differ' }
  assert.deepEqual(mirrors.left, [left])
  assert.deepEqual(told, [{ kind: 'mirror-left', ...left }])
  assert.deepEqual(pairsOf(known), ['b.test a.test'])
  assert.equal(textOf(disk), '# mine\nb.test a.test\n# left 2024-01-01: c.test a.test: their home pages differ\n')
  await addPage(database, 'http://b.test/', 'another', { outcome: { kind: 'kept', how: 'changed' } })
  await mirrors.finish()
  assert.doesNotMatch(textOf(disk), /^b\.test a\.test$/m)
  assert.deepEqual(pairsOf(known), [])
})

test('a pair leaves the file before the frontier: after a crash in between it leaves the frontier too', async () => {
  const database = await catalogueOf({ 'a.test': { '/': 'one' }, 'c.test': { '/': 'other' } })
  const clock = virtualClock(NOON - 1)
  const { known, book } = nameBook(() => clock.now())
  const disk = diskWith('c.test a.test\n')
  const parts = { database, disk, path: PATH, urls: usualUrls, decisions: UNDECIDED, clock, journal: { record() {} } }
  const crash = async () => assert.fail('the power is cut')
  const mirrors = await maintainMirrors({ ...parts, names: { ...book, unalias: crash } })
  await assert.rejects(mirrors.compareSome(), /the power is cut/)
  assert.deepEqual([known.size, readMirrorFile(disk, PATH)], [1, []])
  await maintainMirrors({ ...parts, names: book })
  assert.equal(known.size, 0)
})

test('a pair that could not leave because the database failed leaves the next time', async () => {
  const database = await catalogueOf({ 'a.test': { '/': 'one' }, 'c.test': { '/': 'other' } })
  const clock = virtualClock(NOON - 1)
  const { known, book } = nameBook(() => clock.now())
  const told: Event[] = []
  const journal = { record: (event: Event) => told.push(event) }
  let fails = true
  const unalias: AliasNames['unalias'] = async (tx, name) => (fails ? assert.fail('away') : book.unalias(tx, name))
  const parts = {
    database,
    disk: diskWith('c.test a.test\n'),
    path: PATH,
    urls: usualUrls,
    decisions: UNDECIDED,
    clock,
    journal,
  }
  const mirrors = await maintainMirrors({ ...parts, names: { ...book, unalias } })
  await assert.rejects(mirrors.compareSome(), /away/)
  assert.deepEqual([known.size, mirrors.left.length, told.length], [1, 0, 0])
  fails = false
  await mirrors.compareSome()
  assert.deepEqual([known.size, mirrors.left.length, told.length], [0, 1, 1])
})

test('a list that takes long to write is written rarely; pairs that leave meanwhile go with it', async () => {
  const home = (name: string) => ({ [name]: { '/': name } })
  const database = await catalogueOf({ ...home('a.test'), ...home('c.test'), 'b.test': { '/': 'a.test' } })
  const clock = virtualClock(NOON - 1)
  const { known, book } = nameBook(() => clock.now())
  const quick = diskWith('b.test a.test\nc.test a.test\n')
  const disk = { ...quick, syncFolder: (path: string) => clock.sleep(1000).then(() => quick.syncFolder(path)) }
  const parts = {
    database,
    disk,
    path: PATH,
    names: book,
    urls: usualUrls,
    decisions: UNDECIDED,
    clock,
    journal: { record() {} },
  }
  const mirrors = await maintainMirrors(parts)
  await clock.run(mirrors.compareSome())
  await addPage(database, 'http://b.test/', 'another', { outcome: { kind: 'kept', how: 'changed' } })
  await mirrors.compareSome()
  assert.deepEqual([pairsOf(known), readMirrorFile(disk, PATH).length], [['b.test a.test'], 1])
  await clock.run(clock.sleep(60_000))
  await clock.run(mirrors.compareSome())
  assert.deepEqual([pairsOf(known), readMirrorFile(disk, PATH).length], [[], 0])
})

test('what was seen before the list was entered proves nothing', async () => {
  const database = await catalogueOf({ 'a.test': { '/': 'one' }, 'c.test': { '/': 'other' } })
  const clock = virtualClock(NOON + 1)
  const { known, book } = nameBook(() => clock.now())
  const parts = { database, names: book, urls: usualUrls, decisions: UNDECIDED, clock, journal: { record() {} } }
  const mirrors = await maintainMirrors({ ...parts, disk: diskWith('c.test a.test\n'), path: PATH })
  await mirrors.finish()
  assert.equal(known.size, 1)
})

test('a list with faults is refused before the crawl begins, with the line', async () => {
  const disk = diskWith('a.test\nb.test b.test\n')
  assert.throws(() => readMirrorFile(disk, PATH), /mirrors\.txt: line 1: two names .*; line 2: b\.test cannot/)
  assert.throws(() => readMirrorFile(memoryDisk(), 'nowhere.txt'), /nowhere\.txt: there is no such file/)
})
