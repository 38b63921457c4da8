import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import {
  FRESHNESS,
  fakeReader,
  fakeServices,
  NO_EMPTY_SEEDS,
  recordedScreen,
  STATUS,
  WORKER,
} from './fake-services.test-data.ts'
import { allCommands, run } from './main.ts'
import { workerSummary } from './progress.ts'
import type { Services } from './services.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-cli-'))
after(() => rmSync(folder, { recursive: true, force: true }))

async function orbweaver(line: string[], services = fakeServices()) {
  const screen = recordedScreen()
  const exit = await run(line, screen, services)
  return { exit, out: screen.out, err: screen.err, services }
}

test('every command has help with examples that it would take, and documented flags', async () => {
  const commands = await allCommands()
  assert.equal(commands.length, 25)
  for (const command of commands) {
    const { exit, out } = await orbweaver([command.name, '--help'])
    assert.equal(exit, 0)
    assert.ok(out.startsWith(`Usage: orbweaver ${command.name}`), command.name)
    assert.match(out, /\nExamples:\n {2}\S/)
    assert.ok(Object.keys(command.examples).length >= 2, command.name)
    for (const line of Object.keys(command.examples)) assert.ok(line.includes(`orbweaver ${command.name}`), line)
    assert.ok(out.includes('--json') && out.includes('--collection DIR'), command.name)
    assert.ok(
      out.split('\n').every((l) => [...l].length <= 80),
      `${command.name}: a line is too long`,
    )
    // An example is copied as it stands, so a long one goes on as a shell reads it.
    const copied = out.replace(/ \\\n +/g, ' ')
    for (const line of Object.keys(command.examples)) assert.ok(copied.includes(`  ${line}\n`), line)
  }
  for (const line of (await orbweaver(['--help'])).out.split('\n')) assert.ok([...line].length <= 80, line)
})

test('status and history fit 80 columns', async () => {
  const urls = { known: 12_345_678, done: 11_111_111, waiting: 1_234_567, refreshing: 10_987_654 }
  const looks = { performed: 123_456_789, changed: 12_345_678, unchanged: 101_234_567, moved: 12_345, refused: 1234 }
  const hints = { performed: 1_234_567, discarded: 12_345_678, new: 123_456 }
  const counted = { ...looks, failed: 123_456, hints }
  const reader = fakeReader({
    standing: async () => ({ ...STATUS, urls, documents: 10_987_654, looks: counted }),
    freshness: async () => FRESHNESS,
  })
  for (const command of [['status'], ['history', 'http://a.test/']])
    for (const line of (await orbweaver(command, fakeServices(undefined, reader))).out.split('\n'))
      assert.ok([...line].length <= 80, line)
  const over = fakeReader({ standing: async () => ({ ...STATUS, state: 'complete' }) })
  assert.doesNotMatch((await orbweaver(['status'], fakeServices(undefined, over))).out, /shrinks|trend/)
})

test('history shows every look, also those that left no capture, in 80 columns', async () => {
  const day = 86_400_000
  const begin = Date.UTC(2026, 4, 1, 12)
  const digest = `sha1:${'A'.repeat(32)}`
  const at = (nth: number) => begin + nth * day
  const common = {
    mediaType: 'text/html',
    length: 321,
    digest,
    volume: 'ORBWEAVER-20260501120000-00001-host~1.warc.gz',
    change: null,
    place: null,
  }
  const reader = fakeReader({
    history: async () => ({
      captures: [
        { ...common, at: at(0), status: 200, kind: 'response', offset: 5, look: 'first' },
        { ...common, at: at(1), status: 304, kind: 'revisit', mediaType: '', offset: 500, look: 'unmodified' },
        { ...common, at: at(4), status: 404, kind: 'response', offset: 900, look: 'missing' },
        {
          ...{ ...common, at: at(5), status: 200, kind: 'response', offset: 950, look: 'changed' },
          ...{ change: 'small', place: 'body > p, and \x1b1 more' },
        },
      ],
      failedLooks: [
        { at: at(2), status: -9998, outcome: 'refused', why: 'robots', detail: 'Disallow: /x' },
        { at: at(3), status: -2, outcome: 'later', why: 'connect-timeout', detail: null },
      ],
    }),
  })
  const { out } = await orbweaver(['history', 'http://a.test/'], fakeServices(undefined, reader))
  assert.equal(
    out,
    `http://a.test/
  2026-05-01 12:00:00 UTC  first       200  text/html  response of 321 B
    ${digest}
    ${common.volume}:5
  2026-05-02 12:00:00 UTC  unmodified  304  revisit of 321 B
    ${common.volume}:500
  2026-05-03 12:00:00 UTC  refused     forbidden by robots.txt (Disallow: /x)
  2026-05-04 12:00:00 UTC  failed      connection timed out
  2026-05-05 12:00:00 UTC  missing     404  text/html  response of 321 B
    ${digest}
    ${common.volume}:900
  2026-05-06 12:00:00 UTC  changed     200  text/html  response of 321 B
    change: small, body > p, and ?1 more
    ${digest}
    ${common.volume}:950
`,
  )
  for (const line of out.split('\n')) assert.ok([...line].length <= 80, line)
  const json = JSON.parse(
    (await orbweaver(['history', 'http://a.test/', '--json'], fakeServices(undefined, reader))).out,
  )
  assert.deepEqual(
    json.captures.map(({ look }: { look: string }) => look),
    ['first', 'unmodified', 'missing', 'changed'],
  )
  assert.deepEqual(json.failedLooks[0], {
    ...{ at: '2026-05-03T12:00:00.000Z', status: -9998, outcome: 'refused', why: 'robots', detail: 'Disallow: /x' },
  })
})

