/**
 * The pages Cluster and Reports in a real browser while two machines crawl, on both databases: what workers say of themselves, their calls in
 * pages, what a killed one held handed to another by the button, and the papers' tables and figures with their CSV (W2, W3, W12, V19, C11).
 */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import type { WebOptions } from '../../testkit/web/options.ts'
import { checkAccessible, NO_BROWSER, openBrowser, pageWeight, watchedPage } from './browser.ts'
import { startServer, startWorker } from './cluster.ts'
import { until } from './command.ts'
import { type Running, seedFile, serveWeb, type TemporaryFolder, temporaryFolder } from './harness.ts'

const WEB: WebOptions = { seed: 5, sites: 12, pages: 2000, latencyMs: 4, pageBytes: 3000 }
const MAX_WEIGHT = 250_000

async function crawling(t: TestContext, folder: TemporaryFolder, flags: readonly string[]) {
  const served = await serveWeb(WEB, folder, { addresses: 'many' })
  t.after(() => served[Symbol.asyncDispose]())
  const ends = (running: Running) =>
    t.after(async () => {
      running.child.kill('SIGKILL')
      await running.done
    })
  const server = await startServer(folder.at('server'), [
    ...['--seeds', seedFile(folder, served.web.homes()), '--contact', 'https://www.example.org/crawler'],
    ...['--pause-for', '*.test=250ms', ...served.resolve, ...flags],
  ])
  ends(server)
  const join = (name: string) => {
    const worker = startWorker(folder.at(name), [server.url], ['--name', name, '--region', 'north'])
    ends(worker)
    return worker
  }
  return { server, join }
}

/** A page as anyone should be able to read it: nothing from elsewhere, no complaint, nothing serious for axe. */
async function opened(t: TestContext, base: string) {
  const browser = await openBrowser(t)
  const watched = await watchedPage(browser)
  const look = async (path: string) => {
    const answer = await watched.page.goto(`${base}${path}`)
    assert.equal(answer?.status(), 200, path)
    return watched.page
  }
  const check = async (path: string) => {
    await checkAccessible(watched.page)
    assert.deepEqual(watched.complaints, [])
    assert.ok(
      watched.requests.every((url) => url.startsWith(base)),
      'nothing is loaded from elsewhere',
    )
    assert.ok((await pageWeight(browser, `${base}${path}`)) <= MAX_WEIGHT, `${path} is heavy`)
  }
  return { page: watched.page, look, check }
}

/** The cells of a worker's row, once they are as wanted. The page renews itself. */
function workerRow(page: Page, name: string, isWanted: (cells: string[]) => boolean): Promise<string[]> {
  return until(
    `the row of ${name}`,
    async () => {
      const cells = await page
        .locator('tr', { has: page.getByRole('rowheader', { name }) })
        .locator('th, td')
        .allInnerTexts()
      return cells.length > 0 && isWanted(cells) ? cells : undefined
    },
    40_000,
  )
}

const STATE = 1
const LEASES = 4
const COMPUTER = 8

/** Every report is computed beside the pages; its page shows it when it is there. */
async function shownReport(page: Page): Promise<void> {
  await page.getByText(/^As of/).waitFor({ timeout: 30_000 })
}

async function reportsAreShown(base: string, { page, look, check }: Awaited<ReturnType<typeof opened>>): Promise<void> {
  await look('/reports')
  await shownReport(page)
  assert.ok((await page.locator('section svg[role=img]').count()) >= 4)
  await check('/reports')
  const figure = await page.request.get(`${base}/reports/figures.operations.csv`)
  const [header, ...days] = (await figure.text()).trim().split('\r\n')
  assert.equal(header, 'day (UTC),StoreOriginal,Processing,Download,CourtesyPause')
  const shares = days[0].split(',').slice(1).map(Number)
  assert.ok(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 1) < 1e-9, days[0])
  assert.ok(shares[3] > 0.3, 'visits wait most of their time')

  await look('/reports/collection')
  await shownReport(page)
  for (const title of ['Coverage', 'Time of visits by operation', 'HTTP and scheduler latency', 'Seeds by source'])
    assert.equal(await page.getByRole('heading', { name: title }).count(), 1, title)
  await check('/reports/collection')
  const href = await page.getByRole('link', { name: 'HTTP and scheduler latency as CSV' }).getAttribute('href')
  const latencies = await page.request.get(new URL(href!, base).href)
  assert.match(latencies.headers()['content-type'], /^text\/csv/)
  assert.match(
    await latencies.text(),
    /^Date,Visits at once,HTTP \(s\),Scheduler \(s\)\r\n\d{4}-.*\r\nCoBWeb,5 to 25,3.390,0.020\r\n$/,
  )

  await look('/reports/web')
  await shownReport(page)
  assert.ok((await page.locator('section').count()) > 5)
  await look('/reports/changes')
  await page.getByText('No page was looked at again yet').waitFor({ timeout: 30_000 })
  for (const path of ['/reports/none', '/reports/web.none.csv', '/reports/__proto__', '/reports/web.x.csv.csv'])
    assert.equal((await page.request.get(`${base}${path}`)).status(), 404, path)
}

