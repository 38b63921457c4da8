import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { LiveFacts, PageRequest } from '../../dashboard/page.ts'
import { type BlacklistData, blacklist } from '../../dashboard/pages/blacklist.ts'
import { loadSettings } from '../config/load.ts'
import { blacklistReader } from './blacklist.ts'

const LIVE: LiveFacts = {
  ...{ now: 0, collection: 'c', runs: 'crawl', version: '1', begunAt: 0, choice: {}, isEnding: false },
  ...{ pace: [], recent: [], events: [], lateMs: 0 },
}
const HOSTILE = 'http://evil.test/<script>alert(1)</script>\u202e'

function pageOf(files: Record<string, string>, decided: string[], disk = memoryDisk()) {
  for (const [path, text] of Object.entries(files)) disk.append(path).write(Buffer.from(text))
  const given = ['--blacklist-urls', '/urls.txt', '--blacklist-domains', '/domains.txt']
  const { settings } = loadSettings(given, 'crawl', { env: {}, readFile: () => undefined })
  const list = blacklistReader({ settings, disk })
  const data: BlacklistData = { blacklist: async (ask) => list.search({ blacklist: decided }, ask) }
  return async (query: string, role: PageRequest['role'] = 'operator') => {
    const common = { path: '/blacklist', base: '/crawl', csrf: 'c', isSignedIn: true, message: undefined }
    const { body } = await blacklist({ ...common, role, query: new URLSearchParams(query), live: LIVE }, data)
    return String(body)
  }
}