test('a worker ends with a summary of its work', async () => {
  const { err } = await orbweaver(['worker', '--server', 'http://127.0.0.1:8723', '-c', folder])
  assert.match(err, /\nThe crawl is complete\. This worker: 10 pages, 20 kB, in \d+m?s\.\n$/)
  const stopped = workerSummary('interrupted', { ...WORKER, pages: 1 }, 61_000)
  assert.equal(
    stopped,
    'Stopped: 1 page, 20 kB, in 1m1s. The same command in the same folder continues as the same worker.',
  )
})

test('without a settings file, the settings recorded in a shared database apply', async () => {
  const asked: string[] = []
  const reader = fakeReader({
    recordedSettings: async () => 'scope: tld:test\ncontact: me@example.org\nblacklist-urls: /no/such/list\n',
    whyNot: async (_, { scope, blacklistUrls }) => {
      asked.push(`${JSON.stringify(scope)} ${blacklistUrls}`)
      return undefined
    },
  })
  const shared = ['--database', 'postgres://db.test/x', '-c', join(folder, 'nowhere')]
  const services = fakeServices(undefined, reader)
  assert.doesNotMatch((await orbweaver(['report', ...shared], services)).out, /without --contact/)
  const { err } = await orbweaver(['explain', 'http://a.test/x', ...shared], services)
  assert.deepEqual([...new Set(asked)], [`${JSON.stringify('tld:test')} undefined`])
  assert.match(err, /note: the servers use \/no\/such\/list, which is not on this machine/)
  assert.match((await orbweaver(['report', '-c', join(folder, 'nowhere')], services)).out, /without --contact/)
})

test('help and version in every form', async () => {
  for (const line of [['--help'], ['-h'], ['help']]) assert.match((await orbweaver(line)).out, /Commands:\n {2}demo/)
  assert.match((await orbweaver(['help', 'crawl'])).out, /^Usage: orbweaver crawl/)
  assert.match((await orbweaver(['crawl', '--nonsense', '--help'])).out, /^Usage: orbweaver crawl/)
  assert.match((await orbweaver(['--version'])).out, /^orbweaver \d+\.\d+\.\d+\n$/)
  assert.equal((await orbweaver([])).exit, 2)
})

test('a mistake is one line and exit code 2', async () => {
  const mistakes: [string[], RegExp][] = [
    [['crwal'], /unknown command 'crwal'; did you mean 'crawl'\?/],
    [['www.example.org'], /to collect it: orbweaver crawl www\.example\.org/],
    [['--json'], /the command comes first/],
    [['crawl', '--puase', '3s'], /unknown flag --puase; did you mean --pause\?/],
    [['crawl', '-c', join(folder, 'nothing')], /no seeds given, and there is no collection in/],
    [['crawl', 'ftp://example.org/'], /cannot use 'ftp:\/\/example\.org\/' as a seed/],
    [['crawl', 'http://a.test/', '--pause', '10ms'], /--pause-for/],
    [['get'], /an argument is missing: orbweaver get URL/],
    [['get', 'a.test', 'b.test'], /unexpected argument 'b\.test'/],
    [['export', 'wacz'], /cannot export 'wacz'; choose cdxj, links, pages/],
    [['export', 'pages', '--into', 'x.db'], /--into works only with links/],
    [['report', 'everything'], /unknown report 'everything'/],
    [['simulate', 'weather'], /cannot simulate 'weather'/],
    [['seed'], /no seeds given/],
    [['explain', 'http://['], /is not a valid URL/],
    [['watch', '--since', 'soon'], /'soon' is neither a time nor a cursor; write 2026-05-01, now, or the cursor/],
    [['crawl', '--seeds', join(folder, 'none')], /--seeds: cannot read \S+\/none: no such file or folder\n/],
    [['crawl', '--seeds', folder], /--seeds: cannot read \S+: it is a folder\n/],
  ]
  for (const [line, pattern] of mistakes) {
    const { exit, err, out } = await orbweaver(line)
    assert.match(err, pattern)
    assert.match(err, /^orbweaver: [^\n]*\n$/)
    assert.equal(out, '')
    assert.equal(exit, 2, line.join(' '))
  }
})

