import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteView } from '../../frontier/contract.ts'
import { SITE_VIEW, URL_FACTS, URL_VIEW } from '../cli/fake-services.test-data.ts'
import type { UrlFacts } from './explain.ts'
import { explainSite, explainUrl } from './explain-text.ts'

const SITE = { site: 'a.test', view: undefined, documents: 0, findings: [] }
const sentences = (view: Partial<NonNullable<UrlFacts['view']>>) =>
  explainUrl({ ...URL_FACTS, view: { ...URL_VIEW, seed: true, ...view } }, SITE, 0).join('\n')
const siteSentences = (view: Partial<SiteView>) =>
  explainSite({ ...SITE, view: { ...SITE_VIEW, ...view } }, 0).join('\n')

test('explain says what kind of seed a URL is', () => {
  assert.match(sentences({}), /It is a seed\. Queued/)
  assert.match(sentences({ path: '' }), /It is a seed\. Queued/)
  assert.match(sentences({ path: 'M' }), /It is a seed, to be read as a sitemap\./)
  assert.match(sentences({ path: 'N' }), /It is a seed: the first guess for a domain name\./)
  assert.match(sentences({ path: 'NNN', seed: false }), /It is guess 3 for a domain name\./)
  assert.match(
    sentences({ path: 'L', seed: false, depth: 1, via: 'http://b.test/' }),
    /found on http:\/\/b\.test\/, one level/,
  )
})

test('explains why a URL was never queued, as far as that is known', () => {
  const linked = { ...URL_FACTS, inlinks: { count: 1, from: ['http://a.test/'], behind: 0 } }
  const why = { by: 'nofollow', rule: 'every link says nofollow' } as const
  assert.match(
    explainUrl(linked, SITE, 0, why).join('\n'),
    /No rule excludes the URL itself: every link says nofollow\./,
  )
  const memory = { ...SITE_VIEW.memory, sitemaps: { asked: 1, urls: 0, left: { foreign: 1 } } }
  const view = { ...SITE_VIEW, memory }
  assert.match(explainUrl(URL_FACTS, { ...SITE, view }, 0).join('\n'), /among the sitemap entries of its site/)
})

test('explain says what follows from visits lost in a row', () => {
  const lost = (losses: number) => siteSentences({ state: 'waiting', losses })
  assert.doesNotMatch(lost(0), /lost/)
  assert.match(lost(1), /Its last visit was lost: other sites come first\./)
  assert.match(lost(3), /Its last 3 visits were lost: .* its visits are short/)
  assert.match(lost(7), /Its last 7 visits were lost without a result: it waits longer/)
})

test('a site that does not answer waits for a retry, not for a pause', () => {
  const waiting = (silent: number) =>
    siteSentences({
      state: 'waiting',
      notBefore: 30_000,
      politeAt: 30_000,
      memory: { ...SITE_VIEW.memory, silent },
    })
  assert.match(waiting(0), /: pausing; next request in 30s\./)
  assert.match(waiting(1), /: waiting to retry; next request in 30s\.\n(.*\n)*The last request got no answer\./)
})

test('why a site was given up', () => {
  assert.match(siteSentences({ state: 'barred', reason: 'given-up: no-such-name' }), /: given up: server not found\.\n/)
  assert.match(siteSentences({ state: 'barred', reason: 'given-up' }), /: given up: no answer after the last retry\.\n/)
  assert.match(
    siteSentences({ state: 'barred', reason: 'given-up: given-up: address-refused' }),
    /: given up: private or blacklisted address, or that of a wildcard domain\.\n/,
  )
})

test('a blacklist that covers a site is named, whether the site is known or not', () => {
  const lines = explainSite(SITE, 0, { blacklist: 'blacklist: a.test' })
  assert.match(lines.join('\n'), /It is on a blacklist \(blacklist: a\.test\), so nothing is fetched from it\./)
})

test('singular and plural', () => {
  assert.match(sentences({ ahead: 1 }), / 1 URL of its site comes first\./)
  assert.match(sentences({ ahead: 2000 }), / 2,000 URLs of its site come first\./)
})

const PAGE: NonNullable<UrlFacts['page']> = {
  ...{ id: 1, url: 'https://a.test/', depth: 0, via: null, path: '', tookMs: 1, tries: 0, at: 0, firstAt: 0, looks: 1 },
  ...{ status: 200, mediaType: 'text/html', sniffed: null, language: null, bytes: 10, digest: null, title: '' },
  ...{ outcome: 'kept', why: 'first', detail: null, annotations: '' },
  hasContent: 0,
}

test('defects of a response are explained in plain text', () => {
  const explained = (page: Partial<typeof PAGE>) =>
    explainUrl({ ...URL_FACTS, captures: 1, page: { ...PAGE, ...page } }, SITE, 0)
  assert.deepEqual(explained({ annotations: '2t,certificate:expired,coding:damaged' }).slice(-2), [
    'Note: the certificate had expired.',
    'Note: the compressed body is damaged, or its checksum is wrong.',
  ])
  assert.match(
    explained({ status: 206, outcome: 'gone', why: 'status-other' }).join('\n'),
    /sent only a part of the page, without being asked to/,
  )
  assert.equal(
    explained({ outcome: 'refused', why: 'unwanted', detail: 'media type image/png' })[0],
    'Not collected: image/png is not in --media-types.',
  )
  assert.equal(
    explained({ outcome: 'refused', why: 'robots', detail: 'Disallow: /' })[0],
    'Not collected: forbidden by robots.txt (Disallow: /).',
  )
})

