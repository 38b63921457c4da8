/** The demonstration, and what a crawl shows while it runs. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { crawl, folder, json, links, ROOT, runTo, serve, sql } from './command.ts'

test('demo: 20 sites and 1,000 pages with hazards, under a minute, tables and five commands to try', async (t) => {
  const at = join(folder(t), 'demo')
  const { stdout, stderr, ms } = await runTo(0, ['demo', '-c', at])
  assert.ok(ms < 60_000, `${ms} ms`)
  const [, sites, pages] = /of (\d+) sites and ([\d,]+) pages/.exec(stderr) ?? []
  assert.ok(Number(sites) >= 20 && Number(pages.replace(',', '')) >= 1000, stderr)
  assert.match(stdout, /Coverage/)
  assert.ok(stdout.includes(at), 'says where the collection is')
  const commands = [...stdout.matchAll(/^ {2}orbweaver (.+?)(?: {2,}.*)?$/gm)].map(([, line]) => line)
  assert.equal(commands.length, 5, stdout)
  await Promise.all(commands.map((line) => runTo(0, line.split(' '))))
  assert.ok(Number(sql(at, `SELECT count(*) AS n FROM pages WHERE outcome = 'kept'`)[0].n) > 700)
  assert.ok((await json<{ ok: boolean }>(['verify', '-c', at])).ok)
  // A newcomer sees the detectors work: servers that fail, mirrors, session ids.
  const [, failing, mirrors] = /(\d+) failing servers, (\d+) mirrors/.exec(stderr) ?? []
  assert.equal(sql(at, `SELECT site FROM sites WHERE state = 'barred'`).length, Number(failing))
  assert.ok(Number(failing) >= 3 && Number(mirrors) >= 4, stderr)
  const found = await runTo(0, ['mirrors', '-c', at])
  assert.match(found.stdout, /\n {2}Dups60 \* +[1-9]\d* +[1-9]/, found.stdout)
  assert.equal(sql(at, `SELECT 1 FROM hazards WHERE pattern LIKE '%sid=%'`).length, 1, 'short session ids')
})

const site = () => {
  const pages: Record<string, string> = {}
  for (let i = 0; i < 40; i++) pages[i === 0 ? '/' : `/${i}`] = links(`/${i + 1}`)
  return pages
}

test('without a terminal: a line now and then, no control characters; --quiet says nothing', async (t) => {
  const web = await serve(t, { 'a.test': site() })
  const args = crawl(web, folder(t), 'a.test', '--progress-every', '500ms')
  args[args.indexOf('--pause-for') + 1] = '*.test=60ms'
  const { stderr, stdout } = await runTo(0, args)
  const lines = stderr.trim().split('\n')
  assert.ok(lines.filter((line) => /documents, .*sites .* busy/.test(line)).length >= 2, stderr)
  assert.doesNotMatch(stderr, /\x1b/)
  assert.match(lines.at(-2) ?? '', /^Complete: 40 documents/)
  assert.match(lines.at(-1) ?? '', /^Collection: /)
  assert.equal(stdout, '')
  const quiet = await runTo(0, crawl(web, folder(t), 'a.test', '--quiet'))
  assert.equal(quiet.stderr.replace(/^orbweaver: note:.*\n/gm, '') + quiet.stdout, '')
  const said = await json<{ documents: number; ended: string; exit: number }>(
    crawl(web, folder(t), 'a.test', '--quiet'),
  )
  assert.deepEqual([said.documents, said.ended, said.exit], [40, 'complete', 0])
})

const hasScript = spawnSync('script', ['--version']).status === 0

test('on a terminal: a live view that stays in its lines', {
  skip: hasScript ? false : 'the program script is not here',
}, async (t) => {
  const web = await serve(t, { 'a.test': site() })
  const args = crawl(web, folder(t), 'a.test')
  args[args.indexOf('--pause-for') + 1] = '*.test=60ms'
  const line = [process.execPath, join(ROOT, 'bin/orbweaver.js'), ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 70; ${line}`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0, shown)
  assert.match(shown, /sites +\d+ busy/)
  assert.match(shown, /\x1b\[/, 'redrawn in place')
  assert.match(shown, /\x1b\[\?25h/, 'the cursor comes back')
  const plain = shown.replace(/\x1b\[[?\d;]*[A-Za-z]/g, '').split(/\r?\n|\r/)
  const view = plain.filter((text) => /^(Orbweaver|sites|URLs|also) /.test(text))
  assert.ok(view.length > 0)
  for (const text of view) assert.ok([...text].length <= 70, text)
})
