import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UrlFacts } from './collection-reader.ts'
import { explainSite, explainUrl } from './explain-words.ts'

const SITE = { site: 'a.test', view: undefined, documents: 0, findings: [] }
const VIEW = { depth: 0, enqueuedAt: 0, dueAt: 0, tries: 0, mark: 'waiting' } as const
const said = (view: Partial<NonNullable<UrlFacts['view']>>) => {
  const inlinks = { count: 0, from: [], behind: 0 }
  const facts = { url: 'http://a.test/', site: 'a.test', page: undefined, captures: 0, inlinks }
  return explainUrl({ ...facts, view: { ...VIEW, seed: true, ...view } }, SITE, 0).join('\n')
}

test('a seed says what kind of one it is', () => {
  assert.match(said({}), /It is a seed\. Queued/)
  assert.match(said({ path: '' }), /It is a seed\. Queued/)
  assert.match(said({ path: 'M' }), /It is a seed, to be read as a sitemap\./)
  assert.match(said({ path: 'N' }), /It is a seed: the first guess for a name to try\./)
  assert.match(said({ path: 'NNN', seed: false }), /It is guess 3 for a name to try\./)
  assert.match(
    said({ path: 'L', seed: false, depth: 1, via: 'http://b.test/' }),
    /found on http:\/\/b\.test\/, one level/,
  )
})

test('what nobody queued says what is known of why', () => {
  const inlinks = { count: 1, from: ['http://a.test/'], behind: 0 }
  const facts = { url: 'http://a.test/x', site: 'a.test', view: undefined, page: undefined, captures: 0, inlinks }
  const why = { by: 'nofollow', rule: 'every link says nofollow' } as const
  assert.match(
    explainUrl(facts, SITE, 0, why).join('\n'),
    /No rule is against the URL itself: every link says nofollow\./,
  )
  const unlinked = { ...facts, inlinks: { count: 0, from: [], behind: 0 } }
  const memory = {
    robots: {},
    fetched: 0,
    duplicates: 0,
    silent: 0,
    sitemaps: { asked: 1, urls: 0, left: { foreign: 1 } },
  }
  const times = { notBefore: 0, politeAt: 0, pause: 0, losses: 0, deferral: 0, visits: 1, known: 1, waiting: 0 }
  const view = { state: 'crawled', seed: true, ...times, memory } as const
  assert.match(explainUrl(unlinked, { ...SITE, view }, 0).join('\n'), /Not all that the sitemaps of its site list/)
})

test('visits that were lost in a row say what follows from it', () => {
  const memory = { robots: {}, fetched: 0, duplicates: 0, silent: 0 }
  const times = { notBefore: 0, politeAt: 0, pause: 0, deferral: 0, visits: 1, known: 1, waiting: 1 }
  const told = (losses: number) =>
    explainSite({ ...SITE, view: { state: 'waiting', seed: false, ...times, losses, memory } }, 0).join('\n')
  assert.doesNotMatch(told(0), /lost/)
  assert.match(told(1), /Its last visit was lost: others come first\./)
  assert.match(told(3), /Its last 3 visits were lost: .* its slices are small/)
  assert.match(told(7), /Its last 7 visits were lost, and nothing was brought: it rests longer/)
})

test('a site that does not answer waits for its next try, not for courtesy', () => {
  const times = {
    notBefore: 30_000,
    politeAt: 30_000,
    pause: 0,
    losses: 0,
    deferral: 0,
    visits: 1,
    known: 1,
    waiting: 1,
  }
  const told = (silent: number) => {
    const memory = { robots: {}, fetched: 0, duplicates: 0, silent }
    return explainSite({ ...SITE, view: { state: 'waiting', seed: false, ...times, memory } }, 0).join('\n')
  }
  assert.match(told(0), /waits for courtesy; it may be asked in 30s\./)
  assert.match(told(1), /waits for its next try; it may be asked in 30s\.\n(.*\n)*The last request brought no answer\./)
})

test('why a site was given up is said in words', () => {
  const times = { notBefore: 0, politeAt: 0, pause: 0, losses: 0, deferral: 0, visits: 1, known: 1, waiting: 0 }
  const memory = { robots: {}, fetched: 0, duplicates: 0, silent: 0 }
  const told = (reason?: string) =>
    explainSite({ ...SITE, view: { state: 'barred', seed: true, reason, ...times, memory } }, 0)[0]
  assert.match(told('given-up: no-such-name'), /: given up: Server not found\.$/)
  assert.match(told('given-up'), /: given up: it did not answer in bounded tries\.$/)
})

test('a black list that names a site is told, whether it is known or not', () => {
  const lines = explainSite({ ...SITE, view: undefined }, 0, { blacklist: 'blacklist: a.test' })
  assert.match(lines.join('\n'), /It is on a black list \(blacklist: a\.test\): nothing of it is asked for\./)
})

test('one is one, and two are two', () => {
  assert.match(said({ ahead: 1 }), / 1 URL of its site comes first\./)
  assert.match(said({ ahead: 2000 }), / 2,000 URLs of its site come first\./)
})

test('what was wrong with an answer is said in words', () => {
  const inlinks = { count: 0, from: [], behind: 0 }
  const facts = { url: 'https://a.test/', site: 'a.test', view: undefined, captures: 1, inlinks }
  const page = {
    at: 0,
    firstAt: 0,
    looks: 1,
    status: 200,
    mediaType: 'text/html',
    sniffed: null,
    language: null,
    bytes: 10,
    outcome: 'kept',
    why: 'first',
    detail: null,
    digest: null,
    title: '',
    annotations: '2t,certificate:expired,coding:damaged',
  } as const
  const told = explainUrl({ ...facts, page }, SITE, 0)
  assert.deepEqual(told.slice(-2), [
    'Marked: the certificate had expired.',
    'Marked: the compressed body is damaged, or its checksum is wrong.',
  ])
  const part = { ...page, status: 206, outcome: 'gone', why: 'status-other', annotations: '' } as const
  assert.match(explainUrl({ ...facts, page: part }, SITE, 0).join('\n'), /a part of the page that nobody had asked for/)
})
