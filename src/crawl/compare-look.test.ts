import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Headers } from '../contracts/exchange.ts'
import type { PageReport } from '../contracts/report.ts'
import { freshMemory, type SiteMemory } from '../contracts/site-memory.ts'
import { compileRules } from '../page/change/region-rules.ts'
import type { SlotNews } from '../page/change/slots.ts'
import { slotOnSite, withSlots } from './compare-look.ts'
import { Scripted } from './scripted.test-data.ts'

const URL_OF = (n: number) => `http://a.test/${n}`
const HTML: Headers = [['Content-Type', 'text/html']]
const DAY = 86_400_000

const html = (stamp: number, story = 'Silk') =>
  `<title>Webs</title><h1>Webs</h1>${Array.from({ length: 9 }, (_, i) => `<p>Paragraph ${i} on ${story}`).join('')}
   <div id=stamp>It is ${stamp} o'clock</div><div id=foot>The end</div>`

/** Looks at each page once a day, one after the other, and gives what was found of each; `pages`: of each, its bodies day by day. */
async function days(
  pages: Readonly<Record<string, readonly string[]>>,
  memory: SiteMemory = freshMemory(),
  tools: ConstructorParameters<typeof Scripted>[1] = {},
) {
  const found: Record<string, PageReport[]> = {}
  for (const url of Object.keys(pages)) found[url] = []
  for (let nth = 0; nth < Math.max(...Object.values(pages).map(({ length }) => length)); nth++) {
    for (const [url, { [nth]: body }] of Object.entries(pages)) {
      if (body === undefined) continue
      const web = new Scripted({ [url]: { body, headers: HTML } }, tools)
      const last = found[url].at(-1)
      const before = last?.memory && {
        ...{ was: 'kept' as const, ...last.memory, captured: { url, at: last.at } },
        // A look that brings no sketch leaves the earlier one.
        ...{
          looks: nth,
          lookedAt: last.at - DAY,
          sketch: found[url].findLast(({ memory }) => memory?.sketch)?.memory?.sketch,
        },
      }
      const { pages, parts } = await web.visit({ agenda: [{ url, before }], visit: { memory } })
      found[url].push(pages[0])
      memory = { ...freshMemory(), ...parts.at(-1)!.memory }
    }
  }
  return { found, memory }
}

const classes = (reports: readonly PageReport[]) => reports.map(({ change }) => change?.class)

/** Looks at the same page once a day, and gives each time what was found. */
async function looks(
  bodies: readonly string[],
  url = URL_OF(1),
  memory?: SiteMemory,
  tools?: ConstructorParameters<typeof Scripted>[1],
) {
  const all = await days({ [url]: bodies }, memory, tools)
  return { changes: classes(all.found[url]), pages: all.found[url], memory: all.memory }
}

test('a look says how much changed and where; what differs in every look is not a change', async () => {
  const { changes, pages } = await looks([html(1), html(2), html(3), html(4), html(5, 'Flies')])
  assert.deepEqual(changes, [undefined, 'small', 'small', 'volatile', 'large'])
  assert.equal(pages[1].change?.place, 'div#stamp')
  assert.equal(pages[4].change?.place, 'p')
  assert.ok((pages[4].memory?.sketch?.length ?? 0) > 100)
  assert.deepEqual(pages[3].outcome, { kind: 'kept', how: 'changed' })
})

test('the same bytes say nothing and carry nothing; other mark-up is no other text', async () => {
  const { changes, pages } = await looks([html(1), html(1), html(1).replace('<p>', '<p class=lead>')])
  assert.deepEqual(changes, [undefined, undefined, 'markup'])
  assert.equal(pages[1].memory?.sketch, undefined)
})

test('documents without text that we read', async () => {
  const found: PageReport[] = []
  for (const body of ['%PDF-1.4 a', '%PDF-1.4 b']) {
    const web = new Scripted({ [URL_OF(1)]: { body, headers: HTML } })
    const memory = found[0]?.memory
    const before = memory && { was: 'kept' as const, ...memory, captured: { url: URL_OF(1), at: 1 } }
    found.push((await web.visit({ agenda: [{ url: URL_OF(1), before }] })).pages[0])
  }
  assert.deepEqual(
    found.map(({ change }) => change),
    [undefined, { class: 'binary' }],
  )
})

test('a document in between leaves nothing to compare with', async () => {
  const { changes } = await looks([html(1), '%PDF-1.4 a', html(1)])
  assert.deepEqual(changes, [undefined, 'binary', 'binary'])
})

test('what three pages of a site have shown holds for its others', async () => {
  let memory = freshMemory()
  for (let n = 1; n <= 3; n++) ({ memory } = await looks([html(1), html(2), html(3)], URL_OF(n), memory))
  assert.deepEqual(
    memory.slots?.map(({ words, numbers, stayed }) => [words + numbers, stayed]),
    [[3, 0]],
  )
  const { changes } = await looks([html(1), html(2)], URL_OF(4), memory)
  assert.deepEqual(changes, [undefined, 'volatile'])
})

test('what the operator ignores is no change, from the first look on; the rest is', async () => {
  const rules = compileRules([{ kind: 'selector', text: '#stamp' }], [])
  const tools = { regionRules: (site: string) => (site === 'a.test' ? rules : undefined) }
  const bodies = [html(1), html(2), html(3), html(4, 'Flies')]
  const { changes, pages } = await looks(bodies, URL_OF(1), freshMemory(), tools)
  assert.deepEqual(changes, [undefined, 'volatile', 'volatile', 'large'])
  assert.equal(pages[1].change?.place, 'what is ignored')
})

