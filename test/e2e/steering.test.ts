/** An operator steers a crawl, and the crawled servers see it: from the command line and over the API, over restarts and kills. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { askRunning } from '../../src/app/operators/act.ts'
import { realDisk } from '../../src/base/real-disk.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { startServer, startWorker } from './cluster.ts'
import {
  CONTACT,
  crawl,
  folder,
  json,
  links,
  run,
  runTo,
  type Scene,
  serve,
  sql,
  start,
  until,
  type Web,
} from './command.ts'
import { temporaryFolder } from './harness.ts'

const WITHIN_MS = 5000
/** The program may take so long to start on a busy machine. */
const START_MS = 30_000
/** After `pause` has taken effect, this long nothing may come. */
const QUIET_MS = 1500

/** Two sites with far more pages than any of these tests waits for. */
function endless(scene: Scene): Promise<Web> {
  const site = Object.fromEntries(
    Array.from({ length: 3000 }, (_, nth) => [nth === 0 ? '/' : `/${nth}`, links(`/${nth + 1}`, `/${nth + 2}`)]),
  )
  return serve(scene, { 'a.test': site, 'b.test': site, 'c.test': site })
}

const slowly = (args: string[]) => {
  args[args.indexOf('--pause-for') + 1] = '*.test=60ms'
  // So many pages that are alike seem to be a trap.
  return [...args, '--trust', '*.test']
}

const servedFlags = ({ port }: Web) => [
  ...['--resolve', `*.test=127.0.0.1:${port}`, '--pause-for', '*.test=60ms'],
  ...['--patience', '0.001', '--contact', CONTACT, '--trust', '*.test'],
]

const last = (web: Web, host?: string) =>
  Math.max(0, ...web.asked.filter((one) => host === undefined || one.host.startsWith(host)).map(({ at }) => at))

const countOf = (web: Web, host?: string) =>
  web.asked.filter((one) => host === undefined || one.host.startsWith(host)).length

/** Requests end within five seconds of the command that has just been given: then none comes for a while. */
async function assertStops(web: Web, host?: string): Promise<void> {
  const since = performance.now()
  const isStill = () => {
    const lastAt = last(web, host)
    assert.ok(lastAt - since < WITHIN_MS, `requests until ${lastAt - since} ms after the command`)
    return performance.now() - Math.max(lastAt, since) > QUIET_MS
  }
  await until('the end of requests', isStill, WITHIN_MS + 2 * QUIET_MS)
}

/** Nothing is asked for a while; `afterMs`: what has just been started needs so long until it would ask. */
async function assertStaysQuiet(web: Web, host?: string, afterMs = WITHIN_MS): Promise<void> {
  await sleep(afterMs)
  const before = countOf(web, host)
  await sleep(QUIET_MS)
  assert.equal(countOf(web, host), before)
}

async function assertGoesOn(web: Web, host?: string, withinMs = WITHIN_MS): Promise<void> {
  const before = countOf(web, host)
  await until(`requests to ${host ?? 'the sites'} again`, () => countOf(web, host) > before + 3, withinMs)
}

interface Acted {
  isChanged: boolean
  running: boolean
  now: string
}

