import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../config/load.ts'
import { emptyBlacklist, parseBlacklist } from '../scope/blacklist.ts'
import { freshMemory } from '../visit/site-memory.ts'
import { parseUrl } from '../web/url/web-url.ts'
import { type WhyNotAsk, whyNot } from './why-not.ts'

const seeds = [parseUrl('http://a.test/')!]

function ask(url: string, flags: string[] = [], more: Partial<WhyNotAsk> = {}) {
  const { settings } = loadSettings(flags, 'crawl', { env: {}, readFile: () => undefined })
  const usual = {
    depth: 1,
    linkedAtHome: true,
    passedOver: false,
    embedded: false,
    settings,
    seeds,
    blacklist: emptyBlacklist,
    memory: undefined,
  }
  return whyNot({ url: parseUrl(url)!, ...usual, ...more })
}

test('nothing is against a page of a seed', () => {
  assert.equal(ask('http://a.test/page'), undefined)
})

test('where a name to try may live is in the scope, as it is for the crawl', () => {
  const alternates = [parseUrl('https://www.a.test/')!]
  assert.equal(ask('https://www.a.test/page')?.by, 'scope')
  assert.equal(ask('https://www.a.test/page', [], { alternates }), undefined)
})

test('the rule that is against it is named', () => {
  assert.deepEqual(ask('http://b.test/'), { by: 'scope', rule: 'scope host' })
  assert.equal(ask('http://a.test/x.png')?.by, 'unwanted')
  assert.match(ask('http://a.test/x', ['--exclude', 'x$'])?.rule ?? '', /^exclude x/)
  assert.deepEqual(ask('http://a.test/x', [], { depth: 1001 }), { by: 'scope', rule: 'depth>1000' })
  const blacklist = parseBlacklist([{ name: 'list', text: 'a.test' }])
  assert.equal(ask('http://a.test/x', [], { blacklist })?.by, 'scope')
})

test('a page of another site that only strangers link to enters by its home page', () => {
  const flags = ['--scope', 'tld:test', '--links', 'home-page']
  assert.equal(ask('http://b.test/deep', flags, { linkedAtHome: false })?.by, 'links')
  assert.equal(ask('http://b.test/deep', flags), undefined)
})

test('nothing of ours is against it, and yet no link to it was followed: they say nofollow', () => {
  assert.equal(ask('http://a.test/page', [], { passedOver: true })?.by, 'nofollow')
  assert.equal(ask('http://b.test/', [], { passedOver: true })?.by, 'scope')
})

test('what pages only embed is not followed, and nobody said nofollow', () => {
  const found = ask('http://a.test/style.css', ['--media-types', '*/*'], { passedOver: true, embedded: true })
  assert.equal(found?.by, 'embedded')
  assert.equal(
    ask('http://b.test/x.css', ['--media-types', '*/*'], { embedded: true })?.by,
    'scope',
    'rules come first',
  )
})

test('a site that was stopped says by what', () => {
  const memory = { ...freshMemory(), stopped: 'site-urls>=5' }
  assert.deepEqual(ask('http://a.test/page', [], { memory })?.rule, 'site-urls>=5')
})