test('serve prints the URL at which workers reach it', async () => {
  const said = async (...flags: string[]) => {
    const { exit, err } = await orbweaver([
      'serve',
      '-c',
      join(folder, 'served'),
      '--contact',
      'https://a.test/',
      ...flags,
    ])
    assert.equal(exit, 0, err)
    return err
  }
  const secret = join(folder, 'join')
  writeFileSync(secret, 'a secret of some length')
  const joins = ['--join-secret', `@${secret}`]
  assert.match(await said(), /start a worker with: orbweaver worker --server http:\/\/127\.0\.0\.1:8723 -c worker\n/)
  assert.match(
    await said('--public-url', 'https://crawl.example', ...joins),
    /serving at http:\/\/127\.0\.0\.1:8723; start a worker with: orbweaver worker --server https:\/\/crawl\.example --join-secret @FILE\n/,
  )
  assert.match(await said('--host', '0.0.0.0', ...joins), /worker --server http:\/\/barn:8723 --join-secret @FILE\n/)
  assert.match(
    await said('--host', '0.0.0.0'),
    /worker --server http:\/\/127\.0\.0\.1:8723 -c worker\n.*without --join-secret only workers on this machine/,
  )
})

test('a server may start with a seed file without seeds; a crawl may not', async () => {
  const seeds = join(folder, 'none.txt')
  writeFileSync(seeds, '# One seed a line.\n')
  const serve = await orbweaver(['serve', '-c', join(folder, 'unseeded'), '--seeds', seeds])
  assert.equal(serve.exit, 0, serve.err)
  const crawl = await orbweaver(['crawl', '-c', join(folder, 'unseeded-crawl'), '--seeds', seeds])
  assert.equal(crawl.exit, 2)
  assert.match(crawl.err, /none\.txt contains no seeds/)
})

test('a bug shows its stack and where to report it; a full disk says what to do', async () => {
  const broken = (error: Error) => ({ ...fakeServices(), openCollection: () => Promise.reject(error) })
  const bug = await orbweaver(['status'], broken(new TypeError('x is not a function')))
  assert.equal(bug.exit, 1)
  assert.match(bug.err, /TypeError: x is not a function\n +at .*\norbweaver: this is a bug/s)
  const full = await orbweaver(
    ['status'],
    broken(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })),
  )
  assert.equal(full.exit, 3)
  assert.match(full.err, /^orbweaver: the disk is full; free some space/)
  const foreign = await orbweaver(['status'], broken(new Problem('collection-in-use', 'another crawl has it')))
  assert.deepEqual([foreign.exit, foreign.err], [1, 'orbweaver: another crawl has it\n'])
})

test('every reading command opens the given database', async () => {
  const address = 'postgres://crawler@127.0.0.1/web'
  for (const line of [['status'], ['report'], ['history', 'a.test'], ['verify'], ['export', 'pages'], ['mirrors']]) {
    const services = fakeServices()
    await orbweaver([...line, '--database', address], services)
    assert.deepEqual(services.opened, [address], line.join(' '))
  }
})

