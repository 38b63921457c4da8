/** Other texts of a URL: which are told, and how many. What is queued and when is `whole-parts.test.ts` and `crawl.test.ts`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hash64 } from '../base/digest.ts'
import { freshMemory } from '../contracts/site-memory.ts'
import type { AgendaItem, Visit } from '../contracts/visit.ts'
import { RULE_NAMES } from '../web/url/rules.ts'
import { isSameText, urlReader, type WebUrl } from '../web/url/web-url.ts'
import { LocalFrontier } from './local-frontier.ts'
import { itemOf, Scripted } from './scripted.test-data.ts'

const PLAIN = 'http://a.test/x'
const sid = (number: number) => `${PLAIN}?sid=${number}`
/** Under the key of the plain text, as a rule would have it. */
const item = (url: string): AgendaItem => ({ ...itemOf({ url }), key: hash64(url.split('?')[0]) })

function frontier(visit: Partial<Visit> = {}): LocalFrontier {
  const memory = { robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0 }
  const limits = { pages: 100, time: 1 }
  const known = new BigUint64Array(0)
  const whole = { id: '1', fence: 1, site: 'a.test', agenda: [], known, memory, wait: 0, pause: 0, limits, lease: 1 }
  return new LocalFrontier({ ...whole, ...visit })
}

const offers = (local: LocalFrontier, ...urls: string[]) => urls.map((url) => local.offer(item(url), url !== PLAIN))

test('another spelling of a waiting URL is reported once, at most five per URL', () => {
  const local = frontier()
  assert.deepEqual(offers(local, PLAIN, PLAIN, sid(1), sid(1)), ['new', 'known', 'spelling', 'known'])
  const told = Array<string>(4).fill('spelling')
  assert.deepEqual(offers(local, ...[2, 3, 4, 5, 6].map(sid), PLAIN), [...told, 'known', 'known'])
})

test('a folder is reported if the site uses index names, since it may be known under one', () => {
  const folder: AgendaItem = { ...itemOf({ url: 'http://a.test/d/' }), key: hash64('http://a.test/d/') }
  const known = new BigUint64Array([folder.key])
  assert.equal(frontier({ known }).offer(folder, false), 'known')
  const memory = { ...freshMemory(), indexNames: true as const }
  const local = frontier({ known, memory })
  assert.deepEqual([local.offer(folder, false), local.offer(folder, false)], ['spelling', 'known'])
  const index = { ...itemOf({ url: 'http://a.test/e/default.html' }), key: hash64('http://a.test/e/') }
  assert.equal(frontier({ agenda: [index] }).hasIndexNames, true)
  assert.equal(frontier({ agenda: [folder] }).hasIndexNames, false)
})

test('the plain spelling of a URL that waits, or was fetched, under another', () => {
  const local = frontier({ agenda: [item(sid(1))] })
  assert.deepEqual(offers(local, sid(1), PLAIN), ['known', 'spelling'])
  const later = frontier({ agenda: [item(sid(1))] })
  later.take()
  assert.deepEqual(offers(later, sid(1), PLAIN), ['known', 'spelling'])
})

test('for a URL known from the frontier only a lossy spelling can differ', () => {
  const local = frontier({ known: new BigUint64Array([hash64(PLAIN)]) })
  assert.deepEqual(offers(local, PLAIN, sid(1)), ['known', 'spelling'])
  const asked = frontier({ agenda: [item(PLAIN)] })
  asked.take()
  assert.deepEqual(offers(asked, PLAIN, sid(1)), ['known', 'spelling'])
})

test("a feed's spelling, not marked as lossy, is compared too", () => {
  const local = frontier()
  assert.equal(local.offer(item(sid(1)), false), 'new')
  assert.deepEqual(offers(local, PLAIN, sid(1)), ['spelling', 'known'])
})

test('keeping only odd spellings gives the same answers as keeping all', () => {
  const rules = urlReader(RULE_NAMES)
  // No folders: they are told more often than need be (the test above).
  const texts = [
    '/a',
    '/%61',
    '/~a',
    '/%7Ea',
    '/a/index.html',
    '/a/default.htm',
    '/a?b=1&a=2',
    '/a?a=2&b=1',
    '/a?',
    '/a;jsessionid=AB12',
  ]
  const step = fc.record({ path: fc.constantFrom(...texts), unsaid: fc.boolean(), take: fc.boolean() })
  const agenda = fc.subarray(texts)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), agenda, fc.nat(6), (steps, agenda, pages) => {
      const urlOf = (path: string) => rules.parse(`http://a.test${path}`)!
      const itemOfUrl = ({ href, key }: WebUrl): AgendaItem => ({ ...itemOf({ url: href }), key })
      // The frontier has a key once.
      const waiting = [...new Map(agenda.map((path) => [urlOf(path).key, itemOfUrl(urlOf(path))])).values()]
      const local = frontier({ agenda: waiting, limits: { pages, time: 1 } })
      const all = keepingAll(waiting, pages + 1)
      for (const { path, unsaid, take } of steps) {
        const url = urlOf(path)
        const lossy = !(unsaid && !local.knows(url.key)) && url.lossy
        assert.equal(local.holds({ ...url, lossy }), all.isKnown(itemOfUrl(url), lossy))
        assert.equal(local.offer(itemOfUrl(url), lossy), all.offer(itemOfUrl(url), lossy))
        if (take && local.peek() !== undefined) assert.deepEqual(local.take(), all.take())
      }
    }),
    { numRuns: 3000 },
  )
})