describe('steering', { concurrency: 3 }, () => {
  test('pause, resume and bar of a crawl on this machine, from the command line, over kill -9', async (t) => {
    const web = await endless(t)
    const at = folder(t)
    const first = start(slowly(crawl(web, at, 'a.test', 'b.test')))
    await until('twenty requests', () => web.asked.length > 20)

    const paused = await json<Acted>(['pause', '-c', at, '--reason', 'a thunderstorm'])
    assert.deepEqual([paused.isChanged, paused.running], [true, true])
    await assertStops(web)
    assert.equal((await json<Acted>(['pause', '-c', at])).isChanged, false, 'it was paused already')
    const status = await json<{ paused: { reason: string } | null }>(['status', '-c', at])
    assert.equal(status.paused?.reason, 'a thunderstorm')

    first.child.kill('SIGKILL')
    await first.ended
    const again = start(['crawl', '-c', at])
    await assertStaysQuiet(web)
    await runTo(0, ['resume', '-c', at])
    await assertGoesOn(web, 'a.test')
    await assertGoesOn(web, 'b.test')

    await askRunning(realDisk, at, { who: 'anna', action: { action: 'add-seeds', urls: ['http://c.test/'] } })
    await until('requests to the new seed', () => web.paths('c.test').length > 10)
    await askRunning(realDisk, at, { who: 'anna', action: { action: 'blacklist', pattern: 'c.test' } })
    await assertStops(web, 'c.test')

    await runTo(0, ['bar', 'b.test', '-c', at, '--reason', 'its webmaster asked'])
    await assertStops(web, 'b.test')
    await assertGoesOn(web, 'a.test')
    const explained = await runTo(0, ['explain', 'b.test', '-c', at])
    assert.match(explained.stdout, /barred by .+: its webmaster asked/i)

    const stopped = await json<Acted>(['stop', '-c', at])
    assert.equal(stopped.isChanged, true, again.stderr())
    assert.equal((await again.ended).code, 11)
    assert.deepEqual(
      sql(at, 'SELECT action, subject FROM audit ORDER BY id').map(({ action, subject }) => [action, subject]),
      [
        ['pause', ''],
        ['pause', ''],
        ['resume', ''],
        ['add-seeds', ''],
        ['blacklist', ''],
        ['bar-site', 'b.test'],
        ['stop', ''],
      ],
    )
    // Named as a seed again, it stays barred.
    const third = start(slowly(crawl(web, at, 'a.test', 'b.test')))
    await assertGoesOn(web, 'a.test', START_MS)
    await assertStaysQuiet(web, 'b.test')
    third.child.kill('SIGINT')
    await third.ended
  })

  test('without a crawl: recorded, in force at the next start; what is not possible says why', async (t) => {
    const web = await endless(t)
    const at = folder(t)
    assert.equal((await run(['pause', '-c', at])).code, 2)
    await runTo(14, [...slowly(crawl(web, at, 'a.test', 'b.test')), '--max-pages', '5'])
    const stopped = await json<Acted>(['stop', '-c', at])
    assert.deepEqual(stopped, { action: 'stop', isChanged: false, running: false, now: 'No crawl is running.' })
    await runTo(0, ['pause', 'a.test', '-c', at])
    await runTo(0, ['pause', '-c', at])
    const before = web.asked.length
    const crawling = start([...slowly(crawl(web, at, 'a.test', 'b.test')), '--max-pages', '3000'])
    await sleep(3000)
    assert.equal(web.asked.length, before)
    await runTo(0, ['resume', '-c', at])
    await assertGoesOn(web, 'b.test')
    await assertStaysQuiet(web, 'a.test', 0)
    const wrong = await run(['pause', 'no site', '-c', at])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /is not the name of a site/)
    crawling.child.kill('SIGINT')
    await crawling.ended
  })

  test('over the API, at a worker on another machine; kept over kill -9 of server and worker', async (t) => {
    const web = await endless(t)
    using temporary = temporaryFolder()
    const flags = servedFlags(web)
    let server = await startServer(temporary.at('served'), ['a.test', 'b.test', ...flags])
    const port = Number(new URL(server.url).port)
    let worker = startWorker(temporary.at('worker'), [server.url])
    await until('twenty requests', () => web.asked.length > 20)
    const act = async (body: object): Promise<Acted> => {
      const answer = await fetch(`${server.url}/api/v1/actions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assert.equal(answer.status, 200, await answer.clone().text())
      return (await answer.json()) as Acted
    }

    await act({ action: 'bar-site', site: 'b.test', reason: 'asked' })
    await assertStops(web, 'b.test')
    await assertGoesOn(web, 'a.test')
    await act({ action: 'pause', reason: 'a storm' })
    await assertStops(web)

    for (const { child, done } of [server, worker]) {
      child.kill('SIGKILL')
      await done
    }
    server = await startServer(temporary.at('served'), ['a.test', 'b.test', ...flags], port)
    worker = startWorker(temporary.at('worker'), [server.url])
    await assertStaysQuiet(web)
    await act({ action: 'resume' })
    // The worker may still be starting.
    await assertGoesOn(web, 'a.test', START_MS)
    await assertStaysQuiet(web, 'b.test', 0)

    await act({ action: 'set-pause', site: 'a.test', pauseMs: 2000 })
    await sleep(WITHIN_MS)
    const times = web.asked.filter(({ host }) => host.startsWith('a.test')).map(({ at }) => at)
    await sleep(QUIET_MS * 3)
    const later = web.asked.filter(({ host }) => host.startsWith('a.test')).map(({ at }) => at)
    const gaps = later.slice(times.length).map((at, nth) => at - later[times.length + nth - 1])
    assert.ok(gaps.length > 0 && gaps.every((gap) => gap >= 2000), String(gaps))

    await act({ action: 'add-seeds', urls: ['http://c.test/'] })
    await until('requests to the new seed', () => web.paths('c.test').length > 10)
    await act({ action: 'blacklist', pattern: 'c.test' })
    await assertStops(web, 'c.test')

    const audit = (await (await fetch(`${server.url}/api/v1/audit`)).json()) as { entries: { action: string }[] }
    assert.deepEqual(
      audit.entries.map(({ action }) => action),
      ['blacklist', 'add-seeds', 'set-pause', 'resume', 'pause', 'bar-site'],
    )
    const control = (await (await fetch(`${server.url}/api/v1/control`)).json()) as { sites: { site: string }[] }
    assert.deepEqual(
      control.sites.map(({ site }) => site),
      ['a.test', 'b.test'],
    )
    await act({ action: 'stop' })
    assert.equal((await server.done).code, 11)
    worker.child.kill('SIGINT')
    await worker.done
  })

  test('a server that can no longer learn what is decided says so, and does not look stopped', async (t) => {
    const web = await endless(t)
    using temporary = temporaryFolder()
    const server = await startServer(temporary.at('served'), ['a.test', ...servedFlags(web)])
    const database = new DatabaseSync(join(temporary.at('served'), 'collection.db'))
    database.exec('DROP TABLE control')
    database.close()
    const { code, stderr } = await server.done
    assert.equal(code, 1, stderr)
    assert.match(stderr, /control/)
  })

  test('a request from another user, whose files are not ours, does not end the crawl', async (t) => {
    const web = await endless(t)
    const at = folder(t)
    const crawling = start(slowly(crawl(web, at, 'a.test')))
    await until('some requests', () => web.asked.length > 5)
    mkdirSync(join(at, 'actions', 'x.answer.new'), { recursive: true })
    writeFileSync(
      join(at, 'actions', 'x.request'),
      JSON.stringify({ who: 'root', action: { action: 'pause-site', site: 'b.test' }, until: Date.now() + 60_000 }),
    )
    await until('the request is taken', () => !existsSync(join(at, 'actions', 'x.request')))
    await assertGoesOn(web, 'a.test')
    await runTo(0, ['stop', '-c', at])
    assert.equal((await crawling.ended).code, 11)
  })

  test('in a shared database: two servers, actions from the command line', async (t) => {
    const postgres = await postgresForTests()
    if ('skipped' in postgres) return t.skip(postgres.skipped)
    const web = await endless(t)
    using temporary = temporaryFolder()
    try {
      const database = ['--database', await postgres.newDatabase()]
      const flags = [...servedFlags(web), ...database]
      const one = await startServer(temporary.at('one'), ['a.test', 'b.test', ...flags])
      const two = await startServer(temporary.at('two'), flags)
      const workers = [one, two].map(({ url }, nth) => startWorker(temporary.at(`worker${nth}`), [url]))
      await until('twenty requests', () => web.asked.length > 20)
      const act = (...args: string[]) => json<Acted>([...args, ...database])
      assert.equal((await act('pause')).running, true)
      await assertStops(web)
      await runTo(0, ['resume', ...database])
      await assertGoesOn(web)
      await runTo(0, ['bar', 'b.test', ...database])
      await assertStops(web, 'b.test')
      await assertGoesOn(web, 'a.test')
      await runTo(0, ['stop', ...database])
      for (const { done } of [one, two]) assert.equal((await done).code, 11)
      for (const { child, done } of workers) {
        child.kill('SIGINT')
        await done
      }
      const stopped = { action: 'stop', isChanged: false, running: false, now: 'No crawl is running.' }
      assert.deepEqual(await act('stop'), stopped)
      assert.deepEqual((await act('pause', 'a.test')).running, false)
      await act('resume', 'a.test')
      // A crawl without servers is one, too. The workers' leases of a.test still run.
      const alone = start([...slowly(crawl(web, temporary.at('alone'), 'c.test')), ...database])
      const before = web.asked.length
      await until('requests of the crawl', () => web.asked.length > before + 3)
      assert.equal((await act('stop')).running, true)
      assert.equal((await alone.ended).code, 11)
      assert.deepEqual(await act('stop'), stopped)
    } finally {
      await postgres.end()
    }
  })
})
