import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../../contracts/site-memory.ts'
import { emptyBlacklist, parseBlacklist } from '../../crawl/scope/blacklist.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { loadSettings } from '../config/load.ts'
import { type WhyNotAsk, whyNot } from './explain.ts'

const seeds = [parseUrl('http://a.test/')!]

function ask(url: string, flags: string[] = [], more: Partial<WhyNotAsk> = {}) {
  const { settings } = loadSettings(flags, 'crawl', { env: {}, readFile: () => undefined })
  const usual = {
    depth: 1,
    linkedAtHome: true,
    passedOver: false,
    kind: 'link' as const,
    settings,
    seeds,
    blacklist: emptyBlacklist,
    memory: undefined,
  }
  return whyNot({ url: parseUrl(url)!, ...usual, ...more })
}

test('no rule excludes the page of a seed', () => {
  assert.equal(ask('http://a.test/page'), undefined)
})

test('the alternates of a domain name are in scope, as in the crawl', () => {
  const alternates = [parseUrl('https://www.a.test/')!]
  assert.equal(ask('https://www.a.test/page')?.by, 'scope')
  assert.equal(ask('https://www.a.test/page', [], { alternates }), undefined)
})

test('whyNot names the rule that excludes a URL', () => {
  assert.deepEqual(ask('http://b.test/'), { by: 'scope', rule: 'scope host' })
  assert.equal(ask('http://a.test/x.png')?.by, 'unwanted')
  assert.match(ask('http://a.test/x', ['--exclude', 'x$'])?.rule ?? '', /^exclude x/)
  assert.deepEqual(ask('http://a.test/x', [], { depth: 1001 }), { by: 'scope', rule: 'depth>1000' })
  const blacklist = parseBlacklist([{ name: 'list', text: 'a.test' }])
  assert.equal(ask('http://a.test/x', [], { blacklist })?.by, 'scope')
})

test('a page that only other sites link to enters by its home page', () => {
  const flags = ['--scope', 'tld:test', '--links', 'home-page']
  assert.equal(ask('http://b.test/deep', flags, { linkedAtHome: false })?.by, 'links')
  assert.equal(ask('http://b.test/deep', flags), undefined)
})

test('without a rule against it, unfollowed links are explained by nofollow', () => {
  assert.equal(ask('http://a.test/page', [], { passedOver: true })?.by, 'nofollow')
  assert.equal(ask('http://b.test/', [], { passedOver: true })?.by, 'scope')
})

test('a URL that pages only embed is not followed', () => {
  const found = ask('http://a.test/style.css', ['--media-types', '*/*'], { passedOver: true, kind: 'embed' })
  assert.equal(found?.by, 'embedded')
  assert.equal(ask('http://b.test/x.css', ['--media-types', '*/*'], { kind: 'embed' })?.by, 'scope', 'rules come first')
})

test('a form whose action is missing elsewhere was not followed, without any nofollow', () => {
  const memory = { ...freshMemory(), forms: [{ name: 'search.html', found: 1, missing: 40 }] }
  const url = 'http://a.test/x/search.html'
  const found = ask(url, [], { passedOver: true, kind: 'form', memory })
  assert.equal(found?.by, 'form')
  assert.match(found?.rule ?? '', /search\.html in its folders, 40 of those are missing and 1 is there/)
  assert.equal(ask(url, [], { passedOver: true, memory })?.by, 'nofollow', 'a link is no form')
  assert.equal(ask('http://a.test/y.html', [], { passedOver: true, kind: 'form', memory })?.by, 'nofollow')
})

test('for a stopped site the hazard is named', () => {
  const memory = { ...freshMemory(), stopped: 'site-urls>=5' }
  assert.deepEqual(ask('http://a.test/page', [], { memory })?.rule, 'site-urls>=5')
})
