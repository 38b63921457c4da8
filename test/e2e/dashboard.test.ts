/**
 * The dashboard in a real browser, while a crawl of a hostile web runs: beside a crawl on SQLite, and at a server with a worker over PostgreSQL. What its
 * buttons do is looked for at the crawled servers.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { checkAccessible, ELSEWHERE, NO_BROWSER, openBrowser, pageWeight, watchedPage } from './browser.ts'
import { CONTACT, folder, type Pages, type Running, serve, start, until, type Web } from './command.ts'

const OPERATOR = 'an-operator-token-of-some-length'
const VIEWER = 'a-viewer-token-of-some-length'
const NASTY = `"><script>alert(1)</script><img src=x onerror=alert(2)>'&lt;\u202egnp.exe\u0007`
/** Below it no page is asked for, so the crawl lasts as long as its test. */
const PAUSE = '150ms'

const SITES = ['calm.test', 'nasty.test', 'slow.test']

/** Texts that differ from each other: a site of equal pages would be taken for a trap. */
function words(n: number): string {
  const of = (i: number) => createHash('md5').update(`${n} ${i}`).digest('hex').replace(/\d/g, '')
  return Array.from({ length: 60 }, (_, i) => of(i)).join(' ')
}

/** Sites without an end, whose every page has a hostile title, hostile links and resources elsewhere. */
function endless(): Pages {
  const page = (path: string): string => {
    const n = Number(/\d+/.exec(path)?.[0] ?? 0)
    const nasty = encodeURI(`/${n}/${NASTY}`).replaceAll("'", '%27')
    return `<!doctype html><title>${NASTY}</title><img src="http://elsewhere.test/x.png"><link rel=stylesheet href="//elsewhere.test/x.css">
<script>alert(3)</script><p>${words(n)}</p><a href="/p${2 * n + 1}">a</a> <a href="/p${2 * n + 2}">b</a> <a href="${nasty}">c</a>`
  }
  const site = new Proxy<Record<string, string>>(
    {},
    { get: (_, path) => (path === '/robots.txt' ? undefined : page(String(path))) },
  )
  return Object.fromEntries([...SITES, 'planted.test'].map((name) => [name, site]))
}

interface Crawled {
  url: string
  web: Web
  /** The process that has the dashboard. A worker waits for another server when that ends. */
  main: Running
}

async function crawling(t: TestContext, database: string | undefined, flags: readonly string[] = []): Promise<Crawled> {
  const web = await serve(t, endless())
  const speed = [
    '--pause-for',
    `*.test=${PAUSE}`,
    '--address-pause',
    '100ms',
    '--resolve',
    `*.test=127.0.0.1:${web.port}`,
  ]
  const common = ['--contact', CONTACT, '--quiet', ...speed]
  const begin = (line: string[]) => {
    const running = start([...line, ...common])
    t.after(() => running.child.kill('SIGKILL'))
    return running
  }
  if (database === undefined) {
    const main = begin(['crawl', ...SITES, '-c', folder(t), '--dashboard', '0', ...flags])
    const url = await until('the dashboard', () => /dashboard at (\S+)/.exec(main.stderr())?.[1])
    return { url, web, main }
  }
  const main = begin(['serve', ...SITES, '-c', folder(t), '--port', '0', '--database', database, ...flags])
  const server = await until('the server', () => /serving at (\S+);/.exec(main.stderr())?.[1])
  const worker = start(['worker', '-c', folder(t), '--server', server, '--quiet'])
  t.after(() => worker.child.kill('SIGKILL'))
  return { url: `${server}/`, web, main }
}

const DATABASES = ['SQLite', 'PostgreSQL'] as const

async function addressOf(t: TestContext, name: (typeof DATABASES)[number]): Promise<string | undefined | 'none'> {
  if (name === 'SQLite') return undefined
  const postgres = await postgresForTests()
  if ('skipped' in postgres) {
    t.skip(postgres.skipped)
    return 'none'
  }
  t.after(() => postgres.end())
  return postgres.newDatabase()
}

