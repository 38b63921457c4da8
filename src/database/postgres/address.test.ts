import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { postgresAddress } from './address.ts'

describe('an address', () => {
  it('is one host or several, told without its password', () => {
    assert.deepEqual(postgresAddress('postgresql://me:hush@db.test/crawl?sslmode=require'), {
      urls: ['postgres://me:hush@db.test/crawl?sslmode=require'],
      where: 'postgres://db.test/crawl',
    })
    assert.deepEqual(postgresAddress('postgres://me@a.test:5433,[::1]:5434,c.test/crawl'), {
      urls: ['postgres://me@a.test:5433/crawl', 'postgres://me@[::1]:5434/crawl', 'postgres://me@c.test/crawl'],
      where: 'postgres://a.test:5433,[::1]:5434,c.test/crawl',
    })
    assert.equal(postgresAddress('postgres:///crawl?host=/run/postgresql').where, 'postgres:///crawl')
  })

  it('of servers that write may say so, and nothing else', () => {
    const { urls } = postgresAddress('postgres://a,b/crawl?target_session_attrs=read-write&sslmode=require')
    assert.deepEqual(urls, ['postgres://a/crawl?sslmode=require', 'postgres://b/crawl?sslmode=require'])
    assert.throws(() => postgresAddress('postgres://a,b/crawl?target_session_attrs=standby'), {
      code: 'bad-config',
      message: /servers write/,
    })
  })

  it('may lie in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'address-'))
    writeFileSync(join(folder, 'secret'), 'postgres://me:hush@db.test/crawl\n')
    assert.deepEqual(postgresAddress(`file:${folder}/secret`).urls, ['postgres://me:hush@db.test/crawl'])
    assert.throws(() => postgresAddress(`file:${folder}/nothing`), { code: 'bad-config' })
    rmSync(folder, { recursive: true })
  })

  it('that cannot be read is refused, without a word of it', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string().map((rest) => `postgres://${rest}`),
    )
    fc.assert(
      fc.property(text, (given) => {
        fc.pre(!given.startsWith('file:'))
        try {
          const { urls } = postgresAddress(given)
          assert.ok(urls.length > 0 && urls.every((url) => URL.canParse(url)))
        } catch (error) {
          assert.ok(error instanceof Problem && error.code === 'bad-config', String(error))
        }
      }),
    )
    for (const wrong of ['mysql://hush@h/d', 'postgres://hush@h', 'postgres://hush@a,,b/d', 'postgres://hush@h:port/d'])
      assert.throws(
        () => postgresAddress(wrong),
        (error: unknown) => !/hush/.test(String(error)),
        wrong,
      )
  })
})
