import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figures } from '../../src/collection/figures.ts'
import { DEFAULT_HEURISTIC } from '../../src/collection/mirrors/heuristics.ts'
import { renewMirrorFile } from '../../src/collection/mirrors/mirror-file.ts'
import { mirrorsOf } from '../../src/collection/mirrors/mirror-findings.ts'
import type { Event } from '../../src/contracts/events.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'
import { crawlOn, type Stage, setStage } from './crawl-run.ts'
import { documentsOf } from './judge.ts'
import { FOLDER } from './virtual-coordinator.ts'

const WEB = { pageBytes: 2000, linksPerPage: 15, mirrorShare: 0.25, falseMirrors: 3 }
const LIST = `${FOLDER}/mirrors.txt`

function stageOf(seed: number, journal?: (event: Event) => void): Stage {
  const stage = setStage({ seed, sites: 40, pages: 15, web: WEB, ...(journal === undefined ? {} : { journal }) })
  return { ...stage, seeds: [...stage.web.homes(), ...stage.web.mirrorHomes()] }
}

async function duplicateShare({ database }: Stage): Promise<number> {
  const { duplicates, documents } = await database.read((tx) => figures(tx, { seen: 0, waiting: 0 }))
  return duplicates / documents
}

test('the list of one crawl spares the next one the mirrors, and loses nothing', async () => {
  const first = stageOf(11)
  await crawlOn(first)
  const ask = { heuristic: DEFAULT_HEURISTIC, examples: 3 }
  const { pairs } = await mirrorsOf(first.database, frontierQueries, ask)
  const truth = new Map(first.web.mirrors().map((one) => [`${one.replica} ${one.original}`, one]))
  for (const { replica, original } of pairs) {
    const known = truth.get(`${replica} ${original}`) ?? truth.get(`${original} ${replica}`)
    assert.equal(known?.mirror, true, `${replica} ${original}`)
  }
  assert.ok(pairs.length >= 3)

  const left: Event[] = []
  const second = stageOf(11, (event) => event.kind === 'mirror-left' && left.push(event))
  const renewal = { heuristic: DEFAULT_HEURISTIC, pairs, at: second.clock.now(), gone: new Set<string>() }
  second.disk.makeFolder(FOLDER)
  await renewMirrorFile(second.disk, LIST, renewal)
  await crawlOn(second)
  assert.deepEqual(left, [], 'nothing has changed, so nothing leaves')

  const [before, after] = [await duplicateShare(first), await duplicateShare(second)]
  assert.ok(after < before / 2, `${before} of the first crawl's documents were duplicates, ${after} of the second's`)
  // What is not of a replica is collected as before; of a replica, its home page.
  const replicas = new Set(pairs.map(({ replica }) => replica))
  const [one, other] = [await documentsOf(first.database), await documentsOf(second.database)]
  const missing = [...one].filter((url) => !replicas.has(new URL(url).host) && !other.has(url))
  assert.deepEqual(missing, [])
  // And what the original itself says is to be had there: its own page under the other name.
  const ofReplicas = (urls: Iterable<string>) => [...urls].filter((url) => replicas.has(new URL(url).host))
  const homes = ofReplicas(other).filter((url) => new URL(url).pathname === '/')
  assert.equal(homes.length, ofReplicas(one).filter((url) => new URL(url).pathname === '/').length)
  assert.ok(ofReplicas(other).length - homes.length <= ofReplicas(one).length / 20, `${ofReplicas(other)}`)
  // And the list of the second, which asked the replicas for their home pages only, is that of the first.
  const later = await mirrorsOf(second.database, frontierQueries, ask)
  const named = (all: readonly { replica: string; original: string }[]) =>
    all.map(({ replica, original }) => `${replica} ${original}`).sort()
  assert.deepEqual(named(later.used), named(pairs))
  const next = await renewMirrorFile(second.disk, `${FOLDER}/next.txt`, {
    ...renewal,
    pairs: later.pairs,
    used: later.used,
  })
  assert.ok(next.pairs >= pairs.length)
  await first.database.close()
  await second.database.close()
})

test('two sites that are not mirrors leave a wrong list by themselves and are collected', async () => {
  const plain = stageOf(12)
  await crawlOn(plain)
  const left: Event[] = []
  const stage = stageOf(12, (event) => event.kind === 'mirror-left' && left.push(event))
  const hosts = stage.web.homes().map((home) => new URL(home).host)
  const healthy = (host: string) => !stage.web.failingSites.includes(host)
  const [replica, original] = hosts.filter(healthy)
  const file = stage.disk.append(LIST)
  file.write(new TextEncoder().encode(`${replica} ${original}  # by mistake\n`))
  file.close()
  await crawlOn(stage)
  assert.deepEqual(left, [{ kind: 'mirror-left', replica, original, why: 'their home pages differ' }])
  const size = stage.disk.size(LIST) ?? 0
  assert.match(new TextDecoder().decode(stage.disk.read(LIST, 0, size)), /# left \d{4}-\d\d-\d\d: .*: their home pages/)
  const expected = [...(await documentsOf(plain.database))].filter((url) => new URL(url).host === replica)
  const collected = await documentsOf(stage.database)
  assert.ok(expected.length > 3)
  assert.deepEqual(
    expected.filter((url) => !collected.has(url)),
    [],
  )
  await plain.database.close()
  await stage.database.close()
})
