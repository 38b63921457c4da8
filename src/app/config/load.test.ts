import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { GENEROUS } from '../../crawl/hazards/limits.ts'
import { SETTING_NAMES, settingOf } from './keys.ts'
import { loadSettings, type Surroundings, settingsOver } from './load.ts'

function world(env: Record<string, string> = {}, files: Record<string, string> = {}): Surroundings {
  return { env, readFile: (path) => files[path] }
}

const KEPT = 'collection/orbweaver.yaml'

function refused(pattern: RegExp, argv: string[], surroundings = world()): void {
  assert.throws(
    () => loadSettings(argv, 'crawl', surroundings),
    (error) =>
      error instanceof Problem && error.exit === 2 && pattern.test(error.message) && !error.message.includes('\n'),
    `${argv.join(' ')} should be refused with ${pattern}`,
  )
}

test('defaults are polite and generous', () => {
  const { settings, given } = loadSettings([], 'crawl', world())
  assert.equal(settings.pause, 2000)
  assert.equal(settings.addressPause, 500)
  assert.equal(settings.maxDepth, 1000)
  assert.equal(settings.maxUrlsPerSite, 100_000)
  assert.equal(settings.maxPages, undefined)
  const { maxDepth, maxUrlsPerSite, maxUrlLength, exchangeTimeout } = settings
  assert.deepEqual(
    { maxDepth, urlsPerSite: maxUrlsPerSite, maxUrlLength, exchangeMs: exchangeTimeout },
    {
      maxDepth: GENEROUS.maxDepth,
      urlsPerSite: GENEROUS.urlsPerSite,
      maxUrlLength: GENEROUS.maxUrlLength,
      exchangeMs: GENEROUS.exchangeMs,
    },
  )
  assert.equal(settings.userAgentName, 'Orbweaver')
  assert.equal(settings.order, 'klwf')
  assert.equal(settings.exchangeTimeout, 60_000)
  assert.equal(settings.volumeSize, 1e9)
  assert.equal(settings.maxBytes.find((l) => l.type === 'text/html')?.bytes, 2e6)
  assert.ok(settings.workers >= 1)
  assert.equal(given.size, 0)
})

test('defaults < file < environment < flags, and each value remembers who set it', () => {
  const files = { [KEPT]: 'pause: 3s\nmax-depth: 7\norder: random\n' }
  const env = { ORBWEAVER_MAX_DEPTH: '8', ORBWEAVER_ORDER: 'round-robin', PATH: '/bin' }
  const { settings, given } = loadSettings(['--order', 'klwf'], 'crawl', world(env, files))
  assert.equal(settings.pause, 3000)
  assert.equal(settings.maxDepth, 8)
  assert.equal(settings.order, 'klwf')
  assert.deepEqual(given.get('pause')?.source, { by: 'file', name: `${KEPT}, line 1, pause` })
  assert.deepEqual(given.get('maxDepth')?.source, { by: 'environment', name: 'ORBWEAVER_MAX_DEPTH' })
  assert.deepEqual(given.get('order')?.source, { by: 'flag', name: '--order' })
  assert.equal(given.get('visits'), undefined)
})

test('the file of --config replaces the one of the collection; -c says where that is', () => {
  const files = { 'mine.yaml': 'pause: 9s', 'news/orbweaver.yaml': 'pause: 4s' }
  assert.equal(loadSettings(['-c', 'news'], 'crawl', world({}, files)).settings.pause, 4000)
  assert.equal(loadSettings(['-cnews', '--config=mine.yaml'], 'crawl', world({}, files)).settings.pause, 9000)
  assert.equal(loadSettings([], 'crawl', world({ ORBWEAVER_COLLECTION: 'news' }, files)).settings.pause, 4000)
  refused(/absent\.yaml does not exist/, ['--config', 'absent.yaml'])
})

test('the pause has a minimum that no setting lowers', () => {
  for (const pause of ['0', '0.5s', '999ms']) refused(/--pause: .*minimum is 1s.*--pause-for/, ['--pause', pause])
  refused(/ORBWEAVER_PAUSE: .*minimum is 1s/, [], world({ ORBWEAVER_PAUSE: '100ms' }))
  refused(/orbweaver\.yaml, line 2, pause: .*minimum is 1s/, [], world({}, { [KEPT]: '# mine\npause: 10ms\n' }))
  assert.equal(loadSettings(['--pause', '1s'], 'crawl', world()).settings.pause, 1000)
  refused(/covers more than your own/, ['--pause-for', '*=0s'])
  refused(/covers more than your own/, ['--pause-for', '*.com=0s'])
})

