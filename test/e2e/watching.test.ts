/** A crawl that is watched: supervised and killed, with mails and metrics, as its operator sees it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { openMailbox } from '../../testkit/mailbox.ts'
import {
  counters,
  crawl,
  file,
  folder,
  json,
  kept,
  links,
  runTo,
  serve,
  sql,
  start,
  until,
  type Web,
} from './command.ts'

const PAGES = 120

async function longSite(t: Parameters<typeof serve>[0]): Promise<Web> {
  const site: Record<string, string> = {}
  for (let i = 0; i < PAGES; i++) {
    const below = [2 * i + 1, 2 * i + 2].filter((n) => n < PAGES).map((n) => `/${n}`)
    site[i === 0 ? '/' : `/${i}`] = `${links(...below)}${'filler '.repeat(50)}${i}`
  }
  return serve(t, { 'a.test': site })
}

const slowly = (args: string[], pause = '30ms') => {
  args[args.indexOf('--pause-for') + 1] = `*.test=${pause}`
  return args
}

/** Processes that this one started. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, parent] = /\) \w (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return Number(parent) === pid ? [Number(name)] : []
    } catch {
      return []
    }
  })
}

describe('watching', { concurrency: 2 }, () => {
  test('a supervised crawl that is killed goes on by itself, ends as if nothing had been, and mails its end', async (t) => {
    const web = await longSite(t)
    const at = folder(t)
    await using mailbox = await openMailbox()
    const mail = [
      '--mail-to',
      'ops@example.org',
      '--mail-from',
      'crawl@example.org',
      '--smtp',
      `@${file(t, mailbox.url)}`,
    ]
    const running = start(slowly([...crawl(web, at, 'http://a.test/'), ...mail, '--supervise']))
    await until('some pages', () => web.paths('a.test').length > 20)
    const [child] = childrenOf(running.child.pid!)
    process.kill(child, 'SIGKILL')
    const { code, stderr } = await running.ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /orbweaver: started again in 1s, because it was ended by SIGKILL/)
    assert.match(stderr, /Complete: 120 documents/)
    assert.equal(kept(at).length, PAGES)
    assert.equal(counters(at).documents, PAGES)
    assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
    await mailbox.received(1)
    assert.equal(mailbox.mails.length, 1)
    assert.match(mailbox.mails[0].source, /^Subject: \[orbweaver [\w-]+\] the crawl is complete\r\n/m)
    assert.ok(!readFileSync(`${at}/orbweaver.yaml`, 'utf8').includes(mailbox.host), 'a secret is not written down')

    // One more, now.
    const { stdout } = await runTo(0, ['report', '--mail', '-c', at, ...mail])
    assert.equal(stdout, 'Sent to ops@example.org.\n')
    assert.match(mailbox.mails[1].source, /120 known/)
    const { stderr: nobody } = await runTo(2, ['report', '--mail', '-c', at])
    assert.match(nobody, /nobody gets mails: give --mail-to/)
  })

  test('a mail server that is not there costs a note', async (t) => {
    const web = await serve(t, { 'a.test': { '/': 'one page' } })
    const at = folder(t)
    const mail = ['--mail-to', 'ops@example.org', '--smtp', 'smtp://127.0.0.1:1']
    const { stderr } = await runTo(0, [...crawl(web, at, 'http://a.test/'), ...mail])
    assert.match(stderr, /note: the mail to ops@example\.org could not be sent through 127\.0\.0\.1:1 \(.*ECONNREFUSED/)
    assert.equal(kept(at).length, 1)
    const failed = await runTo(1, ['report', '--mail', '-c', at, ...mail])
    assert.match(failed.stderr, /could not be sent/)
  })

  test('a signal to the supervisor stops the crawl politely', async (t) => {
    const web = await longSite(t)
    const at = folder(t)
    const running = start(slowly([...crawl(web, at, 'http://a.test/'), '--supervise']))
    await until('some pages', () => web.paths('a.test').length > 10)
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    assert.equal(code, 11)
    assert.doesNotMatch(stderr, /started again/)
  })

  test('what is wrong is noted while it is wrong, and /metrics of a crawl says so, too', async (t) => {
    const web = await longSite(t)
    const at = folder(t)
    const running = start(slowly([...crawl(web, at, 'http://a.test/'), '--dashboard', '127.0.0.1:0'], '200ms'))
    const [, url] = await until('the address', () => /(http:\/\/127\.0\.0\.1:\d+)/.exec(running.stderr()) ?? undefined)
    await until('some pages', () => web.paths('a.test').length > 10)
    const answer = await fetch(`${url}/metrics`)
    const text = await answer.text()
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    assert.match(text, /^orbweaver_answer_seconds_count [1-9]/m)
    assert.match(text, /^orbweaver_pause_seconds_bucket\{le="0\.5"\} [1-9]/m)
    assert.match(text, /^orbweaver_statements_total\{kind="select"\} [1-9]/m)
    assert.match(text, /^orbweaver_disk_free_bytes\{folder=".+"\} [1-9]/m)
    assert.match(text, /^orbweaver_problems\{kind="stalled"\} 0$/m)
    assert.match(await (await fetch(`${url}/bot`)).text(), /User-agent: Orbweaver\nDisallow: \//)
    running.child.kill('SIGTERM')
    assert.equal((await running.ended).code, 11)
    assert.deepEqual(sql(at, "SELECT name FROM problem WHERE name = 'stalled'"), [])
  })

  test('the page for webmasters', async (t) => {
    const at = folder(t)
    await runTo(0, ['bot-page', '--contact', 'https://example.org/crawler', '--pause', '7s', '-o', `${at}/bot.html`])
    assert.match(readFileSync(`${at}/bot.html`, 'utf8'), /at least 7s after the end of each answer/)
  })
})
