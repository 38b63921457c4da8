import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { bendLinks } from './packages.ts'
import { byRule, compare, realTables } from './real.ts'
import { type CrawledPage, crawlSite, isKept } from './real-crawl.ts'
import { HELD_SITES, TUNING_SITES } from './real-sites.ts'
import { answerOf, type StaticWeb } from './static-web.ts'

const above = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-real-')))
after(() => rmSync(above, { recursive: true, force: true }))
const root = join(above, 'root')

const page = (title: string, ...links: string[]) =>
  `<title>${title}</title><p>${title} is a page.</p>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}`

function put(path: string, text: string): void {
  mkdirSync(dirname(join(above, path)), { recursive: true })
  writeFileSync(join(above, path), text)
}

put('secret.html', 'not for the web')
put('root/elsewhere/linked.html', page('linked'))
put('root/site/index.html', page('home', 'a.html', 'b', 'listed/', 'old.html.gz', 'missing.html', '../../secret.html'))
put('root/site/a.html', page('a', 'linked.html', 'out.html'))
put('root/site/b/index.html', page('b', '../a.html'))
put('root/site/listed/one & two.txt', 'one and two')
put('root/site/listed/three/four.html', page('four'))
put('root/site/old.html.gz', 'gzip')
symlinkSync('/elsewhere/linked.html', join(root, 'site/linked.html'))
symlinkSync('../../secret.html', join(root, 'site/out.html'))
bendLinks(root)

const web: StaticWeb = { host: 'files.test', root, folder: 'site' }
const ask = (path: string, listing?: StaticWeb['listing']) => {
  const { status, headers, read } = answerOf({ ...web, listing }, `http://files.test${path}`)
  return { status, headers: new Map(headers), text: Buffer.from(read(1_000_000)).toString() }
}

test('a folder is served as static servers do', () => {
  assert.equal(ask('/').text, ask('/index.html').text)
  assert.equal(ask('/a.html').headers.get('Content-Type'), 'text/html')
  assert.equal(ask('/a.html?query').status, 200)
  assert.deepEqual([ask('/b').status, ask('/b').headers.get('Location')], [301, 'http://files.test/b/'])
  assert.match(ask('/b/').text, /b is a page/)
  assert.equal(ask('/old.html.gz').headers.get('Content-Type'), 'application/gzip')
  assert.equal(Buffer.from(answerOf(web, 'http://files.test/a.html').read(7)).toString(), '<title>')
  for (const path of ['/missing.html', '/a.html/', '/listed/', '/%zz', '/%00'])
    assert.equal(ask(path).status, 404, path)
})

test('links are followed within the unpacked packages and not out of them', () => {
  assert.match(ask('/linked.html').text, /linked is a page/)
  assert.equal(ask('/out.html').status, 404)
  assert.equal(ask('/..%2f..%2fsecret.html').status, 404)
})

