/** The operator's mistakes. One clear line each, the right exit code, nothing damaged. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import {
  crawl,
  file,
  folder,
  json,
  kept,
  links,
  type Pages,
  runTo,
  serve,
  start,
  troubleLines,
  until,
} from './command.ts'

async function assertOneLine(code: number, args: readonly string[], says: RegExp, env: Record<string, string> = {}) {
  const { stderr, stdout } = await runTo(code, args, { env })
  const lines = troubleLines(stderr)
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0], says)
  assert.equal(stdout, '')
}

describe('mistakes', { concurrency: 4 }, () => {
  test('a wrong flag, with the nearest that exists', async (t) => {
    const at = join(folder(t), 'new')
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--max-page', '5'], /--max-page.*did you mean --max-pages/)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--exlude', 'x'], /did you mean --exclude/)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--max-pages', 'many'], /--max-pages.*many/)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--max-pages'], /--max-pages/)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--include', '('], /--include/)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at, '--scope', 'planet'], /--scope.*planet/)
    await assertOneLine(2, ['status', '-c', at, '--pause', '5s'], /--pause/)
    assert.ok(!existsSync(join(at, 'collection.db')))
  })

  test('a wrong command, too many words, none', async (t) => {
    await assertOneLine(2, ['crwal', 'a.test'], /did you mean 'crawl'/)
    await assertOneLine(2, ['status', 'x', '-c', folder(t)], /unexpected argument/)
    await assertOneLine(2, ['get', '-c', folder(t)], /missing/)
    assert.match((await runTo(2, [])).stdout, /Usage|orbweaver/)
  })

  test('a configuration that cannot be read, is no YAML, or has an unknown key', async (t) => {
    const args = ['crawl', 'a.test', '-c', join(folder(t), 'new')]
    await assertOneLine(2, [...args, '--config', '/does/not/exist.yaml'], /exist\.yaml/)
    await assertOneLine(2, [...args, '--config', folder(t)], /cannot read|EISDIR/)
    await assertOneLine(2, [...args, '--config', file(t, 'max-pages: [1\n  - :')], /file\.txt/)
    await assertOneLine(2, [...args, '--config', file(t, 'pause: 5s\nmax-pagse: 7\n')], /file\.txt.*2.*max-pages/)
    await assertOneLine(2, [...args, '--config', file(t, 'pause: soon\n')], /pause.*soon/)
    await assertOneLine(2, args, /ORBWEAVER_MAX_DEPHT.*ORBWEAVER_MAX_DEPTH/, { ORBWEAVER_MAX_DEPHT: '3' })
    await assertOneLine(2, args, /ORBWEAVER_MAX_DEPTH/, { ORBWEAVER_MAX_DEPTH: 'deep' })
  })

  test('no collection there', async (t) => {
    for (const command of [
      ['status'],
      ['report'],
      ['verify'],
      ['get', 'http://a.test/'],
      ['export', 'cdxj'],
      ['explain', 'a.test'],
      ['history', 'a.test/'],
    ])
      await assertOneLine(2, [...command, '-c', join(folder(t), 'none')], /none/)
  })

  test('a foreign database is left as it is', async (t) => {
    const at = folder(t)
    const path = join(at, 'collection.db')
    const foreign = new DatabaseSync(path)
    foreign.exec(`CREATE TABLE customers(name TEXT); INSERT INTO customers VALUES ('Ada')`)
    foreign.close()
    const before = readFileSync(path)
    await assertOneLine(2, ['crawl', 'a.test', '-c', at], /collection\.db/)
    await assertOneLine(2, ['status', '-c', at], /collection\.db/)
    assert.deepEqual(readFileSync(path), before)
  })

  test('a file that is no database at all', async (t) => {
    const at = folder(t)
    writeFileSync(join(at, 'collection.db'), 'this is a letter to my aunt, and not a database\n'.repeat(100))
    await assertOneLine(1, ['crawl', 'a.test', '-c', at], /not an SQLite database/)
    await assertOneLine(1, ['status', '-c', at], /not an SQLite database/)
    assert.match(readFileSync(join(at, 'collection.db'), 'utf8'), /^this is a letter/)
  })

  test('a newer database is left as it is', async (t) => {
    const web = await serve(t, { 'a.test': { '/': 'a' } })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'a.test'))
    const database = new DatabaseSync(join(at, 'collection.db'))
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    const setVersion = (n: number) => database.exec(`PRAGMA user_version = ${n}; PRAGMA wal_checkpoint(TRUNCATE)`)
    setVersion(version + 7)
    await assertOneLine(2, crawl(web, at, 'a.test'), /newer/)
    await assertOneLine(2, ['report', '-c', at], /newer/)
    setVersion(version)
    database.close()
    assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
  })

  test('a second crawl on the same collection, and a seed, while one runs; the first goes on', async (t) => {
    // The first crawl cannot be over before the others have been tried: its last page waits for them.
    const { promise: othersTried, resolve: tried } = Promise.withResolvers<void>()
    const last = (_: unknown, response: ServerResponse) => void othersTried.then(() => response.end('the last one'))
    const site: Pages[string] = {}
    for (let i = 0; i < 29; i++) site[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`)
    const web = await serve(t, { 'a.test': { ...site, '/29': last } })
    const at = folder(t)
    const args = crawl(web, at, 'a.test')
    const first = start(args)
    await until('its first pages', () => web.asked.length > 3)
    await assertOneLine(1, crawl(web, at, 'a.test'), /another process/)
    await assertOneLine(1, ['seed', 'http://b.test/', '-c', at], /another process/)
    tried()
    assert.equal((await first.ended).code, 0)
    assert.equal(kept(at).length, 30)
    assert.equal(new Set(web.paths('a.test')).size, web.paths('a.test').length)
  })

  test('a folder that cannot be written, and one that is a file', async (t) => {
    const place = file(t, 'a file')
    const { stderr } = await runTo(2, ['crawl', 'a.test', '-c', place])
    assert.equal(troubleLines(stderr).length, 1, stderr)
    if (process.getuid?.() !== 0) {
      const closed = join(folder(t), 'closed')
      mkdirSync(closed)
      chmodSync(closed, 0o500)
      await assertOneLine(2, ['crawl', 'a.test', '-c', join(closed, 'in')], /closed/)
    }
  })
})
