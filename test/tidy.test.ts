/** Taste is a test: import directions, ambient powers, file length, room introductions. The tables are DESIGN's. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Who may import whom: the picture in ARCHITECTURE.md. Every import goes down; none sideways, none up. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  web: ['base'],
  database: ['base'],
  refresh: ['base'],
  contracts: ['base', 'web'],
  page: ['base', 'web', 'contracts'],
  fetch: ['base', 'web', 'contracts'],
  crawl: ['base', 'web', 'contracts', 'page'],
  frontier: ['base', 'web', 'contracts', 'database'],
  collection: ['base', 'web', 'contracts', 'database'],
  intake: ['base', 'contracts', 'database', 'frontier', 'collection'],
  report: ['base', 'collection', 'frontier'],
  cluster: ['base', 'web', 'contracts', 'crawl', 'database', 'frontier', 'collection', 'intake', 'report', 'refresh'],
  app: [
    'base',
    'web',
    'database',
    'refresh',
    'contracts',
    'page',
    'crawl',
    'frontier',
    'collection',
    'intake',
    'report',
    'cluster',
  ],
}
/** They alone load the testkit, each when its command is given. */
const LOADS_TESTKIT = ['app/cli/demo-web.ts', 'app/cli/services.ts']

interface Source {
  path: string
  room: string
  text: string
  isTest: boolean
}

function sources(folder = src): Source[] {
  return readdirSync(folder).flatMap((name): Source[] => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return sources(path)
    if (!name.endsWith('.ts')) return []
    const inside = relative(src, path)
    const isTest = /\.(test|contract)\.ts$/.test(name) || name.includes('.test-') || name.startsWith('test-')
    return [{ path: inside, room: inside.split('/')[0], text: readFileSync(path, 'utf8'), isTest }]
  })
}

const all = sources()
const product = all.filter(({ isTest }) => !isTest)

function importsOf({ path, text }: Source): { room: string; path: string }[] {
  const found: { room: string; path: string }[] = []
  for (const [, target] of text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)) {
    const inside = relative(src, join(src, path, '..', target))
    found.push({ room: inside.split('/')[0], path: inside })
  }
  return found
}

function allowed(from: Source, to: { room: string; path: string }): boolean {
  if (from.room === to.room || from.path === 'index.ts') return true
  if (to.room === '..') return to.path.startsWith('../testkit/') && LOADS_TESTKIT.includes(from.path)
  // Only composition meets strangers.
  if (to.room === 'fetch') return from.path.startsWith('app/composition/real')
  return (MAY_IMPORT[from.room] ?? []).includes(to.room)
}

test('every import goes down', () => {
  const wrong = product.flatMap((from) =>
    importsOf(from)
      .filter((to) => !allowed(from, to))
      .map((to) => `${from.path} imports ${to.path}`),
  )
  assert.deepEqual(wrong, [])
})

test('every room is in the table and opens with its story', () => {
  for (const room of new Set(all.map(({ room }) => room))) {
    if (room.endsWith('.ts')) continue
    assert.ok(room in MAY_IMPORT, `src/${room} is not in the import table`)
    assert.ok(readFileSync(join(src, room, 'README.md'), 'utf8').length > 200, `src/${room}/README.md says too little`)
  }
})

interface Power {
  what: string
  pattern: RegExp
  allowed: (path: string) => boolean
}

const within =
  (...places: string[]) =>
  (path: string) =>
    places.some((place) => path.startsWith(place))

const POWERS: readonly Power[] = [
  {
    what: 'time',
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bsetTimeout\(|\bsetInterval\(|\bsetImmediate\(|\bperformance\.now\(/,
    allowed: within('base/clock'),
  },
  {
    what: 'chance',
    pattern: /\bMath\.random\(|\brandomBytes\(|\brandomUUID\(|\brandomFillSync\(/,
    allowed: within('base/random'),
  },
  {
    what: 'files',
    pattern: /from 'node:fs(\/promises)?'/,
    allowed: within('base/real-disk', 'base/load-wasm', 'database/', 'app/', 'collection/links/link-table'),
  },
  {
    what: 'sockets',
    pattern: /from 'node:(net|tls|http|https|http2|dgram|dns)(\/promises)?'/,
    allowed: within('fetch/', 'cluster/server/', 'cluster/wire', 'database/', 'report/mail'),
  },
  {
    what: 'process and console',
    pattern: /\bprocess\.(?!memoryUsage)\w|\bconsole\./,
    allowed: within('app/config/load', 'app/cli/'),
  },
]

for (const power of POWERS) {
  test(`${power.what} only through its door`, () => {
    const wrong = product
      .filter(({ path, text }) => !power.allowed(path) && power.pattern.test(stripped(text)))
      .map(({ path }) => path)
    assert.deepEqual(wrong, [])
  })
}

test('the check of powers can fail', () => {
  for (const { pattern } of POWERS.slice(0, 2)) assert.ok(pattern.test('Date.now() + Math.random()'))
})

test('files are read in one sitting', () => {
  const long = all
    .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
    .filter(({ lines }) => lines > 500)
    .map(({ path, lines }) => `${path}: ${lines}`)
  assert.deepEqual(long, [])
})

test('no any, no ignored errors of the type checker, no default exports', () => {
  const smell = /(:\s*any\b|\bas any\b|<any>|@ts-ignore|@ts-expect-error|^export default)/m
  assert.deepEqual(
    product.filter(({ text }) => smell.test(stripComments(text))).map(({ path }) => path),
    [],
  )
})

/** Telling an address from a name opens no socket. */
const HARMLESS = /^import (type )?\{ ((isIP|isIPv4|isIPv6|BlockList),? )+\} from 'node:net'$/gm

function stripped(text: string): string {
  return stripComments(text).replace(HARMLESS, '')
}

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