test('an unknown key, flag or variable is refused with the nearest known one', () => {
  refused(/unknown flag --max-page; did you mean --max-pages\?/, ['--max-page', '3'])
  refused(/unknown flag --depth; did you mean --max-depth\?/, ['--depth', '3'])
  refused(/unknown flag --useragent; did you mean --user-agent-name\?/, ['--useragent', 'x'])
  refused(/unknown flag --private; did you mean --allow-private\?/, ['--private'])
  refused(/crawl does not take --pages, only .* do; did you mean --max-pages\?/, ['--pages', '3'])
  refused(/unknown flag --gentleness \(/, ['--gentleness', '3'])
  refused(/unknown flag --puase; did you mean --pause\?/, ['--puase', '3s'])
  refused(/line 1: unknown key 'max-deph'; did you mean 'max-depth'\?/, [], world({}, { [KEPT]: 'max-deph: 3' }))
  refused(/unknown variable ORBWEAVER_PAUS; did you mean ORBWEAVER_PAUSE\?/, [], world({ ORBWEAVER_PAUS: '3s' }))
  refused(/crawl does not take --at, only get does/, ['--at', '2026-01-01'])
})

test('the error for a wrong value names its source and an example of a right one', () => {
  refused(/^--max-pages: 'many' is not a whole number/, ['--max-pages', 'many'])
  refused(/^--max-pages: '0' is too small/, ['--max-pages', '0'])
  refused(/^--order: 'fifo' is not one of klwf, round-robin, random/, ['--order', 'fifo'])
  refused(/^--include: .* is not a regular expression/, ['--include', '('])
  refused(/^--user-agent-name: .*letters/, ['--user-agent-name', 'My Crawler/2'])
  refused(/^--user-agent-name: 'Googlebot' is the name of another crawler/, ['--user-agent-name', 'Googlebot'])
  refused(/^--pause-factor: '0' is too small, the minimum is 1/, ['--pause-factor', '0'])
  refused(/^--address-pause: '99ms' is too small, the minimum is 100ms/, ['--address-pause', '99ms'])
  refused(/^--max-slow-pause: '1s' is too small, the minimum is 2s/, ['--max-slow-pause', '1s'])
  refused(/^--contact: .*neither a web address nor an e-mail/, ['--contact', 'me'])
  refused(/^--contact: .*all of them ASCII/, ['--contact', 'https://exämple.org/bot'])
  refused(/^--contact: .*at most 200 characters/, ['--contact', `https://example.org/${'a'.repeat(200)}`])
  refused(/^--dns-servers: .*not a name server/, ['--dns-servers', '9.9.9.9:99999'])
  refused(/^--scope: .*is not a scope; write page/, ['--scope', 'everything'])
  refused(/--max-time needs a value/, ['--max-time'])
  refused(/--max-time needs a value/, ['--max-time', '--json'])
  refused(/--pause is given more than once/, ['--pause', '2s', '--pause', '3s'])
  refused(/--lease 1m must be longer/, ['--lease', '60s'])
  refused(/contradict/, ['--quiet', '--verbose'])
})

test('a file that is not YAML is refused with the line number', () => {
  refused(/orbweaver\.yaml, line 2: /, [], world({}, { [KEPT]: 'pause: 2s\n  : : [' }))
  refused(/orbweaver\.yaml, line 2: [^:]*end with a \]$/, [], world({}, { [KEPT]: 'pause: [1\n' }))
  refused(/must consist of lines/, [], world({}, { [KEPT]: '- a\n- b' }))
  refused(/max-depth takes one value/, [], world({}, { [KEPT]: 'max-depth: [1, 2]' }))
  assert.equal(loadSettings([], 'crawl', world({}, { [KEPT]: '' })).settings.pause, 2000)
  assert.equal(loadSettings([], 'crawl', world({}, { [KEPT]: '# nothing\n' })).settings.pause, 2000)
})

test('repeatable settings are lists in the file, words in the environment', () => {
  const files = { [KEPT]: "exclude:\n  - '\\.pdf$'\n  - /drafts/\npause-for:\n  '*.test': 10ms\n  a.example.org: 1s\n" }
  const { settings } = loadSettings([], 'crawl', world({ ORBWEAVER_INCLUDE: ' /a/  /b/ ' }, files))
  assert.deepEqual(settings.exclude, ['\\.pdf$', '/drafts/'])
  assert.deepEqual(settings.include, ['/a/', '/b/'])
  assert.deepEqual(settings.pauseFor, [
    { host: '*.test', pauseMs: 10 },
    { host: 'a.example.org', pauseMs: 1000 },
  ])
  assert.deepEqual(loadSettings(['--exclude', 'x', '--exclude=y'], 'crawl', world({}, files)).settings.exclude, [
    'x',
    'y',
  ])
})

test("every other source overrides a preset, and vn has the paper's numbers", () => {
  const { settings, given } = loadSettings(['--limits', 'vn', '--max-depth', '9'], 'crawl', world())
  assert.equal(settings.maxDepth, 9)
  assert.equal(settings.maxUrlsPerSite, 5000)
  assert.equal(settings.maxDuplicatesPerSite, 10)
  assert.equal(settings.maxUrlLength, 200)
  assert.ok(settings.maxBytes.every(({ bytes }) => bytes === 2e6))
  assert.deepEqual(given.get('maxUrlsPerSite')?.source, { by: 'preset', name: '--limits vn' })
  assert.equal(loadSettings([], 'crawl', world({}, { [KEPT]: 'limits: vn' })).settings.maxDepth, 5)
})

