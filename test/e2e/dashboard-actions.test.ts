/** What an operator does on a site's page, seen at the crawled servers: pausing, resuming, another pause, barring. On both databases. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { NO_BROWSER, openBrowser, watchedPage } from './browser.ts'
import { crawl, folder, links, type Pages, runTo, serve, start, until, type Web } from './command.ts'

const postgres = await postgresForTests()
after(() => ('skipped' in postgres ? undefined : postgres.end()))

/** Each page leads to the next. */
function chain(host: string, length: number): Record<string, string> {
  const pages: Record<string, string> = {}
  for (let n = 0; n < length; n++) pages[n === 0 ? '/' : `/${n}`] = links(`http://${host}/${n + 1}`)
  return pages
}

const countOf = (web: Web, host: string) => web.paths(host).length

/** Nothing was asked of the host for so long; that must be so within 5 s. */
async function silence(web: Web, host: string, forMs: number): Promise<void> {
  const begun = performance.now()
  await until(
    `${host} to be left alone`,
    () => {
      const last = web.asked.findLast((one) => one.host === host)?.at ?? 0
      assert.ok(last - begun < 5000, `${host} is still asked after 5 s`)
      return performance.now() - Math.max(last, begun) > forMs
    },
    15_000,
  )
}

async function act(page: Page, name: string, fields: Record<string, string> = {}): Promise<string> {
  const summary = page.getByText(`${name}…`, { exact: true })
  if ((await summary.count()) > 0) await summary.click()
  const form = page.locator((await summary.count()) > 0 ? 'details[open]' : 'form.act')
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label).fill(value)
  await page.getByRole('button', { name, exact: true }).click()
  return page.locator('.message').innerText()
}

async function steerBySitePage(t: TestContext, database: string[]): Promise<void> {
  const pages: Pages = {
    'a.test': chain('a.test', 2000),
    'b.test': chain('b.test', 40),
    'c.test': chain('c.test', 2000),
  }
  const web = await serve(t, pages)
  const collection = `${folder(t)}/collection`
  const seeds = ['http://a.test/', 'http://b.test/', 'http://c.test/']
  const args = crawl(web, collection, ...seeds, ...database, '--dashboard', '127.0.0.1:0')
  const running = start(args.map((arg) => (arg === '*.test=0s' ? '*.test=100ms' : arg)))
  t.after(() => running.child.kill('SIGKILL'))
  const base = await until('the dashboard', () => /dashboard at (http:\S+?)\/(?=\s|$)/m.exec(running.stderr())?.[1])
  const { page } = await watchedPage(await openBrowser(t))
  await until('a visit', () => countOf(web, 'a.test') > 3)
  await until('a visit there too', () => countOf(web, 'c.test') > 3)
  await page.goto(`${base}/blacklist`)
  assert.match(await act(page, 'Add', { Line: 'c.test' }), /What matches "c\.test" is not asked for/)
  await silence(web, 'c.test', 1500)
  await page.goto(`${base}/blacklist?q=http://c.test/9`)
  assert.match(await page.locator('main').innerText(), /is forbidden by c\.test/)
  await page.goto(`${base}/blacklist`)
  assert.match(await act(page, 'Remove'), /"c\.test" is not on the list/)
  assert.match(await page.locator('main').innerText(), /Nothing is on it/)
  await page.goto(`${base}/actions`)
  assert.match(await page.locator('table').innerText(), /unblacklist[\s\S]*blacklist\s+the crawl/)
  await page.goto(`${base}/site?name=a.test`)

  assert.match(await act(page, 'Pause', { Reason: 'for <b>lunch</b>' }), /a\.test/)
  await silence(web, 'a.test', 1500)
  const paused = countOf(web, 'a.test')
  assert.match(await page.locator('main').innerText(), /paused[\s\S]*for <b>lunch<\/b>/i)
  await page.goto(`${base}/sites?text=a.test`)
  assert.match(await page.locator('table').innerText(), /paused/)

  await page.goto(`${base}/site?name=a.test`)
  await act(page, 'Resume')
  await until('it to be asked again', () => countOf(web, 'a.test') > paused + 3)

  await act(page, 'Other pause', { Pause: '1500ms' })
  assert.match(await page.locator('main').innerText(), /set by the operator\s+1\.5 ?s\s+counts/)
  const slowFrom = performance.now() + 5000
  await until('three more requests', () => requestsAfter(web, slowFrom).length >= 3)
  const slow = requestsAfter(web, slowFrom)
  for (const [i, { at }] of slow.entries())
    if (i > 0) assert.ok(at - slow[i - 1].endAt >= 1450, `${at - slow[i - 1].endAt} ms between two requests`)

  await act(page, 'Bar', { Reason: 'the webmaster asked us' })
  await silence(web, 'a.test', 2000)
  // A barred site counts as finished, so the crawl is over when the other one is.
  assert.equal((await running.ended).code, 0)
  assert.ok(countOf(web, 'b.test') >= 40)
  const { stdout } = await runTo(0, ['explain', 'a.test', '-c', collection, ...database])
  assert.match(stdout, /the webmaster asked us/)
}

const requestsAfter = (web: Web, time: number) =>
  web.asked.filter(({ host, at, endAt }) => host === 'a.test' && at > time && Number.isFinite(endAt))

test('a site is paused, resumed, slowed down and barred by its page', { skip: NO_BROWSER, timeout: 90_000 }, (t) =>
  steerBySitePage(t, []),
)

test('the same over PostgreSQL', {
  skip: NO_BROWSER || ('skipped' in postgres && postgres.skipped),
  timeout: 90_000,
}, async (t) => {
  if ('skipped' in postgres) return
  await steerBySitePage(t, ['--database', await postgres.newDatabase()])
})
