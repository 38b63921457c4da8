import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Choice } from '../../contracts/control.ts'
import type { LiveFacts, PageRequest } from '../page.ts'
import { findingItem } from './hazards.ts'

const REQUEST: PageRequest = {
  ...{ path: '/hazards', query: new URLSearchParams(), role: 'operator', base: '', csrf: 'token' },
  ...{ isSignedIn: true, message: undefined, live: {} as LiveFacts },
}

const FINDING: Parameters<typeof findingItem>[1] = {
  ...{ site: 'a.test', rule: 'site-urls>=5000', pattern: null, evidence: '5,000 URLs', examples: [] },
  ...{ at: 0, withdrawn_at: null },
}

const shown = (choice: Choice | undefined) => findingItem(REQUEST, FINDING, choice).text

test('a finding with its limit is overruled by the name of its rule, which is what actions take', () => {
  const found = shown(undefined)
  assert.match(found, /site-urls&gt;=5000/)
  assert.match(found, /in force/)
  assert.match(found, /name="rule" value="site-urls"/)
  const overruled = shown({ trust: ['site-urls'] })
  assert.match(overruled, /overruled by the operator/)
  assert.match(
    overruled,
    /value="distrust".*name="rule" value="site-urls"|name="rule" value="site-urls".*value="distrust"/s,
  )
})

test('a finding in force can be confirmed, once; what is withdrawn or overruled cannot', () => {
  const calendar = { ...FINDING, rule: 'calendar', pattern: '/cal/#' }
  const page = (finding: typeof calendar, choice?: Choice) => findingItem(REQUEST, finding, choice).text
  assert.match(page(calendar), /value="confirm-hazard".*name="pattern" value="\/cal\/#"/s)
  const confirmed = page(calendar, { confirmed: [{ rule: 'calendar', pattern: '/cal/#', at: 0, who: '<anna>' }] })
  assert.match(confirmed, /confirmed by the operator/)
  assert.match(confirmed, /by <bdi>&lt;anna&gt;/)
  assert.match(confirmed, /value="trust"/)
  assert.doesNotMatch(confirmed, /confirm-hazard/)
  assert.doesNotMatch(page({ ...calendar, withdrawn_at: 5 }), /confirm-hazard/)
  assert.doesNotMatch(page(calendar, { trust: ['calendar'] }), /confirm-hazard/)
  assert.match(
    page(calendar, { confirmed: [{ rule: 'calendar', pattern: '/list/#', at: 0, who: 'anna' }] }),
    /confirm-h/,
  )
})

test('a page that hung is shown, but there is no rule to confirm or overrule', () => {
  const { text } = findingItem(REQUEST, { ...FINDING, rule: 'reading-hung', evidence: 'http://a.test/bomb' }, undefined)
  assert.match(text, /http:\/\/a\.test\/bomb/)
  assert.doesNotMatch(text, /<form/)
})
