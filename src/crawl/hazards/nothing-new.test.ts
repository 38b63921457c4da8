/** Parts of a site that go on without end, or for long, and say nothing that it has not said. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../../contracts/site-memory.ts'
import type { SuspectPattern } from '../../contracts/trap-memory.ts'
import { admitUrl, judgePage, learnProbe } from './detect.ts'
import { isLibrary, learnInvention } from './invented.ts'
import { openTraps } from './open-traps.ts'
import { page, range, slug, words } from './sites.test-data.ts'
import { addSuspect, findSuspect, stop, TWO_IN_THEMSELVES } from './suspects.ts'
import { crawl, factsOf, NO_LIMITS, type Site } from './traces.test-data.ts'

const ARTICLES = range(80).map((at) => `/${slug(`article ${at}`)}`)
const sentences = (path: string) => range(12).map((at) => words(`${path} ${at}`, 14))

test('old versions that differ from each other are made of what was known', () => {
  const site: Site = (path) => {
    if (path === '/') return page('Wiki', words('home', 60), ARTICLES)
    const [, article, version] = /^([^?]+)(?:\?rev=(\d+))?$/.exec(path) ?? []
    if (!ARTICLES.includes(article)) return undefined
    const shown = sentences(article).slice(0, version === undefined ? 12 : 3 + (Number(version) % 8))
    return page('Article', shown.join('. '), ['/', ...range(20).map((at) => `${article}?rev=${at}`)])
  }
  const { requests, fetched, findings } = crawl(site, 4000)
  assert.ok(ARTICLES.every((path) => fetched.has(path)))
  assert.ok(requests <= 700, `${requests} requests`)
  assert.ok(findings.every(({ rule }) => rule === 'idle-parameter'))
  assert.equal(findings.at(-1)?.pattern, '/**?rev=*&**')
})

test('pages with parameters that say something of their own are read, also beside orders that do not', () => {
  const orders = ['up', 'down', 'new', 'old', 'long', 'short']
  const pages = range(12).flatMap((list) => range(6).map((at) => [list, at + 1] as const))
  const site: Site = (path) => {
    const [, list, at = '1', order = 'up'] = /^\/list\?c=(\d+)(?:&page=(\d+))?(?:&sort=(\w+))?$/.exec(path) ?? []
    if (path === '/')
      return page(
        'Home',
        words('home', 60),
        range(12).map((one) => `/list?c=${one}`),
      )
    if (list === undefined) return path.startsWith('/item-') ? page('Item', words(path, 120), ['/']) : undefined
    const items = range(10).map((one) => `/item-${list}-${at}-${one}`)
    if (order === 'down' || order === 'old') items.reverse()
    const links = [...orders.map((one) => `/list?c=${list}&page=${at}&sort=${one}`), ...items]
    const next = Number(at) < 6 ? [`/list?c=${list}&page=${Number(at) + 1}&sort=up`] : []
    return page('List', items.map((one) => words(`about ${one}`, 8)).join(' '), [...links, ...next, '/'])
  }
  const { fetched } = crawl(site, 4000)
  const items = pages.flatMap(([list, at]) => range(10).map((one) => `/item-${list}-${at}-${one}`))
  assert.deepEqual(
    items.filter((path) => !fetched.has(path)),
    [],
  )
})

test('where several folders are found in themselves, paths with two of them are held back, whatever the order', () => {
  const found = (pattern: string) =>
    ({ rule: 'folder-in-itself', proof: 'alias', pattern, evidence: '', examples: [] }) as const
  const suspects = ['/music/**', '/trains/**', '/maps/birds/**']
    .reduce((all, pattern) => addSuspect(all, found(pattern), 0, undefined)!, [] as SuspectPattern[])
    .map((one) => stop(one, []))
  const all = addSuspect(suspects, found(TWO_IN_THEMSELVES), 0, undefined)!
  const heldBy = (path: string) => findSuspect(all, path, () => false)?.pattern
  assert.equal(heldBy('/weather/trains/music/page'), TWO_IN_THEMSELVES)
  assert.equal(heldBy('/weather/birds/sports/trains/'), TWO_IN_THEMSELVES)
  assert.equal(heldBy('/weather/birds/page?at=/music/trains/'), undefined)
  assert.equal(heldBy('/weather/music/trains'), undefined)
})

/** Each page names six more by names that chance makes; `exists` says which there are. */
const library = (exists: (name: string) => boolean): Site => {
  return (path) => {
    if (path === '/') return page('Home', words('home', 60), [...ARTICLES, '/about/start'])
    if (ARTICLES.includes(path)) return page('Article', words(path, 120), ['/', '/about/start'])
    const name = path.slice('/about/'.length)
    if (!path.startsWith('/about/') || !exists(name)) return undefined
    const known = range(4).map((at) => ARTICLES[(name.length * 7 + at * 13) % ARTICLES.length])
    const others = range(6).map((at) => `/about/${slug(`${name} ${at}`)}`)
    return page(name, words(name, 80), ['/', ...known, ...others.filter((one) => exists(one.slice(7)))])
  }
}

