/**
 * pywb replays both versions of pages that a refresh against nginx found changed, and those that it found unchanged by a 304;
 * the last versions also after retention has rewritten the volumes. Run by `npm run interop`, which installs pywb.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder, runTo, type Scene } from '../e2e/command.ts'
import { crawlReplaceRefresh, HOST, releases } from '../e2e/nginx-trial.ts'

const wayback = join(process.env['INTEROP'] ?? '', 'python/bin/wayback')
const available = existsSync(wayback) ? await releases() : { skipped: 'there is no pywb here' }

/** Answers with the bytes that pywb replays of a page: those of the capture closest to a time. */
async function startPywb(scene: Scene, collection: string) {
  const home = folder(scene)
  mkdirSync(join(home, 'collections'))
  symlinkSync(collection, join(home, 'collections', 'mine'))
  const port = await freePort()
  const program = spawn(wayback, ['-p', String(port), '-b', '127.0.0.1'], { cwd: home, stdio: 'ignore' })
  const ended = once(program, 'exit')
  scene.after(async () => {
    program.kill('SIGTERM')
    await ended
  })
  const base = `http://127.0.0.1:${port}`
  for (
    let tries = 0;
    !(await fetch(base).then(
      () => true,
      () => false,
    ));
    tries++
  ) {
    assert.ok(tries < 300 && program.exitCode === null, 'pywb does not start')
    await sleep(100)
  }
  return async (path: string, at: Date): Promise<string> => {
    const time = at.toISOString().replace(/[-:T]|\..*/g, '')
    const answer = await fetch(`${base}/mine/${time}id_/http://${HOST}${path}`)
    assert.equal(answer.status, 200, path)
    return answer.text()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

test('pywb replays both versions of what a refresh found changed, and one version of the rest', {
  skip: 'skipped' in available && available.skipped,
}, async (t) => {
  if ('skipped' in available) return
  const trial = await crawlReplaceRefresh(t, available)
  const { collection, collected, replaced } = trial
  const [crawled, refreshed] = [trial.crawledAt, new Date()]
  const unchanged = [...collected].filter((path) => path.endsWith('.html') && !replaced.has(path))
  const replay = await startPywb(t, collection)
  for (const path of [...replaced].slice(0, 10)) {
    assert.equal(await replay(path, crawled), trial.before(path), `${path}, before`)
    assert.equal(await replay(path, refreshed), trial.after(path), `${path}, after`)
  }
  for (const path of unchanged.slice(0, 10))
    for (const at of [crawled, refreshed]) assert.equal(await replay(path, at), trial.before(path), path)

  await runTo(0, ['clean', '-c', collection, '--retention', 'none', '--remove'])
  const later = await startPywb(t, collection)
  for (const path of [...replaced].slice(0, 5)) assert.equal(await later(path, crawled), trial.after(path), path)
  for (const path of unchanged.slice(0, 5)) assert.equal(await later(path, refreshed), trial.before(path), path)
})