/** The plainest way: the texts of all that waits, and of what is lossy, until they are asked for. */
function keepingAll(agenda: readonly AgendaItem[], max: number) {
  const queue = [...agenda]
  const seen = new Set(agenda.map(({ key }) => key))
  const texts = new Map(agenda.map(({ key, url }) => [key, url]))
  const counts = new Map<bigint, number>()
  const told = new Set<string>()
  const isSpelling = ({ key, url }: AgendaItem, lossy: boolean) => {
    const text = texts.get(key)
    if (text === undefined ? !lossy : isSameText(text, url)) return false
    return seen.has(key) && (counts.get(key) ?? 0) < 5 && !told.has(url)
  }
  return {
    isKnown: (item: AgendaItem, lossy: boolean) => seen.has(item.key) && !isSpelling(item, lossy),
    offer(item: AgendaItem, lossy: boolean) {
      if (!seen.has(item.key)) {
        seen.add(item.key)
        const queued = queue.length < max
        if (queued) queue.push(item)
        if (queued || lossy) texts.set(item.key, item.url)
        return 'new'
      }
      if (!isSpelling(item, lossy)) return 'known'
      counts.set(item.key, (counts.get(item.key) ?? 0) + 1)
      told.add(item.url)
      return 'spelling'
    },
    take() {
      const item = queue.shift()
      if (item !== undefined && hash64(item.url) === item.key) texts.delete(item.key)
      return item
    },
  }
}

test('without the known URLs, the frontier decides what is a spelling', () => {
  const local = frontier({ known: 'too many' })
  assert.deepEqual(offers(local, sid(1), sid(1), PLAIN), ['spelling', 'known', 'spelling'])
  const other = frontier({ known: 'too many' })
  assert.deepEqual(offers(other, PLAIN, sid(1)), ['new', 'spelling'])
})

test('a site with a new spelling for every link has few of them reported', () => {
  const local = frontier({
    known: new BigUint64Array(Array.from({ length: 20_000 }, (_, i) => hash64(`${PLAIN}${i}`))),
  })
  let told = 0
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 20_000; i++) if (local.offer(item(`${PLAIN}${i}?sid=${round}`), true) === 'spelling') told++
  assert.equal(told, 10_000)
})

test('a visit reports other spellings beside new URLs, also two on one page', async () => {
  const home = 'http://a.test/'
  const [one, two] = ['11111111111111111111111111111111', '22222222222222222222222222222222']
  const links = ['/x', `/x?PHPSESSID=${one}`, `/x?PHPSESSID=${two}`, `/y?PHPSESSID=${one}`, '/y']
  const web = new Scripted({ [home]: { body: links.map((href) => `<a href="${href}">.</a>`).join('') } })
  const { parts } = await web.visit({ agenda: [home], visit: { limits: { pages: 1, time: 1e9 } } })
  const found = parts.flatMap((part) => part.found.map(({ url, spelling }) => [url.slice(home.length), spelling]))
  assert.deepEqual(found, [
    ['x', undefined],
    [`y?PHPSESSID=${one}`, undefined],
    [`x?PHPSESSID=${one}`, true],
    [`x?PHPSESSID=${two}`, true],
    ['y', true],
  ])
  assert.deepEqual(web.pagesAsked, ['a.test/'])
})

test('a waiting offspring counts as found by the page that lists it, once', () => {
  const offspring = { ...item(PLAIN), depth: 4, via: 'http://a.test/w', path: 'Lll' }
  const local = frontier({ agenda: [item('http://a.test/1'), offspring] })
  assert.deepEqual([local.isOffspring(offspring.key), local.isOffspring(item('http://a.test/1').key)], [true, false])
  local.list(offspring.key, { depth: 2, via: 'http://a.test/list', path: 'LL' })
  assert.equal(local.isOffspring(offspring.key), false)
  local.take()
  assert.deepEqual(local.take(), { ...offspring, depth: 2, via: 'http://a.test/list', path: 'LL' })
})

test('what a form listed stays listed when offspring links to it, too', () => {
  const listed = { ...item(PLAIN), via: 'http://a.test/list', path: 'LS' }
  const local = frontier({ agenda: [listed] })
  local.isLinked(listed.key)
  assert.deepEqual(local.take(), { ...listed, path: 'LL' })
  const offspring = { ...listed, path: 'Ls' }
  const other = frontier({ agenda: [offspring] })
  other.isLinked(offspring.key)
  other.list(offspring.key, { depth: 1, via: 'http://a.test/', path: 'L' })
  assert.equal(other.take()?.path, 'L')
})
