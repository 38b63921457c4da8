/** A refresh against nginx and real pages: what changed is found, exactly, and what did not costs no body. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { json, runTo } from './command.ts'
import { crawlReplaceRefresh, HOST, releases, stored } from './nginx-trial.ts'

const available = await releases()

test('Git’s documentation on nginx, parts replaced by the next release: a refresh finds what changed, by 304s, and retention leaves it whole', {
  skip: 'skipped' in available && available.skipped,
}, async (t) => {
  if ('skipped' in available) return
  const trial = await crawlReplaceRefresh(t, available)
  const { collection, collected, replaced, again } = trial
  assert.ok(collected.size > 150, `${collected.size} pages`)
  assert.ok(replaced.size > 10, `${replaced.size} replaced`)

  // The server's side: every page is asked for once; those that were not replaced bring no body, except a few whole looks.
  const looks = again.filter(({ path }) => collected.has(path))
  assert.deepEqual(looks.map(({ path }) => path).sort(), [...collected].sort())
  for (const { path, status, conditional } of looks)
    assert.equal(status, conditional && !replaced.has(path) ? 304 : 200, path)
  const whole = looks.filter(({ conditional }) => !conditional).length
  assert.ok(whole <= Math.ceil(looks.length / 20) + 1, `${whole} whole looks of ${looks.length}`)

  // The collection's side: exactly the replaced pages have two versions.
  const database = new DatabaseSync(join(collection, 'collection.db'), { readOnly: true })
  const versions = database
    .prepare(
      'SELECT url, count(DISTINCT digest) AS versions, count(*) AS looks FROM captures WHERE status < 400 GROUP BY url',
    )
    .all() as { url: string; versions: number; looks: number }[]
  const changed = versions.filter((page) => page.versions > 1).map(({ url }) => new URL(url).pathname)
  const fileOf = (path: string) => (path === '/' ? '/index.html' : path)
  assert.deepEqual(changed.map(fileOf).sort(), [...replaced].sort())
  database.close()
  for (const path of [...replaced].slice(0, 3)) {
    assert.equal(await stored(trial, path, trial.betweenAt), trial.before(path), path)
    assert.equal(await stored(trial, path), trial.after(path), path)
  }
  await runTo(0, ['verify', '-c', collection])

  // Without the old versions it is whole, too, and the pages that never changed still have their bytes.
  const rule = ['clean', '-c', collection, '--retention', 'none']
  const { captures } = await json<{ captures: number }>(rule)
  const removed = await json<{ captures: number; volumes: number }>([...rule, '--remove'])
  assert.equal(removed.captures, captures)
  assert.ok(removed.captures >= replaced.size && removed.volumes > 0, JSON.stringify(removed))
  const { faults } = await json<{ faults: unknown[] }>(['verify', '-c', collection])
  assert.deepEqual(faults, [])
  const [path] = replaced
  assert.equal(await stored(trial, path), trial.after(path))
  const unchanged = [...collected].find((one) => !replaced.has(one) && one !== '/index.html')!
  assert.equal(await stored(trial, unchanged), trial.before(unchanged))
  assert.equal((await runTo(0, ['history', '-c', collection, `http://${HOST}${path}`])).code, 0)
})
