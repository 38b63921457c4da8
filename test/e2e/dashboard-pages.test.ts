/**
 * The dashboard's pages of sites, URLs, hazards and mirrors in a real browser, over a collection whose titles, URLs, robots.txt and
 * pages are hostile: everything is shown as text, the capture's frame can do nothing, and no request leaves the dashboard.
 */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { siteKeyOf } from '../../src/contracts/visit.ts'
import { bucketOf } from '../../src/database/bucket.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { queries } from '../../src/database/queries.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { checkAccessible, NO_BROWSER, openBrowser, type Watched, watchedPage } from './browser.ts'
import { crawl, folder, type Pages, runTo, serve, start, until } from './command.ts'

/** Somebody who must never hear of us: whatever connects is noted, even if it asks for nothing. */
async function listener(t: TestContext): Promise<{ port: number; connections(): number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const MARKUP = `"'><script>parent.pwned=self.pwned=1;alert(1)</script><img src=x onerror=alert(1)>`
const BIDI = 'abc\u202egnp.exe\u2066\u200b'
const LONG = `/long/${'x'.repeat(1500)}`
const QUERY = '/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E'

const hostile = (leak: string, version: string) => `<!doctype html><html><head>
<title>&lt;/title&gt;${MARKUP.replaceAll('<', '&lt;')} ${BIDI}\u0007\u009b31m</title>
<base href="${leak}/base/"><LINK rel="preconnect" href="${leak}"><link/rel=dns-prefetch href="${leak}"><link
rel=stylesheet href="${leak}/style.css"><meta http-equiv="refresh" content="0;url=${leak}/refresh"></head>
<body onload="alert(2)" background="${leak}/background.png"><p>Hostile text, ${version}.</p>
<script>parent.pwned = 1; top.location = '${leak}/top'; fetch('${leak}/fetch'); document.forms[0].submit()</script>
<img src="${leak}/image.png" srcset="${leak}/2x.png 2x"><iframe src="${leak}/frame"></iframe><video src="${leak}/v" autoplay></video>
<style>@import url(${leak}/import.css); p { background: url(${leak}/css.png) }</style>
<form action="/act" method="post"><input name="action" value="stop"><button id="send">Send</button></form>
<svg><script>alert(3)</script></svg><a id="out" href="${leak}/out" target="_top" ping="${leak}/ping">Out</a>
<a href="http://evil.test${QUERY}">search</a> <a href="http://evil.test${LONG}">long</a> <a href="http://evil.test/other">other</a>
<a href="http://evil.test/${'y'.repeat(2_000_000)}">two million</a>
</body></html>`

function webOf(leak: string): Pages {
  return {
    'evil.test': {
      '/robots.txt': `User-agent: *\nDisallow: /private/${MARKUP}${BIDI}\nCrawl-delay: 0.05\n`,
      '/': hostile(leak, 'first version'),
      [QUERY]: { body: '<title>Search</title><p>found</p>', headers: { 'x-evil': MARKUP } },
      [LONG]: '<title>Long</title><p>long</p>',
      '/other': { status: 301, headers: { location: `http://evil.test/moved?${encodeURIComponent(MARKUP)}` } },
    },
    'plain.test': { '/': '<title>Plain</title><p>plain</p><a href="http://evil.test/">evil</a>' },
  }
}

/** A finding that a hostile site could have caused. */
async function withFinding(collection: string, address: string | undefined): Promise<void> {
  const database = address === undefined ? openSqlite(join(collection, 'collection.db')) : await openPostgres(address)
  const examples = JSON.stringify([`http://evil.test/${MARKUP}`, 'javascript:alert(1)'])
  const finding = [siteKeyOf('evil.test'), 'maze', `/${MARKUP}`, `${MARKUP} ${BIDI}`, examples]
  const columns = 'site, rule, pattern, evidence, examples, at'
  await database.transact((tx) =>
    tx.dialect === 'sqlite'
      ? queries(tx).run(`INSERT INTO finding (${columns}) VALUES (?, ?, ?, ?, ?, 1)`, ...finding)
      : queries(tx).run(
          `INSERT INTO finding (bucket, id, ${columns}) VALUES (?, 1, ?, ?, ?, ?, ?, 1)`,
          bucketOf(tx.dialect, siteKeyOf('evil.test')),
          ...finding,
        ),
  )
  await database.close()
}

async function served(t: TestContext, collection: string, flags: readonly string[]): Promise<string> {
  const server = start(['serve', '-c', collection, '--port', '0', ...flags])
  t.after(async () => {
    server.child.kill('SIGKILL')
    await server.ended
  })
  return until('the server', () => /serving at (http:\S+?);/.exec(server.stderr())?.[1])
}

/** Shows a page and checks what is to hold of every one. */
async function look(
  { page, requests, complaints }: Watched,
  base: string,
  path: string,
  status = 200,
): Promise<string> {
  requests.length = 0
  complaints.length = 0
  const answer = await page.goto(`${base}${path}`, { waitUntil: 'load' })
  assert.equal(answer?.status(), status, path)
  await checkAccessible(page)
  assert.deepEqual(
    requests.filter((url) => !url.startsWith(`${base}/`) && !url.startsWith('data:')),
    [],
    `${path}: nothing is asked of others`,
  )
  assert.equal(await page.evaluate('window.pwned'), undefined, path)
  const text = await page.locator('main').innerText()
  assert.doesNotMatch(
    text,
    /[\u202a-\u202e\u2066-\u2069\u200b]|(?![\n\t])\p{Cc}/u,
    `${path}: hidden characters are written out`,
  )
  return text
}

async function lookAtAll(t: TestContext, address?: string): Promise<void> {
  const database = address === undefined ? [] : ['--database', address]
  const leak = await listener(t)
  const web = await serve(t, webOf(`http://127.0.0.1:${leak.port}`))
  const collection = `${folder(t)}/collection`
  await runTo(0, crawl(web, collection, 'http://evil.test/', 'http://plain.test/', ...database))
  web.pages['evil.test']['/'] = hostile(`http://127.0.0.1:${leak.port}`, 'second version')
  await runTo(0, ['refresh', '--once', ...crawl(web, collection, ...database).slice(1)])
  await withFinding(collection, address)
  assert.equal(leak.connections(), 0)

  const base = await served(t, collection, database)
  const browser = await openBrowser(t)
  const watched = await watchedPage(browser)
  const { page, complaints } = watched
  const at = encodeURIComponent('http://evil.test/')

  await t.test('the list of sites', async () => {
    const text = await look(watched, base, '/sites')
    assert.match(text, /evil\.test/)
    await page.getByLabel('and contains').fill('evil')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/text=evil/)
    const found = await page.locator('main').innerText()
    assert.match(found, /evil\.test/)
    assert.doesNotMatch(found, /plain\.test/)
    assert.match(found, /2 of 2 sites looked at/)
    assert.deepEqual(complaints, [])
    assert.match(await look(watched, base, `/sites?text=${encodeURIComponent(MARKUP)}&prefix=%00%ff`), /No such site/)
    assert.deepEqual(complaints, [])
  })

  await t.test('an order of sites is computed beside the page, which shows it by itself', async () => {
    await look(watched, base, '/sites?sort=documents')
    await page.locator('#ranked table').waitFor({ timeout: 20_000 })
    assert.match(await page.locator('#ranked').innerText(), /evil\.test[\s\S]*plain\.test[\s\S]*as of/)
  })

  await t.test('one site, with its robots.txt and hazards', async () => {
    const text = await look(watched, base, '/site?name=evil.test')
    assert.match(text, /Crawl-delay of its robots\.txt/)
    assert.ok(text.includes(MARKUP), 'mark-up is text')
    assert.match(text, /⟨202E⟩/)
    assert.match(text, /Pause between requests[\s\S]*counts/)
    assert.match(text, /301 \(moved permanently\)/)
    assert.deepEqual(complaints, [])
    await look(watched, base, '/site?name=unknown.test', 404)
    await look(watched, base, `/site?name=${encodeURIComponent(MARKUP)}`, 404)
    await look(watched, base, `/site?name=${'z'.repeat(10_000)}`, 404)
  })

  await t.test('the search for URLs', async () => {
    assert.match(await look(watched, base, '/urls?q=SEARCH'), /evil\.test\/search[\s\S]*collected[\s\S]*looked at/)
    assert.match(await look(watched, base, `/urls?q=${at}`), /begin with[\s\S]*evil\.test\/long\/xxx/)
    assert.match(await look(watched, base, `/urls?site=evil.test&q=other`), /moved/)
    assert.match(await look(watched, base, `/urls?q=${encodeURIComponent(MARKUP)}`), /None is known/)
    assert.match(await look(watched, base, '/urls?q=%00&after=99999999999999999999.1'), /./)
    assert.deepEqual(complaints, [])
  })

  await t.test('one URL, with its title, looks and links', async () => {
    const text = await look(watched, base, `/url?url=${at}`)
    assert.match(text, /Collected: 2 captures/)
    assert.match(text, /<script>/)
    assert.match(text, /first[\s\S]*changed|changed[\s\S]*first/)
    assert.match(text, /Pages that link here[\s\S]*plain\.test/)
    assert.match(text, /Links of the page[\s\S]*evil\.test\/other/)
    assert.deepEqual(complaints, [])
    const long = await look(watched, base, `/url?url=${encodeURIComponent(`http://evil.test${LONG}`)}`)
    assert.match(long, /1,5\d\d characters/)
    const search = await look(
      watched,
      base,
      `/url?url=${encodeURIComponent(`http://evil.test${QUERY}`)}&show=9999999999999`,
    )
    assert.ok(search.includes(`x-evil: ${MARKUP}`), search)
    await look(watched, base, '/url?url=javascript:alert(1)', 404)
    await look(watched, base, `/url?url=${at}nowhere`)
    await page.locator('#told li').first().waitFor({ timeout: 20_000 })
    assert.match(await page.locator('#told').innerText(), /Unknown: no page/)
  })

  await t.test('a capture is in a frame that can do nothing', async () => {
    await look(watched, base, `/url?url=${at}`)
    await page.getByRole('link', { name: 'Show the page as collected' }).click()
    const frame = page.frameLocator('iframe')
    await frame.getByText('Hostile text, second version.').waitFor()
    assert.equal(await page.evaluate('window.pwned'), undefined)
    const inner = page.frames().find((one) => one.url().includes('/capture?'))!
    assert.equal(await inner.evaluate('self.origin'), 'null')
    assert.equal(await inner.evaluate(`document.querySelectorAll('link, meta, base, a, iframe').length`), 0)
    const before = watched.requests.length
    await frame.locator('#out').click()
    await frame.locator('#send').click()
    await page.waitForTimeout(500)
    const later = watched.requests.slice(before).filter((url) => !url.startsWith(`${base}/url?`))
    assert.deepEqual(later, [])
    assert.equal(leak.connections(), 0, 'nobody else was connected to, not even ahead of time')
    // Opened by itself it is as powerless.
    const alone = await page.goto(inner.url().startsWith('http') ? inner.url() : `${base}/capture?url=${at}`)
    assert.match(alone?.headers()['content-security-policy'] ?? '', /^sandbox;/)
    assert.equal(await page.evaluate('self.origin'), 'null')
    assert.equal(leak.connections(), 0)
  })

  await t.test('what changed, side by side', async () => {
    await look(watched, base, `/url?url=${at}`)
    await page.getByRole('link', { name: 'changes' }).click()
    const frame = page.frameLocator('iframe')
    await frame.locator('ins', { hasText: 'second' }).waitFor()
    assert.match(await frame.locator('table').innerText(), /first[\s\S]*second/)
  })

  await t.test('hazards and mirrors', async () => {
    const text = await look(watched, base, '/hazards')
    assert.ok(text.includes(MARKUP))
    assert.match(text, /maze[\s\S]*evil\.test[\s\S]*in force/)
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0)
    await page.getByText('Confirm…', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Confirm', exact: true }).first().click()
    assert.match(
      await page.locator('main').innerText(),
      /is confirmed: it stays in force[\s\S]*confirmed by the operator/i,
    )
    assert.match(await look(watched, base, '/hazards?rule=maze'), /Findings by maze/)
    assert.match(await look(watched, base, '/hazards?rule=none&before=9.9'), /No hazard was found/)
    assert.match(await look(watched, base, '/mirrors'), /No site is another name/)
    await look(watched, base, '/mirrors?find=1')
    await page.getByText('contents of').waitFor({ timeout: 20_000 })
    assert.deepEqual(complaints, [])
  })

  await t.test('on a phone, in the dark', async () => {
    const phone = await watchedPage(browser, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
    for (const path of [
      '/sites',
      '/site?name=evil.test',
      '/urls?q=e',
      `/url?url=${at}`,
      '/hazards',
      '/mirrors?find=1',
      '/blacklist',
      '/cluster',
      '/actions',
    ]) {
      await look(phone, base, path)
      const wide = await phone.page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.ok((wide as number) <= 0, `${path} is ${wide} pixels too wide`)
    }
  })
  assert.equal(leak.connections(), 0)
}

const TITLE = 'sites, URLs, hazards and captures of a hostile web are shown safely'
const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))

test(TITLE, { skip: NO_BROWSER, timeout: 120_000 }, (t) => lookAtAll(t))

test(`${TITLE}, on PostgreSQL`, {
  skip: NO_BROWSER || ('skipped' in postgres && postgres.skipped),
  timeout: 120_000,
}, async (t) => {
  if ('skipped' in postgres) return
  await lookAtAll(t, await postgres.newDatabase())
})
