import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteView } from './collection-reader.ts'
import { statusText } from './commands/status.ts'
import { explainSite } from './explain-words.ts'
import { STANDING } from './fake-services.test-data.ts'

const VIEW: SiteView = {
  state: 'held',
  seed: false,
  notBefore: 0,
  politeAt: 0,
  pause: 0,
  losses: 0,
  deferral: 0,
  visits: 0,
  known: 2,
  waiting: 2,
  memory: { robots: {}, fetched: 0, duplicates: 0, silent: 0 },
  domain: {
    name: 'farm.test',
    sites: 1200,
    endorsed: 2,
    held: 1146,
    wildcard: true,
    addresses: ['192.0.2.7'],
    allowed: 52,
  },
  unendorsedSite: { referrer: 'www.farm.test' },
}
const C = { collection: 'c', database: undefined }
const explained = (changes: Partial<SiteView>) =>
  explainSite({ site: 'x.farm.test', view: { ...VIEW, ...changes }, documents: 0, findings: [] }, 0).join('\n')

test('a held site says why, who speaks for it, and what would release it', () => {
  const text = explained({})
  assert.match(text, /^x\.farm\.test: held: it is one of too many in its domain that nobody vouches for\.$/m)
  assert.match(text, /Any name under farm\.test resolves \(to 192\.0\.2\.7\).*1,200 sites.*2 vouched for, 1,146 held\./)
  assert.match(text, /Only www\.farm\.test speaks for it\. .* 52 are visited there\./)
  assert.match(text, /released when it is given as a seed, .* when one more vouched site of its domain does/)
  assert.match(text, /--trust '\*\.farm\.test=dns-wildcard'/)
  assert.match(
    explained({ unendorsedSite: {} }),
    /Nobody that counts speaks for it\.[\s\S]*when two vouched sites of its domain do/,
  )
})

test('a site that is vouched for, or in a domain without a wildcard, has less to say', () => {
  const endorsed = explained({ state: 'free', unendorsedSite: undefined })
  assert.match(endorsed, /Any name under farm\.test resolves/)
  assert.doesNotMatch(endorsed, /speaks for it|released/)
  assert.doesNotMatch(explained({ state: 'free', domain: { ...VIEW.domain!, wildcard: false } }), /resolves|speaks/)
  assert.match(explained({ state: 'free', deferral: 2 }), /Others come first/)
})

test('status tells how many are held, when any is', () => {
  assert.doesNotMatch(statusText(STANDING, C, 0), /held/)
  const sites = { ...STANDING.sites, held: 1146 }
  const text = statusText({ ...STANDING, sites, heldDomains: 3 }, C, 0)
  assert.match(text, /held +1,146 sites that nobody vouches for: 3 domains with wildcards/)
  assert.match(text, /sites +1,156 known/)
})

test('status says whose it is: of a folder, or of the database that many share', () => {
  assert.match(statusText(STANDING, C, 0), /^c: /)
  const shared = statusText(
    { ...STANDING, state: 'unfinished' },
    { collection: './collection', database: 'postgres://u:secret@h/d' },
    0,
  )
  assert.match(shared, /^the shared database: /)
  assert.match(shared, /go on with +orbweaver crawl --database @FILE/)
  assert.doesNotMatch(shared, /secret/)
})
