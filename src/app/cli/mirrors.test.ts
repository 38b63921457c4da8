import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MirrorAsk } from '../../collection/mirrors/mirror-findings.ts'
import { fakeReader, fakeServices, recordedScreen } from './fake-services.test-data.ts'
import { run } from './main.ts'

async function orbweaver(line: string[], services = fakeServices()) {
  const screen = recordedScreen()
  const exit = await run(line, screen, services)
  return { exit, out: screen.out, err: screen.err }
}

/** Rooms that remember what they were asked. */
function asked() {
  const asks: MirrorAsk[] = []
  const plain = fakeReader()
  const reader = fakeReader({
    mirrors: async (ask) => {
      asks.push(ask)
      const names = ask.check === undefined ? null : { checked: 2, gone: ['x.test'], unanswered: 1, pairsLost: 1 }
      const proposals = [{ site: 'p.test', evidence: 'the home page \u001b[2J equals', examples: [] }]
      return { ...(await plain.mirrors(ask)), names, proposed: { count: 1, proposals } }
    },
  })
  return { asks, services: fakeServices(undefined, reader) }
}

test('without --into nothing is looked up; a table, examples and suggestions are printed', async () => {
  const { asks, services } = asked()
  const { exit, out } = await orbweaver(['mirrors'], services)
  assert.equal(exit, 0)
  assert.equal(asks[0].check, undefined)
  assert.equal(asks[0].heuristic, 'Dups60')
  assert.match(out, /Dups60 \* +1 +1 +11\.11% +1\.0/)
  assert.match(out, /Dups60 \(chosen\):\n {2}www\.a\.test a\.test {2}3 of 4 contents/)
  assert.match(out, /From the list of mirrors that the crawl used: 1 pair still valid\./)
  assert.match(out, /Suggested by crawls[^\n]*\n {2}p\.test: the home page [^\u001b]* equals/)
})

test('with --into names are looked up, unless --check-names=no', async () => {
  const { asks, services } = asked()
  const written: { path: string; gone: string[]; looksUp: boolean }[] = []
  services.renewMirrors = async (path, { gone, pairs, used }, check) => {
    assert.equal(used?.length, 1)
    written.push({ path, gone: [...gone], looksUp: check !== undefined })
    return { pairs: pairs.length, left: 2 }
  }
  const { out, err } = await orbweaver(['mirrors', '--into', 'list.txt', '--heuristic', 'Dups100'], services)
  assert.equal(asks[0].heuristic, 'Dups100')
  assert.match(out, /Looked up 2 host names: 1 no longer exist \(1 pair removed\), 1 without an answer/)
  assert.match(err, /wrote 1 pair to list\.txt, removed 2/)
  await orbweaver(['mirrors', '--into', 'list.txt', '--check-names', 'no'], services)
  assert.deepEqual(written, [
    { path: 'list.txt', gone: ['x.test'], looksUp: true },
    { path: 'list.txt', gone: [], looksUp: false },
  ])
})

test('with --json every pair is printed', async () => {
  const { services } = asked()
  const { out } = await orbweaver(['mirrors', '--json', '--into', 'x'], services)
  const found = JSON.parse(out)
  assert.deepEqual(found.list, { file: 'x', pairs: 1, left: 0 })
  assert.equal(found.pairs[0].replica, 'www.a.test')
  assert.equal((await orbweaver(['mirrors', '--heuristic', 'Dups70'])).exit, 2)
})
