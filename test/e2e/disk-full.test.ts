/** A full disk. A small file system of its own is mounted, so the test needs root and Linux. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startServer } from './cluster.ts'
import {
  CONTACT,
  counters,
  crawl,
  json,
  kept,
  links,
  run,
  runTo,
  serve,
  sql,
  troubleLines,
  type Web,
} from './command.ts'

const isPossible = process.platform === 'linux' && process.getuid?.() === 0
const skip = isPossible ? false : 'a small file system can be mounted by root on Linux only'

const PAGES = 120

/** Bodies that do not compress, 20 kB each. */
const SITE = Object.fromEntries(
  Array.from({ length: PAGES }, (_, i) => {
    const noise = Array.from(
      { length: 1500 },
      (_, j) => ((i * 7919 + j * 104729) % 2147483647).toString(36) + Math.sin(i * 1e4 + j).toString(36),
    ).join(' ')
    return [i === 0 ? '/' : `/${i}`, `${links(`/${2 * i + 1}`, `/${2 * i + 2}`)}<p>${noise}</p>`]
  }),
)

const heavySite = (t: Parameters<typeof serve>[0]): Promise<Web> => serve(t, { 'a.test': SITE })

function mount(t: { after(call: () => unknown): void }, bytes: number): string {
  const at = mkdtempSync(join(tmpdir(), 'orbweaver-e2e-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', at])
  t.after(() => {
    execFileSync('umount', ['-l', at])
    rmSync(at, { recursive: true })
  })
  return at
}

function fill(place: string, leave: number): string {
  const { bavail, bsize } = statfsSync(place)
  const ballast = join(place, 'ballast')
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leave)))
  return ballast
}

describe('a full disk', { skip, concurrency: 4 }, () => {
  // Full at different moments: before the database is there, in the middle of a volume, near the end.
  for (const leave of [20_000, 100_000, 300_000, 600_000, 1_200_000, 1_800_000]) {
    test(`${leave} bytes are left: exit 3, one clear line; with room again nothing is lost`, async (t) => {
      const web = await heavySite(t)
      const place = mount(t, 24_000_000)
      const ballast = fill(place, leave)
      const at = join(place, 'collection')
      const ended = await run(crawl(web, at, 'a.test'))
      assert.equal(ended.code, 3, ended.stderr)
      const lines = troubleLines(ended.stderr).filter((line) => !/^\d+s: /.test(line))
      assert.equal(lines.length, 1, ended.stderr)
      assert.match(lines[0], /^orbweaver: .*(room|full)/)

      rmSync(ballast)
      await runTo(0, crawl(web, at, 'a.test'))
      assert.equal(kept(at).length, PAGES)
      assert.equal(counters(at).documents, PAGES)
      assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
      const captures = sql(at, `SELECT count(DISTINCT url) AS n FROM captures WHERE status = 200`)
      assert.equal(captures[0].n, PAGES)
    })
  }

  test('volumes have a list of places: the next takes over, nobody stops, and every capture is found', async (t) => {
    const web = await heavySite(t)
    // Too small for what is written in a second; then large enough for a while; then for all.
    const places = [mount(t, 600_000), mount(t, 1_500_000), mkdtempSync(join(tmpdir(), 'orbweaver-e2e-roomy-'))]
    t.after(() => rmSync(places[2], { recursive: true }))
    const at = join(mkdtempSync(join(tmpdir(), 'orbweaver-e2e-')), 'collection')
    t.after(() => rmSync(join(at, '..'), { recursive: true }))
    const volumes = places.flatMap((place) => ['--volumes', `dir:${place}`])
    const ended = await runTo(0, [...crawl(web, at, 'a.test'), '--volume-size', '1MB', '--verbose', ...volumes])
    assert.equal(kept(at).length, PAGES)
    assert.equal(counters(at).documents, PAGES)
    assert.deepEqual(readdirSync(join(at, 'archive')), [])
    for (const place of places) {
      const files = readdirSync(place)
      assert.ok(files.length > 0, `${place}: ${ended.stderr}`)
      assert.deepEqual(
        files.filter((name) => !name.endsWith('.warc.gz')),
        [],
        'closed, whatever became of the disk',
      )
    }
    const places_ = sql(at, 'SELECT sealed, count(*) AS n FROM volume_location GROUP BY 1')
    assert.equal(places_.length, 1)
    assert.equal(places_[0].sealed, 1)
    const verified = await json<{ ok: boolean; captures: number }>(['verify', '-c', at])
    assert.ok(verified.ok)
    assert.ok(verified.captures >= PAGES)
    for (const page of [1, 60, PAGES - 1])
      assert.match((await runTo(0, ['get', `http://a.test/${page}`, '-c', at])).stdout, /<p>/)
    rmSync(join(places[2], readdirSync(places[2])[0]))
    const damaged = await run(['verify', '--json', '-c', at])
    assert.equal(damaged.code, 1)
    assert.match(damaged.stdout, /is not there \(in .*roomy.*\); the catalogue has \d+ captures in it/)
  })

  test('of a worker too: what does not fit into its own folder goes to the next of its list', async (t) => {
    const web = await heavySite(t)
    // Smaller than a volume, which leaves it when it is complete.
    const own = mount(t, 900_000)
    const at = mkdtempSync(join(tmpdir(), 'orbweaver-e2e-'))
    t.after(() => rmSync(at, { recursive: true }))
    const [collection, roomy] = [join(at, 'server'), join(at, 'roomy')]
    const fast = ['--resolve', `*.test=127.0.0.1:${web.port}`, '--pause-for', '*.test=0s', '--contact', CONTACT]
    const server = await startServer(collection, ['a.test', ...fast, '--volume-size', '1MB'])
    t.after(async () => {
      server.child.kill('SIGINT')
      await server.done
    })
    const places = ['--volumes', 'upload', '--volumes', `dir:${roomy}`]
    const worker = ['worker', '-c', own, '--server', server.url, '--until-done', '--verbose', '--json', ...places]
    const ended = await runTo(0, worker)
    assert.equal((JSON.parse(ended.stdout) as { locationsReplaced: number }).locationsReplaced, 1, ended.stderr)
    assert.ok(readdirSync(roomy).length > 1)
    assert.deepEqual(
      readdirSync(roomy).filter((name) => !name.endsWith('.warc.gz')),
      [],
    )
    // What was cut short by the full disk is sent when the worker is started again.
    await runTo(0, worker)
    assert.deepEqual(readdirSync(join(own, 'archive')), [])
    assert.equal(kept(collection).length, PAGES)
    const verified = await json<{ ok: boolean; captures: number }>(['verify', '-c', collection])
    assert.ok(verified.ok, JSON.stringify(verified))
    assert.ok(verified.captures >= PAGES)
  })
})
