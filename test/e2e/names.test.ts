/** Sites with two names, by the list of mirrors or as learnt; nothing is lost by it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { crawl, folder, kept, links, type Pages, runTo, serve } from './command.ts'

const everywhere = ['--scope', 'tld:test', '--links', 'deep']

/** A site of some pages that all link to each other, each with words of its own. */
function site(name: string, pages: number): Pages[string] {
  const paths = Array.from({ length: pages }, (_, i) => (i === 0 ? '/' : `/${i}`))
  return Object.fromEntries(paths.map((path) => [path, `<p>${`${name} ${path} `.repeat(20)}</p>${links(...paths)}`]))
}

const moved = (to: string) => ({ status: 301, headers: { location: to } })

describe('other names', { concurrency: 2 }, () => {
  test('a home page alone that moves to www. says nothing of other pages; with robots.txt it does, and what is not there is asked for', async (t) => {
    const own = ['/own1', '/own2']
    const web = await serve(t, {
      'a.test': { '/': moved('http://www.a.test/'), '/own1': 'own 1', '/own2': 'own 2' },
      'www.a.test': { '/': links(...own.map((path) => `http://a.test${path}`)) },
      'b.test': {
        '/': moved('http://www.b.test/'),
        '/robots.txt': moved('http://www.b.test/robots.txt'),
        '/own': 'only here',
        '/1': moved('http://www.b.test/1'),
      },
      'www.b.test': { '/': links('http://b.test/own', 'http://b.test/1'), '/1': 'one' },
    })
    const at = folder(t)
    await runTo(0, crawl(web, at, 'http://a.test/', 'http://b.test/', ...everywhere))
    assert.deepEqual(kept(at), [
      'http://a.test/own1',
      'http://a.test/own2',
      'http://b.test/own',
      'http://www.a.test/',
      'http://www.b.test/',
      'http://www.b.test/1',
    ])
    assert.deepEqual(web.paths('a.test').sort(), ['/', ...own])
    assert.deepEqual(web.paths('b.test'), ['/', '/own'], 'what moved by the name is not asked for twice')
    assert.ok(web.paths('www.b.test').includes('/own'))
    const { stdout } = await runTo(0, ['explain', 'b.test', '-c', at])
    assert.match(stdout, /Another name of www\.b\.test, .*its robots\.txt is the same/)
  })

  test('a list of mirrors goes from crawl to crawl; a replica that is none any more is collected at once', async (t) => {
    const [one, other] = [site('one', 6), site('other', 6)]
    const web = await serve(t, {
      'a.test': one,
      'a-copy.test': one,
      'b.test': other,
      'b-copy.test': other,
      'hub.test': { '/': links('http://a-copy.test/1', 'http://b-copy.test/1') },
    })
    const homes = Object.keys(web.pages).map((host) => `http://${host}/`)
    const first = folder(t)
    const second = folder(t)
    const list = join(second, 'mirrors.txt')
    await runTo(0, crawl(web, first, ...homes))
    await runTo(0, ['mirrors', '-c', first, '--into', list, '--check-names', 'no'])
    assert.match(readFileSync(list, 'utf8'), /^a-copy\.test a\.test .*\nb-copy\.test b\.test /m)

    web.pages['b-copy.test'] = { '/': links('/new1', '/1'), '/new1': 'new 1', '/1': 'another one' }
    web.asked.length = 0
    await runTo(0, crawl(web, second, ...homes))
    assert.deepEqual(web.paths('a-copy.test'), ['/'])
    assert.deepEqual(
      kept(second).filter((url) => url.includes('b-copy')),
      ['http://b-copy.test/', 'http://b-copy.test/1', 'http://b-copy.test/new1'],
    )
    const { stdout } = await runTo(0, ['explain', 'http://b-copy.test/new1', '-c', second])
    assert.match(stdout, /Collected[\s\S]*removed from the list of mirrors on .* copy of b\.test: .*home pages differ/)

    const next = join(folder(t), 'next.txt')
    await runTo(0, ['mirrors', '-c', second, '--into', next, '--check-names', 'no'])
    const lines = readFileSync(next, 'utf8').split('\n')
    assert.deepEqual(
      lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.replace(/\d{4}.*/, 'DAY')),
      ['a-copy.test a.test  # used by the crawl, DAY'],
    )
  })
})
