/** Taste is a test: import directions, ambient powers, file length, room introductions. The tables are DESIGN's. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')

/** Who may import whom. Every import goes down; none sideways, none up. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  web: ['base'],
  database: ['base'],
  refresh: ['base'],
  visit: ['base', 'web'],
  page: ['base', 'web', 'visit'],
  scope: ['base', 'web'],
  hazards: ['base', 'web', 'visit'],
  // Two makers of the same types: Fetch and Resolve are the treaty's.
  fetch: ['base', 'web', 'visit'],
  testweb: ['base', 'web', 'visit'],
  site: ['base', 'web', 'visit', 'scope', 'hazards', 'page'],
  frontier: ['base', 'web', 'visit', 'database'],
  collection: ['base', 'web', 'visit', 'database'],
  intake: ['base', 'visit', 'database', 'frontier', 'collection'],
  wire: ['base', 'web', 'visit'],
  worker: ['base', 'web', 'visit', 'site'],
  report: ['base', 'collection', 'frontier'],
  keeper: ['base', 'database', 'frontier', 'collection', 'intake', 'refresh'],
  sources: ['base', 'web', 'visit', 'scope', 'hazards', 'frontier', 'collection'],
  server: ['base', 'visit', 'wire', 'database', 'intake', 'frontier', 'collection', 'report'],
  config: ['base', 'web', 'scope', 'hazards', 'refresh'],
  cli: ['base', 'config', 'assemble', 'report', 'refresh', 'simulate', 'testweb'],
}
const BELOW_ASSEMBLE = Object.keys(MAY_IMPORT).filter((room) => !['cli', 'testweb', 'fetch'].includes(room))
const BELOW_SIMULATE = [...BELOW_ASSEMBLE, 'assemble', 'testweb']

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
  if (from.room === 'assemble') {
    return BELOW_ASSEMBLE.includes(to.room) || (to.room === 'fetch' && from.path.startsWith('assemble/real'))
  }
  if (from.room === 'simulate') return BELOW_SIMULATE.includes(to.room) && !to.path.startsWith('assemble/real')
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
    assert.ok(
      room in MAY_IMPORT || room === 'assemble' || room === 'simulate',
      `src/${room} is not in the import table`,
    )
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
    allowed: within(
      'base/real-disk',
      'base/load-wasm',
      'database/',
      'config/',
      'cli/',
      'testweb/serve',
      'assemble/',
      'collection/links/link-table',
    ),
  },
  {
    what: 'sockets',
    pattern: /from 'node:(net|tls|http|https|http2|dgram|dns)(\/promises)?'/,
    allowed: within('fetch/', 'server/', 'wire/http', 'database/', 'testweb/serve', 'report/mail'),
  },
  {
    what: 'process and console',
    pattern: /\bprocess\.(?!memoryUsage)\w|\bconsole\./,
    allowed: within('config/load', 'cli/', 'testweb/serve-process'),
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
