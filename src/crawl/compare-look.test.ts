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

/** Looks at the same page once a day, and gives each time what was found. */
async function looks(
  bodies: readonly string[],
  url = URL_OF(1),
  memory: SiteMemory = freshMemory(),
  tools: ConstructorParameters<typeof Scripted>[1] = {},
) {
  const found: PageReport[] = []
  for (const [nth, body] of bodies.entries()) {
    const web = new Scripted({ [url]: { body, headers: HTML } }, tools)
    const last = found.at(-1)
    const before = last?.memory && {
      ...{ was: 'kept' as const, ...last.memory, captured: { url, at: last.at } },
      // A look that brings no sketch leaves the earlier one.
      ...{
        looks: nth,
        lookedAt: last.at - DAY,
        sketch: found.findLast(({ memory }) => memory?.sketch)?.memory?.sketch,
      },
    }
    const { pages, parts } = await web.visit({ agenda: [{ url, before }], visit: { memory } })
    found.push(pages[0])
    memory = { ...freshMemory(), ...parts.at(-1)!.memory }
  }
  return { changes: found.map(({ change }) => change?.class), pages: found, memory }
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
    Array<SlotNews>(times).fill({ name, what, stays: 0 })
  let memory = withSlots(freshMemory(), [...named(7, 'words', 1), ...named(7, 'numbers', 3), ...named(8, 'numbers', 4)])
  assert.deepEqual(
    [7, 8, 9].map((name) => slotOnSite(memory, name)),
    ['words', 'numbers', undefined],
  )
  memory = withSlots(memory, [...named(7, 'stayed', 5), ...named(9, 'words', 3), ...named(9, 'stayed', 4)])
  assert.deepEqual(
    [7, 9].map((name) => slotOnSite(memory, name)),
    ['numbers', undefined],
  )
  for (let name = 100; name < 200; name++) memory = withSlots(memory, named(name, 'words', 1))
  assert.equal(memory.slots?.length, 32)
  assert.deepEqual(memory.slots?.[0], { name: 7, words: 1, numbers: 3, stayed: 5, stays: 0 })
})