test('a file that cannot be written is one line of error; an existing file is truncated, not replaced', async () => {
  writeFileSync(join(folder, 'file'), '')
  for (const line of [
    ['get', 'a.test', '-o', folder],
    ['export', 'pages', '-o', join(folder, 'no', 'such', 'folder')],
    ['export', 'pages', '-o', join(folder, 'no', 'such', 'pages.new')],
    ['bot-page', '--contact', 'a@b.test', '-o', join(folder, 'no', 'such', 'page')],
    ['bot-page', '--contact', 'a@b.test', '-o', join(folder, 'file', 'page')],
  ]) {
    const { exit, err } = await orbweaver(line)
    assert.match(err, /^orbweaver: cannot (open|find) [^\n]*: (it is a folder|no such file or folder|a part of .+)\n$/)
    assert.ok(err.includes(`${line.at(-1)}:`), 'the file that the user named')
    assert.equal(exit, 2)
  }
  const target = join(folder, 'target.txt')
  const link = join(folder, 'link.txt')
  writeFileSync(target, 'something longer than what comes')
  symlinkSync(target, link)
  await orbweaver(['get', 'a.test', '-o', link])
  assert.equal(readFileSync(target, 'utf8'), '<p>body')
  assert.equal((await orbweaver(['get', 'a.test', '-o', '-'])).out, '<p>body')
  const listed = await orbweaver(['export', 'links', '-o', '-'])
  assert.deepEqual([listed.out, listed.err], ['http://a.test/\thttp://b.test/\n', ''])
})

test('a URL without a scheme is looked up with both schemes; a command to copy is quoted for the shell', async () => {
  const asked: string[] = []
  const reader = fakeReader({
    content: async (url) => {
      asked.push(url)
      return undefined
    },
  })
  const { err } = await orbweaver(['get', 'a.test/?a=1&b=$(id)'], fakeServices(undefined, reader))
  assert.deepEqual(asked, ['http://a.test/?a=1&b=$(id)', 'https://a.test/?a=1&b=$(id)'])
  assert.ok(err.includes("orbweaver explain 'http://a.test/?a=1&b=$(id)'"), err)
  assert.match((await orbweaver(['get', 'ftp://a.test/'])).err, /'ftp:\/\/a\.test\/' is not an http or https URL/)
  for (const word of ['javascript:alert(1)', 'mailto:a@b.test', 'ftp://a.test/'])
    assert.match(
      (await orbweaver(['explain', word])).err,
      /is not an http or https URL; nothing else is ever collected/,
    )
  for (const word of ['localhost:8080', 'a.test:81/x', '[::1]:80', 'http://a.test/'])
    assert.equal((await orbweaver(['explain', word])).err, '', word)
  const moved = [{ from: 'http://a.test/', to: 'http://b.test/?`id`' }]
  const crawled = await orbweaver(
    ['crawl', 'a.test', '-c', join(folder, 'moved')],
    fakeServices({ why: 'complete', exit: 0, documents: 1, seeds: { ...NO_EMPTY_SEEDS, moved }, mirrorsLeft: [] }),
  )
  assert.ok(crawled.err.includes("orbweaver crawl 'http://b.test/?`id`' -c"), crawled.err)
})

test('a crawl receives its seeds and settings, warns without --contact, and writes its settings into the collection', async () => {
  const seeds = join(folder, 'seeds.txt')
  writeFileSync(seeds, 'b.example\n')
  const line = ['crawl', 'https://a.example/', '--seeds', seeds, '-c', folder, '--pause', '3s']
  const { exit, err, services } = await orbweaver(line)
  assert.equal(exit, 0)
  assert.deepEqual(services.crawls[0].seeds, ['https://a.example/', 'http://b.example/'])
  assert.equal(services.crawls[0].settings.pause, 3000)
  assert.match(err, /no --contact given/)
  assert.match(err, /Complete: 7 documents/)
  assert.match(readFileSync(join(folder, 'orbweaver.yaml'), 'utf8'), /^pause: 3s$/m)
  assert.ok(!existsSync(join(folder, 'orbweaver.yaml.new')))

  const again = await orbweaver([
    'crawl',
    'a.example',
    '-c',
    folder,
    '--pause',
    '4s',
    '--contact',
    'me@example.org',
    '--quiet',
  ])
  assert.match(again.err, /--pause is 4s, but the collection was created with 3s/)
  assert.match(readFileSync(join(folder, 'orbweaver.yaml'), 'utf8'), /^pause: 3s$/m)
})

test('after an interrupted crawl the program prints how to resume it', async () => {
  const { exit, err } = await orbweaver(
    ['crawl', 'a.example', '-c', folder, '--quiet'],
    fakeServices({ why: 'interrupted', exit: 11, documents: 3, seeds: NO_EMPTY_SEEDS, mirrorsLeft: [] }),
  )
  assert.equal(exit, 11)
  assert.ok(err.includes(`Resume with: orbweaver crawl -c ${folder}`))
})

