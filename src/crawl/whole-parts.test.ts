import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VisitReport } from '../contracts/report.ts'
import { LocalFrontier } from './local-frontier.ts'
import type { Reporter } from './reporter.ts'
import { itemOf, Scripted } from './scripted.test-data.ts'

const HOME = 'http://a.test/'

test('a part never has the links of a page without the page: a crash after it would count them twice', async () => {
  const cut: VisitReport[] = []
  let reporter: Reporter | undefined
  // Others of the worker's visits bring their parts, and with them this one's, at any time: while it looks for a twin too.
  const takeAll = async () => {
    const part = reporter?.take()
    if (part !== undefined) cut.push(part)
    return undefined
  }
  const durable = async (own: Reporter) => {
    reporter = own
    await takeAll()
  }
  const web = new Scripted(
    { [HOME]: { body: '<a href=/a>a</a><a href=mailto:x@a.test>b</a>' } },
    { durable, findCopy: takeAll },
  )
  const { parts } = await web.visit({ agenda: [HOME] })
  const all = [...cut, ...parts]
  const withLinks = all.filter(({ counts }) => counts.has('links'))
  assert.equal(withLinks.length, 1)
  assert.deepEqual(withLinks[0].pages.map(({ url }) => url).slice(0, 1), [HOME])
})

test('a request of our own does not remove a link to the same URL from the part', async () => {
  const { parts } = await new Scripted({
    [HOME]: { body: '<a href="https://a.test/robots.txt">rules</a><a href="https://a.test/x">x</a>' },
  }).visit({ agenda: [HOME, 'https://a.test/y'], visit: { limits: { pages: 2, time: 1e9 } } })
  assert.ok(
    parts.some(({ pages }) => pages.some(({ url, ownRequest }) => ownRequest && url === 'https://a.test/robots.txt')),
  )
  const found = parts.flatMap((part) => part.found).map(({ url }) => url)
  assert.deepEqual(found, ['https://a.test/robots.txt', 'https://a.test/x'])
})

test('a site without wanted URLs is not even sent a request for robots.txt', async () => {
  const web = new Scripted({})
  const { why, pages } = await web.visit({ agenda: ['http://a.test/excluded/1', 'http://a.test/excluded/2'] })
  assert.equal(why, 'done')
  assert.equal(web.asked.length, 0)
  assert.deepEqual(
    pages.map(({ outcome }) => outcome.kind),
    ['refused', 'refused'],
  )
})

test('a visit queues one URL more than it may fetch, no more', async () => {
  const local = new LocalFrontier({
    id: '1',
    fence: 1,
    site: 'a.test',
    agenda: [itemOf({ url: HOME })],
    known: new BigUint64Array(0),
    memory: { robots: {}, fetched: 0, duplicates: 0, deepest: 0, silent: 0 },
    wait: 0,
    pause: 0,
    limits: { pages: 2, time: 1 },
    lease: 1,
  })
  const offered = [1, 2, 3, 4].map((name) => local.offer(itemOf({ url: `${HOME}${name}` }), false))
  assert.deepEqual(offered, ['new', 'new', 'new', 'new'])
  const taken: string[] = []
  for (let item = local.take(); item !== undefined; item = local.take()) taken.push(item.url)
  assert.deepEqual(taken, [HOME, `${HOME}1`, `${HOME}2`])
  assert.equal(local.offer(itemOf({ url: `${HOME}4` }), false), 'known')
})