/** What the figure with this label shows. */
async function figure(page: Page, label: string): Promise<number> {
  const text = await page.locator('.figures div', { hasText: label }).locator('dd').innerText()
  return Number(text.split('\n')[0].replaceAll(',', ''))
}

async function eventually(what: string, look: () => Promise<boolean>, maxMs = 30_000): Promise<number> {
  const began = performance.now()
  while (!(await look())) {
    assert.ok(performance.now() - began < maxMs, `waited ${maxMs} ms in vain for ${what}`)
    await sleep(50)
  }
  return performance.now() - began
}

const LOOKS = [
  { colorScheme: 'light' as const, viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark' as const, viewport: { width: 390, height: 844 } },
]
const PATHS = ['', 'sites', 'urls', 'cluster', 'hazards', 'mirrors', 'reports', 'site?name=nasty.test']

for (const name of DATABASES) {
  test(`${name}: every page in a browser, while crawling, with hostile content`, { skip: NO_BROWSER }, async (t) => {
    const database = await addressOf(t, name)
    if (database === 'none') return
    const { url, web } = await crawling(t, database)
    await until('some pages', () => web.asked.length > 30)
    const browser = await openBrowser(t)
    await liveOverview(browser, url)
    // The pages are made of the same functions on both: the second look is for one of them.
    for (const path of PATHS) await soundPage(browser, url, path, name === 'SQLite' ? LOOKS : LOOKS.slice(1))
    await withoutScripts(browser, url)
  })

  test(`${name}: pause, resume, seeds and stop by the page's buttons`, { skip: NO_BROWSER }, async (t) => {
    const database = await addressOf(t, name)
    if (database === 'none') return
    const { url, web, main } = await crawling(t, database)
    const { page, complaints } = await watchedPage(await openBrowser(t))
    await until('some pages', () => web.asked.length > 10)
    await page.goto(url)
    await page.getByText('Pause…').click()
    await page.getByPlaceholder('Reason').fill('<b>the disk & \u202e</b>')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.locator('.state.paused').waitFor()
    const paused = performance.now()
    await eventually('the end of requests', async () => {
      const last = web.asked.at(-1)?.at ?? 0
      return performance.now() - last > 2000
    })
    assert.ok((web.asked.at(-1)?.at ?? 0) - paused < 5000, 'no request after five seconds')
    assert.match(
      await page.locator('#steering').innerText(),
      /Paused by operator on this machine .*: <b>the disk & ⟨202E⟩<\/b>/,
    )

    const asked = web.asked.length
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.state.running').waitFor()
    await until('requests again', () => web.asked.length > asked, 10_000)

    await page.getByText('Add seeds…').click()
    await page.getByLabel('URLs').fill('http://planted.test/')
    await page.getByRole('button', { name: 'Add seeds', exact: true }).click()
    await page.locator('.message', { hasText: 'seed' }).waitFor()
    await until('the seed at its server', () => web.paths('planted.test').length > 0, 20_000)

    await page.getByText('Stop…').click()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const { code, stderr } = await main.ended
    assert.equal(code, 11, stderr)
    // The server may end before it has answered the last request of the script.
    assert.deepEqual(
      complaints.filter((one) => !/Failed to load resource|ERR_CONNECTION/.test(one)),
      [],
    )
  })
}

test('viewers look and operators act: signing in by token, below a base path', { skip: NO_BROWSER }, async (t) => {
  const flags = ['--viewer-token', VIEWER, '--operator-token', OPERATOR, '--base-path', '/crawl']
  const { url } = await crawling(t, undefined, flags)
  const browser = await openBrowser(t)
  const signIn = async (token: string, at = url) => {
    const { page, requests } = await watchedPage(browser)
    await page.goto(`${at}sites`)
    await checkAccessible(page)
    assert.match(page.url(), /\/crawl\/login\?back=%2Fsites$/)
    await page.getByLabel('Token').fill('a wrong token')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/crawl/sites')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.figures').waitFor()
    assert.ok(
      requests.every((one) => new URL(one).pathname.startsWith('/crawl/') || one.startsWith('data:')),
      requests.join('\n'),
    )
    return page
  }
  const viewer = await signIn(VIEWER)
  assert.equal(await viewer.locator('#main form').count(), 0)
  const operator = await signIn(OPERATOR, url.replace('127.0.0.1', ELSEWHERE))
  assert.ok((await operator.locator('#main form').count()) > 0)
  // A form of the operator's page does not help a viewer.
  const csrf = await operator.locator('input[name=csrf]').first().getAttribute('value')
  const refused = await viewer.evaluate(
    async (token) =>
      (await fetch('/crawl/act', { method: 'POST', body: new URLSearchParams({ action: 'stop', csrf: token ?? '' }) }))
        .status,
    csrf,
  )
  assert.equal(refused, 403)
  await operator.getByRole('button', { name: 'Sign out' }).click()
  await operator.waitForURL('**/crawl/login')
  await operator.goto(url)
  assert.match(operator.url(), /login/)
})

