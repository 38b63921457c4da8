/** The web of Fig. 5 of "The Viúva Negra crawler": a page of one site links to a page of another that nothing else links to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../src/app/config/keys.ts'
import { readCounters } from '../../src/collection/counters/counters.ts'
import type { PlantedPage } from '../web/options.ts'
import { crawlOn, setStage } from './crawl-run.ts'
import { faultsOf } from './faults.ts'

const MY = 'http://www.mysite.test'
const OTHER = 'http://www.othersite.test'

const page = (url: string, ...links: string[]): PlantedPage => ({
  url,
  html: links.map((link) => `<a href="${link}">there</a>`).join('\n'),
  links,
})

const FIGURE_5 = [
  page(`${MY}/`, `${MY}/page.html`),
  page(`${MY}/page.html`, `${OTHER}/orphan.html`),
  page(`${OTHER}/`, `${OTHER}/one.html`, `${OTHER}/two.html`),
  page(`${OTHER}/one.html`),
  page(`${OTHER}/two.html`),
  page(`${OTHER}/orphan.html`),
]

async function askedOfOther(links: Settings['links'], seeds: readonly string[]) {
  // Its pages are all alike, and nobody should wonder about that here.
  const settings = { scope: 'tld:test', links, trust: [{ site: '*', rules: ['soft-404'] }] }
  const stage = setStage({ seed: 1, sites: 0, pages: 0, seeds, settings, web: { planted: FIGURE_5 } })
  await crawlOn(stage)
  assert.deepEqual(await faultsOf(stage), [])
  const dropped = await stage.database.read(async (tx) => (await readCounters(tx)).get('seedLinksDropped') ?? 0)
  await stage.database.close()
  const asked = stage.ledger.entries
    .map(({ url }) => url)
    .filter((url) => url.startsWith(OTHER) && !url.endsWith('/robots.txt'))
    .map((url) => url.slice(OTHER.length))
  return { asked: asked.sort(), dropped }
}

test('home page: the other site from its home page on, and never its orphan', async () => {
  assert.deepEqual(await askedOfOther('home-page', [`${MY}/`]), { asked: ['/', '/one.html', '/two.html'], dropped: 0 })
})

test('home page: a link to a site among the seeds is dropped at once, and counted', async () => {
  const { asked, dropped } = await askedOfOther('home-page', [`${MY}/`, `${OTHER}/`])
  assert.deepEqual({ asked, dropped }, { asked: ['/', '/one.html', '/two.html'], dropped: 1 })
})

test('deep: the orphan and nothing else, because it links nowhere', async () => {
  assert.deepEqual(await askedOfOther('deep', [`${MY}/`]), { asked: ['/orphan.html'], dropped: 0 })
})

test('combined: the orphan, and the home page with all that it leads to', async () => {
  const asked = ['/', '/one.html', '/orphan.html', '/two.html']
  assert.deepEqual(await askedOfOther('combined', [`${MY}/`]), { asked, dropped: 0 })
})

test('deep and combined: the orphan also when its site is a seed', async () => {
  const asked = ['/', '/one.html', '/orphan.html', '/two.html']
  for (const links of ['deep', 'combined'] as const) {
    assert.deepEqual(await askedOfOther(links, [`${MY}/`, `${OTHER}/`]), { asked, dropped: 0 })
  }
})
