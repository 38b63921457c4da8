import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteView } from '../../frontier/contract.ts'
import { hazardLines } from './explain-text.ts'

test('a hazard is shown with its pattern, evidence, effect and examples', () => {
  const finding = {
    rule: 'calendar',
    pattern: '/cal/#/#',
    evidence: '12 pages in a row differ in numbers only',
    examples: ['http://a.test/cal/2030/1', 'http://a.test/cal/2030/2'],
    at: Date.UTC(2026, 0, 2),
    withdrawn_at: null,
  }
  const samples = { confirmed: 5, contradicted: 0 }
  const calendar = {
    rule: 'calendar',
    pattern: '/cal/#/#',
    proof: 'text',
    evidence: '',
    stopped: true,
    refused: 1234,
    ...samples,
  }
  const album = {
    rule: 'maze',
    pattern: '/a/*',
    proof: 'growth',
    evidence: '40 pages',
    stopped: false,
    refused: 0,
    ...samples,
  }
  const view = { memory: { traps: { suspects: [calendar, album] } } } as unknown as SiteView
  assert.deepEqual(hazardLines({ view, findings: [finding] }), [
    'Hazard (2026-01-02 00:00:00 UTC): calendar in /cal/#/#: 12 pages in a row differ in numbers only.',
    '  Of this pattern, only URLs that other pages list and occasional samples are fetched; ' +
      '1,234 URLs held back so far (samples: 5 for, 0 against).',
    '  e.g. http://a.test/cal/2030/1',
    '  e.g. http://a.test/cal/2030/2',
    'Suspected: maze in /a/*: 40 pages.',
    '  Samples so far: 5 for, 0 against. Nothing is held back yet.',
  ])
})

test('a confirmed finding says who confirmed it, and that nothing is sampled', () => {
  const finding = { rule: 'maze', pattern: '/a/*', evidence: '40 pages', examples: [], at: 0, withdrawn_at: null }
  const suspect = { rule: 'maze', pattern: '/a/*', proof: 'alias', evidence: '', stopped: true, isConfirmed: true }
  const counts = { refused: 7, confirmed: 4, contradicted: 0 }
  const view = { memory: { traps: { suspects: [{ ...suspect, ...counts }] } } } as unknown as SiteView
  const choice = { confirmed: [{ rule: 'maze', pattern: '/a/*', at: 1000, who: 'anna' }] }
  assert.deepEqual(hazardLines({ view, findings: [finding], choice }), [
    'Hazard (1970-01-01 00:00:00 UTC): maze in /a/*: 40 pages.',
    '  Of this pattern, nothing is fetched; 7 URLs held back so far (samples: 4 for, 0 against).',
    '  Confirmed (1970-01-01 00:00:01 UTC) by anna: it stays in force, without samples, until it is overruled.',
  ])
})

test('a hazard of the whole site has no pattern', () => {
  const finding = {
    rule: 'site-urls>=5000',
    pattern: null,
    evidence: '5,000 pages',
    examples: [],
    at: 0,
    withdrawn_at: null,
  }
  assert.deepEqual(hazardLines({ view: undefined, findings: [finding] }), [
    'Hazard (1970-01-01 00:00:00 UTC): site-urls>=5000: 5,000 pages.',
  ])
})

test('a withdrawn finding is shown as withdrawn', () => {
  const finding = { rule: 'maze', pattern: '/a/*', evidence: '40 pages', examples: [], at: 0, withdrawn_at: 1000 }
  assert.deepEqual(hazardLines({ view: undefined, findings: [finding] }), [
    'Hazard (1970-01-01 00:00:00 UTC): maze in /a/*: 40 pages.',
    '  Withdrawn (1970-01-01 00:00:01 UTC): the URLs it held back are queued again.',
  ])
})