test('where any name has a page, pages that name others are no library', () => {
  const { requests, fetched, findings } = crawl(
    library(() => true),
    6000,
  )
  assert.ok(ARTICLES.every((path) => fetched.has(path)))
  assert.ok(requests <= 300, `${requests} requests`)
  assert.match(findings.find(({ rule }) => rule === 'maze')?.evidence ?? '', /name that cannot exist/)
})

test('where an invented name has none, the library is read to its end; it is asked for once', () => {
  const names = new Set(['start'])
  for (const name of names) {
    if (names.size > 600) break
    for (const at of range(6)) names.add(slug(`${name} ${at}`))
  }
  const asked: string[] = []
  const site = library((name) => names.has(name))
  const { fetched } = crawl((path) => {
    asked.push(path)
    return site(path)
  }, 6000)
  assert.equal([...fetched].filter((path) => path.startsWith('/about/')).length, names.size)
  const isInvented = (path: string) => path.startsWith('/about/') && !names.has(path.slice('/about/'.length))
  assert.equal(asked.filter(isInvented).length, 1)
})

test('the answer to an invented name counts only if it is one more page of the kind', () => {
  const invention = { path: '/about/no-such-name', kind: '/about/{name}', tags: 0b1111n }
  const [one, two] = ['/about/walrus', '/about/meadow']
  const said = (tags: bigint) => {
    const title = ''
    return { digest: '', textDigest: 1n, simhash: 1n, shape: 1n, length: 90, words: 12, tags, title, text: () => title }
  }
  for (const [tags, fresh, isMaze, isMissing] of [
    [0b1111n, [one, two], true, false],
    [0b1111n, [one, '/elsewhere'], false, false],
    [~0n, [one, two], false, false],
    // What the site gives for any missing name.
    [0b1111n, [one, two], false, true],
  ] as const) {
    const traps = openTraps(undefined)
    const content = said(tags)
    if (isMissing) learnProbe(traps, { status: 200, content, path: '/missing' })
    learnInvention(traps, invention, { path: '/about/no-such-name', content, fresh }, 0)
    assert.equal(traps.suspects.length === 1, isMaze)
    assert.equal(isLibrary(traps, invention.kind), isMissing)
  }
})

test('URLs without an idle parameter are asked for ever more rarely while there are none, and all once there is one', () => {
  const traps = openTraps(undefined)
  const finding = {
    rule: 'idle-parameter',
    proof: 'alias',
    pattern: '/**?old=*&**',
    evidence: '',
    examples: [],
  } as const
  traps.suspects = addSuspect([], finding, 0, undefined)!
  let memory = freshMemory()
  const judge = (at: number, isThere: boolean) => {
    const path = `/x?diff=${at}`
    const answer = isThere ? page('Page', words(path, 90), []) : undefined
    const facts = { ...factsOf(path, 2, answer, new Set(), new Set(), at), isInferred: true }
    const judged = judgePage(memory, traps, facts, NO_LIMITS)
    memory = judged.memory
    return judged.requeue
  }
  const isAsked = (at: number) =>
    admitUrl(memory, traps, { path: `/x?diff=${at}`, depth: 2, generation: 1, isInferred: true }, NO_LIMITS) ===
    undefined
  const asked = range(200).filter((at) => isAsked(at) && judge(at, false) === undefined)
  assert.deepEqual(asked, [...range(8), 15, 23, 39, 71, 135])
  assert.equal(admitUrl(memory, traps, { path: '/x?diff=1', depth: 2, generation: 1 }, NO_LIMITS), undefined)
  assert.equal(judge(300, true), true)
  assert.ok(isAsked(301))
})