test('lines of operators and files are shown page by page; only the former can be removed, and only by operators', async () => {
  const decided = Array.from({ length: 150 }, (_, n) => `http://a.test/${n}/`)
  const show = pageOf({ '/urls.txt': `# ours\n${HOSTILE}\nb.test/x # why\n` }, decided)
  const first = await show('')
  assert.match(first, /152 lines; operators added 150\./)
  assert.equal(first.match(/name="action" value="unblacklist"/g)?.length, 100)
  assert.match(first, /page=1" rel="next"/)
  const second = await show('page=1')
  assert.equal(second.match(/name="action" value="unblacklist"/g)?.length, 50)
  assert.match(second, /b\.test\/x<.*\/urls\.txt/)
  assert.match(second, /rel="prev"/)
  assert.doesNotMatch(second, /<script>alert|\u202e|# why/)
  assert.match(second, /domains\.txt<\/bdi><\/code>: <bdi>it is not there/)
  assert.doesNotMatch(await show('', 'viewer'), /\/act"/)
})

test('the button removes the line that is listed, with characters that nobody sees', async () => {
  const line = 'exam\u200bple.org'
  const text = await pageOf({}, [line])('')
  assert.match(text, /<bdi>exam⟨200B⟩ple\.org</)
  const [, sent] = /name="pattern" value="(ex[^"]*)"/.exec(text) ?? []
  assert.equal(sent, line)
})

test('behind the last line there is nothing more, which is not to say that the list is empty', async () => {
  const text = await pageOf({}, ['b.test'])('page=1')
  assert.match(text, /1 line;.*<p>There are no more\.</s)
})

test('a file that cannot be read is told, and the rest is shown', async () => {
  const disk = memoryDisk()
  const read = disk.read.bind(disk)
  disk.read = (path, ...at) => {
    if (path === '/urls.txt') throw new Error('EACCES: permission denied')
    return read(path, ...at)
  }
  const text = await pageOf({ '/urls.txt': 'a.test/x\n', '/domains.txt': 'c.test\n' }, ['b.test'], disk)('q=c.test')
  assert.match(text, /urls\.txt<\/bdi><\/code>: <bdi>EACCES: permission denied; the crawl uses it as it was last read/)
  assert.match(text, /is forbidden by <code><bdi>c\.test</)
})

test('a search finds lines by their text, and says what forbids a URL or a site', async () => {
  const show = pageOf({ '/urls.txt': 'http://a.test/private/\n', '/domains.txt': 'c.test\n' }, [
    'b.test',
    '192.0.2.0/24',
  ])
  assert.match(await show('q=PRIV'), /1 line\..*a\.test\/private/s)
  assert.match(await show('q=http://a.test/private/5'), /is forbidden by <code><bdi>a\.test\/private\//)
  assert.match(await show('q=http://a.test/'), /No line forbids <bdi>http:\/\/a\.test\/<\/bdi>\..*a\.test\/private/s)
  assert.match(await show('q=www.b.test'), /is forbidden by <code><bdi>b\.test</)
  assert.match(await show('q=192.0.2.9'), /is forbidden by <code><bdi>192\.0\.2\.0\/24</)
  assert.match(await show('q=d.test'), /No line forbids <bdi>d\.test/)
  assert.match(await show('q=%00%E2%80%AE'), /No line forbids|lines/)
})

test('a file that cannot be parsed is shown as it is, with its own line, and does not forbid what is searched for', async () => {
  const show = pageOf({ '/urls.txt': 'a.test/x\n', '/domains.txt': '# ours\nftp://no\n' }, ['b.test'])
  assert.match(await show(''), /<code><bdi>ftp:\/\/no/)
  const text = await show('q=c.test')
  assert.doesNotMatch(text, /is forbidden by/)
  assert.match(text, /domains\.txt<\/bdi><\/code>: <bdi>as it is now, line 2: &#39;ftp:\/\/no&#39; is not a URL/)
  assert.match(
    text,
    /No line that can be checked here forbids <bdi>c\.test.*domains\.txt<\/bdi><\/code> was not looked at/,
  )
  assert.match(await show('q=a.test/x/y'), /is forbidden by <code><bdi>a\.test\/x</)
  assert.match(await show('q=b.test'), /is forbidden by <code><bdi>b\.test</)
})

test('a search gives no all-clear for files that are too long, have too many lines, or are not there', async () => {
  const tooMany = Array.from({ length: 100_001 }, (_, n) => `${n}.test`).join('\n')
  for (const [urls, trouble] of [
    ['a.test/\n'.repeat(2 ** 20 + 1), /too long to be shown/],
    [tooMany, /too many lines to tell/],
  ] as const) {
    const text = await pageOf({ '/urls.txt': urls }, [])('q=d.a.test')
    assert.match(text, trouble)
    assert.doesNotMatch(text, /No line forbids|No line contains/)
    assert.match(text, /No line that can be checked here forbids <bdi>d\.a\.test/)
    assert.match(
      text,
      /urls\.txt<\/bdi><\/code> was not looked at\. <code><bdi>\/domains\.txt<\/bdi><\/code> was not looked at/,
    )
    assert.match(text, /None that can be shown/)
  }
})

test('a file is parsed again only when it has changed', async (t) => {
  const disk = memoryDisk()
  const show = pageOf({ '/urls.txt': 'a.test/x\n', '/domains.txt': 'b.test\n' }, [], disk)
  const decode = t.mock.method(TextDecoder.prototype, 'decode')
  for (const q of ['b.test', 'c.test', 'd.test']) await show(`q=${q}`)
  assert.equal(decode.mock.callCount(), 2)
  disk.remove('/domains.txt')
  disk.append('/domains.txt').write(Buffer.from('c.test\n'))
  assert.match(await show('q=c.test'), /is forbidden by/)
  assert.match(await show('q=b.test'), /No line forbids/)
  assert.equal(decode.mock.callCount(), 3)
})

test('what covers a site is found without parsing files again; without it, a file that is not known is named', async (t) => {
  const disk = memoryDisk()
  disk.append('/urls.txt').write(Buffer.from('a.test/x\n'))
  const given = ['--blacklist-urls', '/urls.txt', '--blacklist-domains', '/domains.txt']
  const { settings } = loadSettings(given, 'crawl', { env: {}, readFile: () => undefined })
  const { ofSite } = blacklistReader({ settings, disk })
  const choice = { blacklist: ['b.test'] }
  assert.deepEqual(ofSite(choice, 'www.b.test'), { blacklist: 'blacklist: b.test' })
  assert.match(ofSite(choice, 'a.test').trouble ?? '', /^\/domains\.txt: it is not there/)
  disk.append('/domains.txt').write(Buffer.from('c.test\n'))
  assert.deepEqual(ofSite(choice, 'c.test'), { blacklist: 'blacklist: c.test' })
  const decode = t.mock.method(TextDecoder.prototype, 'decode')
  assert.deepEqual(ofSite({ blacklist: ['b.test'] }, 'a.test'), {})
  assert.equal(decode.mock.callCount(), 0)
  assert.equal(ofSite({}, 'b.test').blacklist, undefined)
})
