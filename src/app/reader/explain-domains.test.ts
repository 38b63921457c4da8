import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteView } from '../../frontier/contract.ts'
import { statusText } from '../cli/commands/status.ts'
import { SITE_VIEW, STATUS } from '../cli/fake-services.test-data.ts'
import { explainSite } from './explain-text.ts'

const VIEW: SiteView = {
  ...SITE_VIEW,
  state: 'held',
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

test('explain says why a site is held back, who links to it, and what would release it', () => {
  const text = explained({})
  assert.match(text, /^x\.farm\.test: held back, because too many sites of its domain have no trusted link\.$/m)
  assert.match(
    text,
    /Any name under farm\.test resolves \(to 192\.0\.2\.7\).*1,200 sites known, 2 with a trusted link, 1,146 held back\./,
  )
  assert.match(text, /Only www\.farm\.test links to it\. Up to 52 such sites of the domain are visited\./)
  assert.match(text, /released if you add it as a seed, .* if one more trusted site of its domain links to it/)
  assert.match(text, /--trust '\*\.farm\.test=dns-wildcard'/)
  assert.match(
    explained({ unendorsedSite: {} }),
    /No trusted site links to it\.[\s\S]*if two trusted sites of its domain link to it/,
  )
})

test('fewer domain lines for a trusted site or a domain without a wildcard', () => {
  const endorsed = explained({ state: 'free', unendorsedSite: undefined })
  assert.match(endorsed, /Any name under farm\.test resolves/)
  assert.doesNotMatch(endorsed, /links to it|released/)
  assert.doesNotMatch(
    explained({ state: 'free', domain: { ...VIEW.domain!, wildcard: false } }),
    /resolves|links to it/,
  )
  assert.match(explained({ state: 'free', deferral: 2 }), /Other sites come first/)
})

test('status shows how many sites are held back, if any', () => {
  assert.doesNotMatch(statusText(STATUS, C, 0), /held/)
  const sites = { ...STATUS.sites, held: 1146 }
  const text = statusText({ ...STATUS, sites, heldDomains: 3 }, C, 0)
  assert.match(text, /held back +1,146 sites without a trusted link, in 3 domains with wildcard DNS/)
  assert.match(text, /sites +1,156 known/)
})

test('status names the folder or the shared database', () => {
  assert.match(statusText(STATUS, C, 0), /^c: /)
  const shared = statusText(
    { ...STATUS, state: 'unfinished' },
    { collection: './collection', database: 'postgres://u:secret@h/d' },
    0,
  )
  assert.match(shared, /^the shared database: /)
  assert.match(shared, /resume +orbweaver crawl --database @FILE/)
  assert.doesNotMatch(shared, /secret/)
})