test('how much changed is said of what is not ignored', async () => {
  const rules = compileRules([{ kind: 'selector', text: '#news' }], [])
  const of = (news: string, story: string) =>
    `<div id=news>${news.repeat(60)}</div>${Array.from({ length: 9 }, (_, i) => `<p>Paragraph ${i} on ${story}`).join('')}`
  const bodies = [of('old news of the day ', 'silk and flies'), of('quite other tales at last ', 'silk and webs')]
  const [, ruled] = (await looks(bodies, URL_OF(1), freshMemory(), { regionRules: () => rules })).changes
  const bare = bodies.map((body) => body.replace(/<div.*<\/div>/, ''))
  assert.equal(ruled, (await looks(bare)).changes[1])
})

test('a slot is volatile on a site if three pages have shown it, in its words only if no more have shown the opposite; 32 are kept', () => {
  const named = (name: number, what: SlotNews['what'], times: number) =>
    Array<SlotNews>(times).fill({ name, what, lines: [] })
  let memory = withSlots(
    freshMemory(),
    [...named(7, 'words', 1), ...named(7, 'numbers', 3), ...named(8, 'numbers', 4)],
    [],
  )
  assert.deepEqual(
    [7, 8, 9].map((name) => slotOnSite(memory, name)),
    ['words', 'numbers', undefined],
  )
  memory = withSlots(memory, [...named(7, 'stayed', 5), ...named(9, 'words', 3), ...named(9, 'stayed', 4)], [])
  assert.deepEqual(
    [7, 9].map((name) => slotOnSite(memory, name)),
    ['numbers', undefined],
  )
  for (let name = 100; name < 200; name++) memory = withSlots(memory, named(name, 'words', 1), [])
  assert.equal(memory.slots?.length, 32)
  assert.deepEqual(memory.slots?.[0], { name: 7, words: 1, numbers: 3, stayed: 5, lines: [] })
})

/** A page with a text of its own. */
const article = (n: number, aside: string, text: string[] = [], title = `Page ${n}`) =>
  `<title>${title}</title><h1>${n}</h1><div class=main>${Array.from({ length: 9 }, (_, i) => `<p>Paragraph ${i} of page ${n}.`).join('')}
   ${text.map((one) => `<p>${one}`).join('')}</div>${aside}<footer>The end</footer>`

test('a box that is the same on all pages is no part of any, even if it only grows or seldom changes', async () => {
  const list = (...names: string[]) => `<div id=new><h3>Who is new</h3><ul><li>${names.join('<li>')}</ul></div>`
  const members = 'Ann Bob Cid Dan Eva Fay Gus Hal Ida'.split(' ')
  const moving = [0, 1, 1, 1, 2, 3].map((at) => list(...members.slice(at, at + 5)))
  const growing = [5, 6, 6, 6, 7, 8].map((count) => list(...members.slice(0, count)))
  for (const asides of [moving, growing]) {
    const pages = Object.fromEntries([1, 2, 3, 4].map((n) => [URL_OF(n), asides.map((aside) => article(n, aside))]))
    const { found } = await days(pages)
    for (const reports of Object.values(found))
      assert.deepEqual(classes(reports), [undefined, 'small', undefined, undefined, 'small', 'volatile'])
  }
})

test('what came on copies of a page, by their title, says nothing of the site', async () => {
  const news = ['One more thing.', 'And another.', 'And a third.', 'That is all.']
  const menu = '<li>An entry of the menu, by which most of the page is the same.'.repeat(20)
  const shared = async (titleOf: (n: number) => string) => {
    const bodies = (n: number) =>
      [[], news.slice(2), news].map((text) => article(1, `${menu}Copy ${n}`, text, titleOf(n)))
    const { memory } = await days(Object.fromEntries([1, 2, 3, 4].map((n) => [URL_OF(n), bodies(n)])))
    return (memory.slots ?? []).flatMap((one) => one.shared ?? [])
  }
  assert.deepEqual(await shared(() => 'One page'), [])
  assert.deepEqual(await shared((n) => `Page ${n}`), [3])
})

test('lines that stay in a box may be others on each page, if most are on other pages, too', async () => {
  const shop = (n: number, look: number) => {
    const goods = [0, 1, 2].map((i) => (n * 7 + look * 3 + i) % 11)
    return `<div id=related><p>Related${goods.map((one) => `<p>Item ${'abcdefghijk'[one]}<p>${'abc'[one % 3]} of c stars<p>Add`).join('')}</div>`
  }
  const pages = [1, 2, 3, 4].map((n) => [URL_OF(n), [0, 1, 2].map((look) => article(n, shop(n, look)))])
  const { memory } = await days(Object.fromEntries(pages))
  const { changes } = await looks([article(5, shop(5, 0)), article(5, shop(5, 1))], URL_OF(5), memory)
  assert.deepEqual(changes, [undefined, 'volatile'])
})

test('an edit of a page that stayed for three looks is a change, though other pages are renewed at each', async () => {
  const renewed = (n: number, look: number) =>
    `<title>${n}</title><h1>${n}</h1><div class=main>${[0, 1, 2].map((i) => `<p>${'abcdefghi'[n * 3 + i - 3]} in the ${'first second third fourth'.split(' ')[look]}`).join('')}</div>${'<p>The end'.repeat(9)}`
  const pages = Object.fromEntries([1, 2, 3].map((n) => [URL_OF(n), [0, 1, 2, 3].map((look) => renewed(n, look))]))
  const { memory } = await days(pages)
  assert.ok(memory.slots?.some(({ words, stayed }) => words === 3 && stayed === 0))
  const before = renewed(1, 0)
  const edited = before.replace('in the first', 'in the very first')
  assert.deepEqual((await looks([before, edited], URL_OF(4), memory)).changes, [undefined, 'volatile'])
  const { changes } = await looks([before, before, before, before, edited], URL_OF(4), memory)
  assert.equal(changes.at(-1), 'small')
})