test('status shows known, collected, waiting and the trend', async () => {
  const { out } = await orbweaver(['status'])
  assert.match(out, /1,000 known : 700 collected \(70%\) : 200 waiting/)
  assert.match(out, /waiting -36,000\/h\n +the queue shrinks/)
  assert.match(out, /orbweaver crawl \(next request possible in 1\.5s\)/)
  const json = JSON.parse((await orbweaver(['status', '--json'])).out)
  assert.deepEqual(json.urls, { known: 1000, done: 800, waiting: 200, refreshing: 0 })
  assert.equal(json.trendPerHour.collected, 36_000)
})

test('report prints tables, or exactly the figures', async () => {
  const { out } = await orbweaver(['report'])
  for (const title of ['Size of the collected web', 'Servers', 'Collection rates', 'Responses by status', 'Errors'])
    assert.ok(out.includes(title), title)
  const json = JSON.parse((await orbweaver(['report', '--json'])).out)
  const keys =
    'documents bytes servers urls links duplicates statuses failures refused unwanted documentsByType perServer ratesByDay downloadsPerUrl'
  for (const key of keys.split(' ')) assert.ok(key in json, key)
  const web = (await orbweaver(['report', 'web'])).out
  assert.match(web, /^The web of this collection\n/)
  assert.match(web, /Depth +3 +here +0 +0 +0 +0\.00%/)
  assert.equal(JSON.parse((await orbweaver(['report', 'web', '--json'])).out).links.deep, 1)
  assert.match((await orbweaver(['report', 'duplicates'])).out, /sha1:AAAA {2}2 URLs\n {2}http:\/\/a\.test\/\n/)
})

test('get prints the body, with its head or raw when asked', async () => {
  assert.equal((await orbweaver(['get', 'a.test'])).out, '<p>body')
  assert.equal((await orbweaver(['get', 'a.test', '--headers', '--raw'])).out, 'HTTP/1.1 200 OK\r\n\r\nraw')
  const file = join(folder, 'page.html')
  await orbweaver(['get', 'a.test', '-o', file, '--at', '2026-05-01'])
  assert.equal(readFileSync(file, 'utf8'), '<p>body')
  const missing = await orbweaver(
    ['get', 'http://b.test/'],
    fakeServices(undefined, fakeReader({ content: async () => undefined })),
  )
  assert.equal(missing.exit, 1)
  assert.match(missing.err, /was not collected; 'orbweaver explain http:\/\/b\.test\/' says why/)
})

test('simulate crawl takes the settings of a crawl and of its web, and reports the pace', async () => {
  const simulated: Parameters<Services['simulateCrawl']>[0][] = []
  const services = fakeServices()
  const watched: typeof services = {
    ...services,
    simulateCrawl(options) {
      simulated.push(options)
      return services.simulateCrawl(options)
    },
  }
  const { out } = await orbweaver(['simulate', 'crawl'], watched)
  assert.match(out, /Collectors \/ share of their time in requests +600 \/ 25 %/)
  assert.match(out, /Wait of a URL, average \/ maximum +700ms \/ 1\.9s/)
  const flags = '--workers 3 --visits 20 --slice-pages 1 --order random --pause 4s --address-pause 1s'
  await orbweaver(`simulate crawl --lwf --latency 4s --sites-per-address 8 ${flags}`.split(' '), watched)
  await orbweaver(['simulate', 'crawl', '--sites-per-address', '1'], watched)
  const [usual, changed, apart] = simulated
  assert.deepEqual([usual.workers, usual.web, usual.lwf], [undefined, {}, false])
  assert.deepEqual(changed.settings, { pause: 4000, addressPause: 1000, order: 'random', visits: 20, slicePages: 1 })
  assert.deepEqual([changed.workers, changed.lwf], [3, true])
  assert.deepEqual(changed.web, { latencyMs: 4000, sitesPerAddress: 8, sharedAddressShare: 1 })
  assert.equal(apart.web?.sharedAddressShare, 0)
})

