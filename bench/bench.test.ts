/** The benchmarks can be run: no figure is looked at here, only that there are some. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeWeb } from '../testkit/web/web.ts'
import { median, slope } from './measure/statistics.ts'
import { benchWeb } from './web/bench-web.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

async function bench(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { timeout: 120_000 })
  return stdout
}

test('help names every benchmark and its flags', async () => {
  const text = await bench('--help')
  const names = [
    'crawl',
    'ceiling',
    'check',
    'frontier',
    'hazards',
    'memory',
    'mirrors',
    'pieces',
    'policy',
    'looks',
    'refresh',
    'rivals',
    'scale',
  ]
  const flags = ['--sites', '--tls', '--resolver', '--short', '--install', '--json']
  for (const word of [...names, 'simulate', 'start'].map((name) => `\n${name}: `).concat(flags))
    assert.ok(text.includes(word), word)
})

test('an unknown benchmark and a wrong flag are usage errors', async () => {
  await assert.rejects(bench('crwal'), { code: 2 })
  await assert.rejects(bench('crawl', '--sites', 'many'), { code: 2 })
})

interface CrawlFigures {
  crawlers: { name: string; pages: number; cpuSecondsPer1000: number; serverCpuSecondsPer1000: number }[]
}

test('the smallest crawl, with volumes, with dropped ones and without', async () => {
  const only = ['ceiling-identity', 'identity-written', 'gzip-dropped', 'gzip-none']
  const size = ['--sites', '2', '--pages', '5', '--runs', '1', '--workers', '1', '--only', only.join(',')]
  const { crawlers } = JSON.parse(await bench('crawl', ...size, '--json')) as CrawlFigures
  assert.deepEqual(
    crawlers.map(({ name, pages }) => [name, pages]),
    only.map((name) => [name, 10]),
  )
  for (const { cpuSecondsPer1000 } of crawlers) assert.ok(cpuSecondsPer1000 > 0)
})

test('the ceiling program alone, memory at full load, and the start of both packages', async () => {
  const size = ['--sites', '2', '--pages', '5']
  const ceiling = JSON.parse(await bench('ceiling', ...size, '--runs', '1', '--json')) as CrawlFigures
  assert.deepEqual(
    ceiling.crawlers.map(({ name, pages }) => [name, pages]),
    ['ceiling-identity', 'ceiling-gzip'].map((name) => [name, 10]),
  )
  const memory = JSON.parse(await bench('memory', '--load', ...size, '--visits', '2', '--json')) as {
    documents: number
  }
  assert.equal(memory.documents, 10)
  const start = JSON.parse(await bench('start', '--runs', '1', '--json')) as { kinds: { firstRequestMs: number }[] }
  assert.equal(start.kinds.length, 2)
  for (const { firstRequestMs } of start.kinds) assert.ok(firstRequestMs > 0)
})

test('plans, a day and decisions of policies, of a small web', async () => {
  const text = await bench(
    'policy',
    '--pages',
    '10000',
    '--large',
    '0',
    '--policies',
    'psp,index',
    '--runs',
    '1',
    '--json',
  )
  const { works } = JSON.parse(text) as { works: { kind: string; count: number }[] }
  assert.deepEqual(
    works.map(({ kind }) => kind),
    ['plan', 'run', 'run', 'decide', 'decide'],
  )
  for (const { kind, count } of works) assert.ok(kind === 'decide' ? count > 0 : count > 80_000 && count <= 86_400)
})

interface RefreshFigures {
  runs: { learnt: { looks: number; violations: number; bound: number; days: { stale: number }[] } }
  rivals: { name: string; ratio: number }[]
}

test('a day of refreshing a small web, and its rivals', async () => {
  const size = ['--sites', '2', '--pages', '5', '--pause', '300', '--days', '1', '--from', '1']
  const { runs, rivals } = JSON.parse(await bench('refresh', ...size, '--json')) as RefreshFigures
  const { looks, violations, bound, days } = runs.learnt
  assert.equal(violations, 0)
  assert.ok(looks > 500 && looks <= 2 * 288, `${looks}`)
  assert.ok(bound > 0 && days.length === 1 && days[0].stale > 0)
  assert.ok(rivals.length >= 5 && rivals.every(({ ratio }) => ratio > 0))
})

test('check-outs and check-ins of a few known pages', async () => {
  const { sizes } = JSON.parse(await bench('looks', '--pages', '640', '--each', '20', '--rounds', '1', '--json'))
  assert.equal(sizes[0].pages, 640)
  assert.ok(sizes[0].looksOfVisit > 1 && sizes[0].checkOutMs > 0 && sizes[0].applyMicroseconds > 0)
})

test('the mirrors of a small catalogue', async () => {
  const text = await bench('mirrors', '--sites', '200', '--pages', '5', '--crawled', '0', '--json')
  const { heuristics } = JSON.parse(text) as { heuristics: { heuristic: string; replicas: number }[] }
  assert.deepEqual(
    heuristics.map(({ heuristic }) => heuristic),
    ['SameHome', 'SameHomeAnd1Doc', 'Dups60', 'Dups80', 'Dups100'],
  )
  for (const { replicas } of heuristics) assert.ok(replicas > 0)
})

test('pages of the served web have 15 KB and 40 links', () => {
  const web = makeWeb(benchWeb(200, 4))
  const pages = Array.from({ length: 800 }, (_, at) => {
    const answer = web.answer({ url: web.urlOf(at >> 2, at & 3), at: web.plan.epoch, attempt: 1, headers: [] })
    assert.equal(answer.kind, 'answer')
    return answer.kind === 'answer' ? answer.payload : new Uint8Array(0)
  })
  const mean = (pick: (page: Uint8Array) => number) => pages.reduce((sum, page) => sum + pick(page), 0) / pages.length
  const bytes = mean((page) => page.length)
  assert.ok(bytes > 14_000 && bytes < 16_000, `${bytes}`)
  const links = mean((page) => Buffer.from(page).toString('latin1').split('<a ').length - 1)
  assert.ok(links > 37 && links < 43, `${links}`)
})

test('medians and slopes of measurements', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2.5)
  const line = [0, 1, 2, 5].map((x) => ({ x, y: 3 + 2 * x }))
  assert.equal(slope(line), 2)
  assert.equal(slope([{ x: 1, y: 1 }]), 0)
})

interface HazardFigures {
  traps: { all: { real: number; collected: number; requests: number; byShape: Record<string, number> } }
}

test('the smallest web with hazards', async () => {
  const size = [
    '--sites',
    '12',
    '--pages',
    '3',
    '--max',
    '3000',
    '--cap',
    '60',
    '--shapes',
    'error-pages,broken-relative',
  ]
  const { traps } = JSON.parse(await bench('hazards', ...size, '--only', 'all', '--json')) as HazardFigures
  assert.ok(traps.all.real > 300 && traps.all.collected > 0 && traps.all.requests > traps.all.collected / 2)
  for (const shape of ['error-pages', 'broken-relative']) assert.ok(traps.all.byShape[shape] > 0, shape)
})
