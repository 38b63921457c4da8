import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { seal } from '../../contracts/sealed-part.ts'
import { aReport, aVisit } from './server.test-tools.ts'
import { isSound } from './validate-report.ts'

const onPage = (more: Partial<PageReport>) => (report: VisitReport) => {
  Object.assign(report.pages[0], more)
}
const link = { url: 'http://x.test/', key: 1n, site: 'x.test', depth: 1, via: 'http://s1.test/', path: 'L' }
const capture = { volume: 'A-1.warc.gz', offset: 0, length: 1, digest: 'sha1:X', kind: 'response' as const }
const memory = { digest: 'sha1:X', textDigest: 1n, simhash: 1n }

test('what is usual is sound', () => {
  for (const more of [{}, { ended: 'done' as const }, { crossSite: [{ ...link, lastmod: 5 }] }, { pages: [] }])
    assert.ok(isSound(seal(aReport(1, 1, more))))
})

/** Each of these stopped a coordinator, or was told of another site than the visit's. */
const IMPOSSIBLE: Record<string, (report: VisitReport) => void> = {
  'an instant beyond all dates': onPage({ at: 1e300 }),
  'one before 1970': onPage({ at: -1 }),
  'an answer that took longer than the world is old': onPage({ tookMs: 1e300 }),
  'a depth without end': onPage({ depth: 2 ** 53 - 1 }),
  'bytes without end': onPage({ bytes: 2 ** 53 - 1 }),
  'later than ever': onPage({ outcome: { kind: 'later', why: 'dns', notBefore: 1e300 } }),
  'a volume elsewhere': onPage({ capture: { ...capture, volume: '../../etc/passwd' } }),
  'a place beyond all files': onPage({ capture: { ...capture, offset: 2 ** 53 - 1 } }),
  'a digest without end': onPage({ capture: { ...capture, digest: 'x'.repeat(201) } }),
  'a validator that would be a header of its own': onPage({ memory: { ...memory, etag: '"1"\r\nX-Evil: 1' } }),
  'a validator without end': onPage({ memory: { ...memory, lastModified: 'x'.repeat(1025) } }),
  'a memory of no digest': onPage({ memory: { ...memory, digest: '' } }),
  'a pause for ever': (report) => Object.assign(report.courtesy, { pause: 1e300 }),
  'a connection before the request': (report) => Object.assign(report.courtesy, { connectMs: -1 }),
  'a negative pause': (report) => Object.assign(report.courtesy, { pause: -1 }),
  'a site that is never asked again': (report) => Object.assign(report.courtesy, { notBefore: 1e300 }),
  'a verdict of no time': (report) => report.findings.push({ rule: 'x', evidence: '', at: 1e300 }),
  'a link of no time': (report) => report.found.push({ ...link, lastmod: 1e300 }),
  'more than can be counted': (report) => Object.assign(report, { counts: new Map([['documents', 2 ** 53 - 1]]) }),
  'counters without end': (report) =>
    Object.assign(report, { counts: new Map(Array.from({ length: 1000 }, (_, n) => [`type:${n}`, 1])) }),
  'another site': (report) => Object.assign(report, { site: 's2.test' }),
  'another fence': (report) => Object.assign(report, { fence: 2 }),
  'no part': (report) => Object.assign(report, { part: 0 }),
}

for (const [what, change] of Object.entries(IMPOSSIBLE)) {
  test(`refused: ${what}`, () => {
    const report = aReport(1, 1)
    change(report)
    assert.equal(isSound(seal(report)), false)
  })
}

test('refused: a visit that has no name of ours', () => {
  assert.equal(isSound(seal(aReport(1, 1, { visit: 'x' }))), false)
  assert.ok(isSound(seal(aReport(1, 1, { visit: aVisit(1).id }))))
})