/** The figures grow without anyone loading the page again. */
async function liveOverview(browser: Browser, url: string): Promise<void> {
  const { page, requests } = await watchedPage(browser)
  await page.goto(url)
  const first = await figure(page, 'Documents collected')
  await eventually('figures that grow', async () => (await figure(page, 'Documents collected')) > first)
  assert.equal(requests.filter((one) => one === url).length > 1, true, 'the script asked again')
  await page.context().close()
}

/** Nothing runs, nothing is loaded from elsewhere, nothing overflows a phone, axe is content, in light and dark. */
async function soundPage(browser: Browser, url: string, path: string, looks: typeof LOOKS): Promise<void> {
  for (const look of looks) {
    const { page, requests, complaints } = await watchedPage(browser, look)
    let answer = await page.goto(url + path)
    // On a busy machine a page may take over a second: it says so, and is asked for again.
    for (let tries = 0; answer?.status() === 503 && tries < 10; tries++) answer = await page.goto(url + path)
    assert.equal(answer?.status(), 200, path)
    await checkAccessible(page)
    const { width } = look.viewport
    assert.ok(
      (await page.evaluate('document.documentElement.scrollWidth')) === width,
      `/${path} is wider than ${width} pixels`,
    )
    const heights = await page.locator('.chart svg').evaluateAll((all) => all.map((one) => one.clientHeight))
    for (const height of heights) assert.ok(height >= 100, `/${path}: a chart is ${height} pixels high`)
    const broken = await page.locator('.figures dd:not(.words)').evaluateAll((all) =>
      all.filter((one) => {
        one.textContent = '1'
        const line = one.clientHeight
        one.textContent = '12,345,678'
        return one.clientHeight > line
      }),
    )
    assert.equal(broken.length, 0, `/${path} breaks numbers at ${width} pixels`)
    const elsewhere = requests.filter((one) => new URL(one).origin !== new URL(url).origin && !one.startsWith('data:'))
    assert.deepEqual(elsewhere, [], path)
    const others = complaints.filter((one) => !/status of 503/.test(one))
    assert.deepEqual(others, [], path)
    await page.context().close()
  }
  const bytes = await pageWeight(browser, url + path)
  assert.ok(bytes > 0 && bytes <= 250_000, `/${path} weighs ${bytes} bytes`)
}

async function withoutScripts(browser: Browser, url: string): Promise<void> {
  const { page } = await watchedPage(browser, { javaScriptEnabled: false })
  await page.goto(url)
  assert.ok((await figure(page, 'Documents collected')) > 0)
  await page.getByText('Pause…').click()
  assert.ok(await page.getByRole('button', { name: 'Pause', exact: true }).isVisible())
  // With the keyboard alone: the first stop is the link past the navigation.
  await page.goto(url)
  await page.keyboard.press('Tab')
  assert.equal(await page.locator(':focus').innerText(), 'Skip to the content')
  await page.context().close()
}