test('the other commands print text and JSON', async () => {
  assert.match((await orbweaver(['history', 'a.test'])).out, /200 {2}text\/html {2}response of 321 B\n/)
  assert.match((await orbweaver(['verify'])).out, /No faults: 1 volume, 9 records/)
  assert.equal((await orbweaver(['export', 'links'])).out, 'http://a.test/\thttp://b.test/\n')
  assert.equal((await orbweaver(['export', 'pages'])).out, '{"url":"http://a.test/"}\n')
  assert.match((await orbweaver(['export', 'links', '--into', 'g.db'])).err, /wrote 40 rows to g\.db/)
  assert.match((await orbweaver(['seed', 'a.test', 'b.test'])).out, /2 seeds added/)
  assert.match((await orbweaver(['simulate', 'crawl', '--random-seed', '5'])).out, /--random-seed 5/)
  assert.match(
    (await orbweaver(['explain', 'http://a.test/x'])).out,
    /Unknown: no page in the collection is known to link to it/,
  )
  assert.match((await orbweaver(['config', '--pause', '5s'])).out, /pause +5s {2}\(--pause\)/)
  assert.match((await orbweaver(['config', '--markdown'])).out, /^# Settings\n/)
  for (const line of [
    ['history', 'a.test'],
    ['verify'],
    ['seed', 'a.test'],
    ['simulate', 'crawl'],
    ['explain', 'a.test'],
    ['config'],
    ['get', 'a.test'],
  ])
    assert.equal(typeof JSON.parse((await orbweaver([...line, '--json'])).out), 'object', line[0])
})

test('clean --retention counts old captures, removes them only with --remove, and refuses a rule that is none', async () => {
  const rule = ['--retention', 'all for 30d, monthly']
  const dry = await orbweaver(['clean', ...rule])
  assert.match(dry.out, /^1,200 captures \(5\.0 MB\) can go: 200 with a payload of their own, 1,000 that repeat one/)
  assert.match(dry.out, /Nothing was changed\. Use --remove/)
  assert.match((await orbweaver(['clean', ...rule, '--remove'])).out, /removed[\s\S]*1 volume rewritten, 6\.0 MB freed/)
  const { captures, remove } = JSON.parse((await orbweaver(['clean', ...rule, '--json'])).out)
  assert.deepEqual([captures, remove], [1200, false])
  const wrong = await orbweaver(['clean', '--retention', 'all for 30d'])
  assert.equal(wrong.exit, 2)
  assert.match(wrong.err, /--retention: says nothing of captures older than 30d: end it with a step without 'for'/)
})

test('clean lists orphaned data, and removes it only with --remove', async () => {
  const dry = await orbweaver(['clean'])
  assert.match(dry.out, /leftover files: 1 .*\n {2}server-id\.new: never finished\nNothing was changed/)
  const { orphans, remove } = JSON.parse((await orbweaver(['clean', '--remove', '--json'])).out)
  assert.equal(remove, true)
  assert.deepEqual(orphans, [
    { kind: 'file', name: 'server-id.new', why: 'never finished', bytes: 3, count: 1, removed: true },
  ])
})

test('verify reports only what it read', async () => {
  const reader = fakeReader({
    verify: async () => ({ volumes: 0, records: 0, captures: 0, elsewhere: 3, faults: [], notes: [] }),
  })
  const { exit, out } = await orbweaver(['verify'], fakeServices(undefined, reader))
  assert.equal(exit, 0)
  assert.match(out, /^No faults in what was read: 0 volumes, .* Not read: 3 volumes on other machines/)
})

test('verify lists faults and fails', async () => {
  const reader = fakeReader({
    verify: async () => ({
      volumes: 1,
      records: 1,
      captures: 1,
      elsewhere: 0,
      faults: [{ where: 'v.warc.gz:5', what: 'digest differs' }],
      notes: [],
    }),
  })
  const { exit, out, err } = await orbweaver(['verify'], fakeServices(undefined, reader))
  assert.equal(exit, 1)
  assert.equal(out, 'v.warc.gz:5: digest differs\n')
  assert.match(err, /^orbweaver: found 1 fault in/)
})

test('the demo is an ordinary crawl of its own web, then tables and what to try', async () => {
  const target = join(folder, 'demo')
  const services = fakeServices()
  const { exit, out } = await orbweaver(['demo', '-c', target, '--random-seed', '3'], services)
  assert.equal(exit, 0)
  const { settings, seeds } = services.crawls[0]
  assert.deepEqual(settings.resolve, [{ host: '*.test', ip: '127.0.0.1', port: 4321 }])
  assert.deepEqual(seeds, ['http://www.site0.test/'])
  assert.match(
    out,
    /Try next:\n {2}orbweaver get .*\n {6}.*\n {2}orbweaver explain .*\n {6}.*\n {2}orbweaver explain www\.site5\.test .*\n/,
  )
})