test('sizes by type are merged with the defaults, type by type', () => {
  const { maxBytes } = loadSettings(
    ['--max-bytes', 'application/pdf=20MB', '--max-bytes', 'text/html=1MB'],
    'crawl',
    world(),
  ).settings
  assert.deepEqual(
    maxBytes.map(({ type, bytes }) => `${type}=${bytes}`),
    ['application/pdf=20000000', 'text/html=1000000', 'application/xhtml+xml=2000000', '*/*=10000000'],
  )
})

test('lists of words may be separated by commas', () => {
  const { settings } = loadSettings(
    ['--media-types', 'text/html, image/*', '--media-types=application/pdf'],
    'crawl',
    world(),
  )
  assert.deepEqual(settings.mediaTypes, ['text/html', 'image/*', 'application/pdf'])
})

test('the link policy follows from the scope unless it is given', () => {
  const links = (...argv: string[]) => loadSettings(argv, 'crawl', world()).settings.links
  assert.equal(links(), 'combined')
  assert.equal(links('--scope', 'tld:br'), 'home-page')
  assert.equal(links('--scope', 'tld:рф,भारत'), 'home-page')
  assert.equal(links('--scope', 'tld:br', '--links', 'deep'), 'deep')
})

test('settings are frozen plain data that can be sent to a thread', () => {
  const { settings } = loadSettings(['--resolve', '*.test=127.0.0.1:80', '--pause-for', '*.test=0'], 'crawl', world())
  assert.deepEqual(structuredClone(settings), settings)
  assert.ok(Object.isFrozen(settings) && Object.isFrozen(settings.resolve) && Object.isFrozen(settings.resolve[0]))
})

test("a note reports a flag that differs from the collection's own setting", () => {
  const files = { [KEPT]: 'pause: 3s\n' }
  const warnings = (...argv: string[]) => loadSettings(argv, 'crawl', world({}, files)).warnings
  assert.deepEqual(warnings(), [])
  assert.deepEqual(warnings('--pause', '3s', '--quiet'), [])
  assert.match(warnings('--pause', '5s')[0], /--pause is 5s, but the collection was created with 3s/)
  assert.match(warnings('--max-depth', '2')[0], /created with 1000 \(the default\)/)
  assert.deepEqual(loadSettings(['--pause', '5s'], 'crawl', world()).warnings, [])
  assert.deepEqual(warnings('--url-rules', 'none'), [], 'the collection refuses that itself')
})

test('every setting has a sentence, a default that parses, and is taken by some command', () => {
  for (const name of SETTING_NAMES) {
    const setting = settingOf(name)
    assert.match(setting.what, /^[A-Z].*\.$/, `${name} needs a sentence`)
    assert.ok(setting.commands.length > 0, name)
    assert.ok(setting.fallbackText !== '', name)
  }
  assert.ok(!SETTING_NAMES.some((name) => /robots/i.test(name)), 'no setting may switch robots.txt off')
})

test('a secret is read from the file after @, and no list of differences shows it', () => {
  const world = (files: Record<string, string>, env: Record<string, string> = {}) => ({
    env,
    readFile: (path: string) => files[path],
  })
  const files = { '/s/db': 'postgres://u:p@h/n\n', '/s/join': ' sixteen-letters-long \n' }
  const { settings } = loadSettings(
    ['--database', '@/s/db'],
    'serve',
    world(files, { ORBWEAVER_JOIN_SECRET: '@/s/join' }),
  )
  assert.equal(settings.database, 'postgres://u:p@h/n')
  assert.equal(settings.joinSecret, 'sixteen-letters-long')
  assert.throws(() => loadSettings(['--database', '@/s/none'], 'serve', world(files)), /\/s\/none does not exist/)
  assert.throws(
    () => loadSettings(['--database', 'mysql://u:hidden@h/n'], 'serve', world(files)),
    (error: Error) => error.message.includes('postgres://') && !error.message.includes('hidden'),
  )
})

test("this machine's settings override those recorded in a shared database, which override the defaults", () => {
  const { given } = loadSettings([], 'report', world({ ORBWEAVER_CONTACT: 'here@example.org' }))
  const recorded = 'scope: tld:test\ncontact: there@example.org\nlimits: vn\n'
  const { scope, contact, maxDepth, links } = settingsOver(recorded, given, 'report')
  assert.deepEqual([scope, contact, maxDepth, links], ['tld:test', 'here@example.org', 5, 'home-page'])
  assert.throws(() => settingsOver('nonsense: 1\n', given, 'report'), /the settings recorded in the database, line 1/)
})
