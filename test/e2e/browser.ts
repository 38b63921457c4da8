/** Debian's Chromium, driven by playwright-core, for tests of the dashboard as people see it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const program = CANDIDATES.find((path) => existsSync(path))

/** For a test's `skip`: why there is no browser, or false. */
export const NO_BROWSER = program === undefined ? 'no Chromium is installed (Debian package chromium)' : false

/** Leads to this machine, but browsers do not know that: without TLS they say less to it than to localhost. */
export const ELSEWHERE = 'elsewhere.example'

export async function openBrowser(t: TestContext): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: program,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`,
    ],
  })
  t.after(() => browser.close())
  return browser
}

export interface Watched {
  page: Page
  /** Everything that was asked for, whether it was answered or not. */
  requests: string[]
  /** What the browser's console and its policy complained of. */
  complaints: string[]
}

/** A page whose requests and complaints are noted. */
export async function watchedPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const requests: string[] = []
  const complaints: string[] = []
  context.on('request', (request) => requests.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, requests, complaints }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  impact: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** Throws when axe finds anything serious or critical. It runs in a world of its own, which the page's policy does not rule. */
export async function checkAccessible(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  })
  const run = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      ...{ expression, contextId, awaitPromise: true, returnByValue: true },
    })
    assert.equal(exceptionDetails, undefined, JSON.stringify(exceptionDetails))
    return result.value as unknown
  }
  await run(`${AXE}; undefined`)
  // What passes need not be described.
  const found = await run(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`)
  const violations = found as Violation[]
  await session.detach()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const words = serious.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes
        .slice(0, 5)
        .map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`)
        .join('\n')}`,
  )
  assert.deepEqual(serious, [], `${page.url()}:\n${words.join('\n')}`)
}

/** Bytes on the wire for one view without a cache: the page and all that it loads. */
export async function pageWeight(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  await page.goto(url, { waitUntil: 'load' })
  await context.close()
  return bytes
}