test('a page without an answer, or with an error, is described without codes', () => {
  const explained = (page: Partial<typeof PAGE>) =>
    explainUrl({ ...URL_FACTS, page: { ...PAGE, ...page } }, SITE, 0)
      .filter((line) => /^(Not collected|Last|Refused)/.test(line))
      .join(' ')
  const at = '1970-01-01 00:00:00 UTC'
  assert.equal(
    explained({ status: 404, outcome: 'gone', why: 'status-404', mediaType: '' }),
    `Not collected: status 404 (not found); it will not be tried again. Last fetched ${at}: status 404.`,
  )
  assert.equal(
    explained({ status: -9998, outcome: 'refused', why: 'robots', detail: 'Disallow: /' }),
    `Not collected: forbidden by robots.txt (Disallow: /). Refused ${at}, without a request.`,
  )
  assert.equal(
    explained({ status: -2, outcome: 'later', why: 'connect' }),
    `Not collected yet: the last try ended with connection refused. Last tried ${at}: connection refused.`,
  )
})

test('a page that was collected: every state of it can be told from the others', () => {
  const MAY = Date.UTC(2026, 4, 1, 12)
  const facts = { ...URL_FACTS, captures: 3, lastGoodAt: MAY }
  const known = (page: Partial<typeof PAGE>, more: Partial<UrlFacts> = {}) =>
    explainUrl({ ...facts, page: { ...PAGE, looks: 4, hasContent: 1, ...page }, ...more }, SITE, 0)
  const gone = (status: number, why: string) => known({ outcome: 'gone', status, why })
  const stays = 'It was collected before, and stays so: 3 captures; the page was last there 2026-05-01 12:00:00 UTC.'
  const states: [lines: string[], first: string][] = [
    [
      gone(404, 'status-404'),
      'Missing: status 404 (not found) at the last look; it is gone if that stays so for some days.',
    ],
    [gone(410, 'status-410'), 'Gone: status 410 (gone); it is not looked at again.'],
    [
      known({ outcome: 'gone', status: 404, why: 'status-404' }, { view: { ...URL_VIEW, mark: 'gone' } }),
      'Gone: status 404 (not found); it is not looked at again.',
    ],
    [gone(403, 'status-403'), 'Forbidden now: the server answered with status 403 (forbidden) at the last look.'],
    [gone(-2, 'connect'), 'Unreachable: the last look ended with connection refused.'],
    [gone(503, 'status-503'), 'Unreachable: the last look ended with status 503 (service unavailable).'],
    [
      known({ outcome: 'refused', status: -9998, why: 'robots', detail: 'Disallow: /x' }),
      'Forbidden now: robots.txt says Disallow: /x. It is not requested.',
    ],
    [
      known({ outcome: 'refused', status: -5000, why: 'scope', detail: 'exclude x' }),
      'Out of scope now: exclude x. It is not requested.',
    ],
    [
      known({ outcome: 'refused', status: 200, why: 'directive', detail: 'noindex' }),
      'Refused now: the page forbids it (noindex). It is not kept.',
    ],
    [
      known({ outcome: 'moved', status: 301, detail: 'http://b.test/' }),
      'Moved: it redirects with status 301 to http://b.test/ now, which is treated like a link.',
    ],
  ]
  for (const [lines, first] of states) assert.deepEqual(lines.slice(0, 2), [first, stays])
  const failedLook = { at: MAY, status: -4, outcome: 'later', why: 'first-byte-timeout', detail: null }
  assert.deepEqual(known({ title: 'Old' }, { failedLook }).slice(-2), [
    'Last look 2026-05-01 12:00:00 UTC: no response in time.',
    'It was text/html, 10 B, "Old".',
  ])
  assert.deepEqual(known({}, { failedLook }).slice(0, 2), [
    'Unreachable: the last look ended with no response in time.',
    stays,
  ])
  const collected = (page: Partial<typeof PAGE>) => known(page)[0]
  assert.equal(
    collected({ why: 'same', status: 304 }),
    'Collected: 3 captures. Unmodified: the server said so at the last look.',
  )
  assert.equal(collected({ why: 'same' }), 'Collected: 3 captures. It was unchanged at the last look.')
  assert.equal(collected({ why: 'changed' }), 'Collected: 3 captures. It had changed at the last look.')
  assert.equal(collected({ looks: 1 }), 'Collected: 3 captures.')
})

test('explain says what operators decided, and no text of theirs controls the terminal', () => {
  const barred = { at: 0, who: 'anna@here', reason: 'asked\x1b[2J' }
  const choice = { barred, pauseMs: 90_000, trust: ['site-urls'] }
  const crawl = { paused: { at: 0, who: 'bob' } }
  const view = { ...SITE_VIEW, state: 'barred', stopped: 'barred', reason: 'operator: asked' } as const
  const said = explainSite({ ...SITE, view, choice, crawl }, 3_600_000).join('\n')
  assert.match(
    said,
    /^a\.test: barred by an operator\.\nThe whole crawl is paused by bob .+\.\nBarred by anna@here .+: asked/,
  )
  assert.match(said, /An operator set its pause to 1m30s\./)
  assert.match(said, /these hazard rules do not count: site-urls\./)
  assert.ok(!said.includes('\x1b'))
  assert.match(explainSite({ ...SITE, choice }, 0).join('\n'), /unknown.*\nBarred by anna@here/)
  const paused = { ...SITE_VIEW, state: 'waiting', stopped: 'paused', notBefore: 253_402_300_799_000 } as const
  const url = explainUrl({ ...URL_FACTS, view: { ...URL_VIEW, mark: 'waiting' } }, { ...SITE, view: paused }, 0)
  assert.match(url.join('\n'), /Waiting, but an operator paused its site; see below\./)
})