test('only a site that lists its folders shows them, and as Apache does in every order', () => {
  const plain = ask('/listed/', 'nginx')
  assert.equal(plain.status, 200)
  assert.match(plain.text, /<a href="one%20%26%20two.txt">one &#38; two.txt<\/a>\n<a href="three\/">/)
  assert.doesNotMatch(plain.text, /\?C=/)
  assert.match(ask('/listed/', 'apache').text, /<a href="\?C=N;O=D">/)
  assert.match(ask('/listed/?C=N;O=D', 'apache').text, /three\/.*\n.*one/)
})

test('the whole crawler collects it in virtual time', async () => {
  const crawl = await crawlSite({ ...web, listing: 'nginx' }, '', false)
  const kept = [...crawl.pages].filter(([, one]) => isKept(one)).map(([url]) => url.slice('http://files.test'.length))
  assert.deepEqual(kept.sort(), [
    '/',
    '/a.html',
    '/b/',
    '/linked.html',
    '/listed/',
    '/listed/one%20%26%20two.txt',
    '/listed/three/',
    '/listed/three/four.html',
  ])
  assert.ok(crawl.requests > kept.length)
  assert.deepEqual(crawl.findings, [])
})

test('the detectors judge unless they are overruled', async () => {
  const names = Array.from({ length: 400 }, (_, i) => `item-${i}-1.html`)
  put('root/many/index.html', page('home', 'first/', 'x/item-0-1.html'))
  // A chain of one page; of a name with two numbers nothing that cannot exist is asked for.
  for (const [i, name] of names.entries()) put(`root/many/x/${name}`, page('the same', `item-${i + 1}-1.html`))
  for (let i = 0; i < 12; i++) put(`root/many/first/${i}.html`, page(`page ${'abcdefghijkl'[i].repeat(5)} of its own`))
  put('root/many/first/index.html', page('first', ...Array.from({ length: 12 }, (_, i) => `${i}.html`)))
  const many: StaticWeb = { ...web, folder: 'many' }
  const overruled = await crawlSite(many, '', false)
  const judged = await crawlSite(many, '', true)
  const documents = [...overruled.pages].map(([url, { digest }]) => [url, digest] as [string, string | null])
  const { lost, lostDistinct, collected, pages } = compare(
    documents.filter(([url]) => isKept(overruled.pages.get(url)!)),
    judged.pages,
    false,
  )
  assert.equal(pages, 414)
  assert.ok(lost > 100 && lost === pages - collected && lostDistinct > 0, `${lost} lost, ${lostDistinct} distinct`)
  assert.ok(judged.findings.length > 0 && Object.keys(judged.held).length > 0)
  assert.deepEqual(overruled.findings, [])
})

test('what is lost is told by rule, and by whether its bytes were kept under another name', () => {
  const kept = (digest: string): CrawledPage => ({ outcome: 'kept', why: 'new', detail: null, digest })
  const pages = new Map<string, CrawledPage>([
    ['/a', kept('1')],
    ['/b', { outcome: 'refused', why: 'hazard', detail: 'maze /{name}', digest: null }],
    ['/new', kept('4')],
    ['/l/?C=N;O=D', kept('5')],
  ])
  const reference: [string, string][] = [
    ['/a', '1'],
    ['/b', '2'],
    ['/c', '1'],
    ['/l/?C=N;O=A', '6'],
  ]
  const compared = compare(reference, pages, true)
  assert.deepEqual(compared, {
    pages: 3,
    collected: 1,
    lost: 2,
    lostDistinct: 1,
    lostBy: { maze: 1, 'never found': 1 },
    surplus: 1,
    examples: ['/b', '/c'],
  })
  assert.equal(compare(reference, pages, false).pages, 4)
  const figures = {
    ...compared,
    site: 'x',
    generator: 'y',
    version: '1',
    findings: [{ rule: 'maze', pattern: '/{name}', evidence: 'e', examples: [] }],
    held: { 'stopped:maze': 7 },
    requests: 9,
    cpuSeconds: 2,
    cpuSecondsOverruled: 1,
  }
  assert.deepEqual(byRule([figures, figures]).maze, { findings: 2, sites: 2, held: 14, lost: 2 })
  const [sites] = realTables({ sites: [figures, figures], skipped: [] })
  assert.deepEqual(sites.rows.at(-1)?.slice(2, 6), ['6', '2', '4', '66.67%'])
})

test('the lists are apart, and every site is named once', () => {
  const names = [...TUNING_SITES, ...HELD_SITES].map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
})

test('the build without detectors has all that the crawler asks them for', () => {
  const without = join(import.meta.dirname, 'no-detectors.ts')
  const reports = join(import.meta.dirname, '..', '..', 'src', 'crawl', 'report-hazards.ts')
  const ask = `const { judge } = await import(${JSON.stringify(reports)}); console.log(typeof judge)`
  const node = ['--import', without, '--input-type=module', '-e', ask]
  assert.equal(execFileSync(process.execPath, node, { encoding: 'utf8' }), 'function\n')
})