test('cluster and reports in a browser, over SQLite; a dead worker’s sites are freed', {
  skip: NO_BROWSER,
}, async (t) => {
  using folder = temporaryFolder()
  const { server, join } = await crawling(t, folder, [])
  const first = join('first')
  const browser = await opened(t, server.url)
  const { page, look, check } = browser
  await look('/cluster')
  const cells = await workerRow(page, 'first', (row) => Number(row[LEASES]) > 0 && /CPU|×/.test(row[COMPUTER]))
  const desktop = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: 740 })
  const rows = await page.locator('tr').evaluateAll((all) => all.map((row) => row.clientHeight))
  assert.ok(Math.max(...rows) < 150, `on a phone a row is ${Math.max(...rows)} pixels high`)
  await page.setViewportSize(desktop)
  assert.match(cells[0], /first [0-9a-f]{8}[\s\S]*north/)
  assert.match(
    cells[COMPUTER],
    /\d+ × .*load[\s\S]*memory .* free of .*disk .* free[\s\S]*receives .*\/s, at most .*\/s/,
  )
  assert.match(cells[6], /^[+−]\d+ms$/, 'the clock of the same machine')
  assert.equal(await page.getByText('Free its sites').count(), 0, 'it is alive')
  await check('/cluster')

  await page.getByRole('link', { name: 'Calls of first' }).click()
  const times = await page.locator('tbody time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime')))
  assert.ok(times.length > 3)
  assert.deepEqual(times, times.toSorted().reverse())
  await checkAccessible(page)

  await reportsAreShown(server.url, browser)

  // Its leases would last for minutes. A minute of silence is written into the table instead of waited for.
  first.child.kill('SIGKILL')
  await first.done
  join('second')
  await look('/cluster')
  const silence = () => {
    using database = new DatabaseSync(folder.at('server', 'collection.db'), { timeout: 5000 })
    database.exec(
      `UPDATE worker SET seen_at = seen_at - 600000 WHERE name = 'first' AND seen_at > ${Date.now() - 60_000}`,
    )
  }
  const row = page.locator('tr', { has: page.getByRole('rowheader', { name: 'first' }) })
  await until(
    'a silent worker',
    async () => {
      silence()
      return (await row.locator('td').first().innerText()).startsWith('silent') || undefined
    },
    30_000,
  )
  const before = Number((await workerRow(page, 'first', (all) => Number(all[LEASES]) > 0))[LEASES])
  await row.getByText('Free its sites…').click()
  await row.getByRole('button', { name: 'Free its sites' }).click()
  await page.locator('.message', { hasText: /sites of worker .* free again/ }).waitFor()
  assert.match(await page.locator('.message').innerText(), new RegExp(`^${before} sites`))
  const freed = await workerRow(page, 'first', (all) => all[LEASES] === '0')
  assert.match(freed[STATE], /^silent/)
  await workerRow(page, 'second', (all) => Number(all[LEASES]) > 0)
})

test('cluster and reports in a browser, over PostgreSQL', { skip: NO_BROWSER }, async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  t.after(() => postgres.end())
  using folder = temporaryFolder()
  const { server, join } = await crawling(t, folder, ['--database', await postgres.newDatabase()])
  join('first')
  const browser = await opened(t, server.url)
  await browser.look('/cluster')
  await workerRow(browser.page, 'first', (row) => Number(row[LEASES]) > 0 && /×/.test(row[COMPUTER]))
  await browser.check('/cluster')
  await browser.page.getByRole('link', { name: 'Calls of first' }).click()
  assert.ok((await browser.page.locator('tbody tr').count()) > 3)
  await reportsAreShown(server.url, browser)
})
