import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { basePath, dashboard, share } from './parsers.ts'
import { Unfit } from './setting.ts'

test('a share is written as a fraction or in per cent', () => {
  assert.deepEqual(['0', '0%', '0.001', '0.1%', '50%', '1', '100%'].map(share), [0, 0, 0.001, 0.001, 0.5, 1, 1])
})

test('a share above 1, below 0 or not a number is refused', () => {
  for (const text of ['1.1', '101%', '-1', '', '%', '1e-3', '0,1', '.5', '1 %', 'NaN'])
    assert.throws(() => share(text), Unfit, text)
})

test('any text is a share between 0 and 1 or is refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String)), (text) => {
      try {
        const value = share(text)
        assert.ok(value >= 0 && value <= 1)
      } catch (error) {
        assert.ok(error instanceof Unfit)
      }
    }),
  )
})

test('where a dashboard listens, and the path below which a proxy shows it', () => {
  assert.deepEqual(dashboard('yes'), { host: '127.0.0.1', port: 8723 })
  assert.equal(dashboard('no'), undefined)
  assert.deepEqual(dashboard('9000'), { host: '127.0.0.1', port: 9000 })
  assert.deepEqual(dashboard('[::1]:0'), { host: '::1', port: 0 })
  for (const wrong of ['70000', 'a.test:80', '1.2.3.4', ':', '']) assert.throws(() => dashboard(wrong), Unfit, wrong)
  assert.deepEqual(['/', '/crawl/', '/a/b'].map(basePath), ['', '/crawl', '/a/b'])
  for (const wrong of ['crawl', '/../x', '//x', '/a?b', '/api', '/a"b'])
    assert.throws(() => basePath(wrong), Unfit, wrong)
})
