import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Problem, type ProblemCode } from '../base/errors.ts'
import { isLocked, LOCK_FILE, lockCollection } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'lock-'))
after(() => rmSync(folder, { recursive: true }))
const problem = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code

describe('one crawl at a time', () => {
  const lockUrl = new URL('./lock.ts', import.meta.url).href

  it('refuses the second, in the same process or another, until the first is released', () => {
    assert.equal(isLocked(folder), false)
    const lock = lockCollection(folder)
    assert.equal(isLocked(folder), true)
    assert.throws(() => lockCollection(folder), problem('collection-in-use'))
    const script = `import { lockCollection } from ${JSON.stringify(lockUrl)}
      try { lockCollection(${JSON.stringify(folder)}) } catch (error) { console.log(error.code) }`
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    assert.equal(told.trim(), 'collection-in-use')
    lock.release()
    lock.release()
    assert.equal(isLocked(folder), false)
    lockCollection(folder).release()
  })

  it('is freed by the death of its holder', async () => {
    const script = `import { lockCollection } from ${JSON.stringify(lockUrl)}
      lockCollection(${JSON.stringify(folder)}); console.log('held'); setInterval(() => {}, 1000)`
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await new Promise((resolve) => holder.stdout.once('data', resolve))
    assert.equal(isLocked(folder), true)
    assert.throws(() => lockCollection(folder), problem('collection-in-use'))
    const dead = new Promise((resolve) => holder.once('exit', resolve))
    holder.kill('SIGKILL')
    await dead
    assert.equal(isLocked(folder), false)
    lockCollection(folder).release()
    assert.ok(existsSync(join(folder, LOCK_FILE)))
  })
})
