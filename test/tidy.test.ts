/** Taste is a test: import directions and cycles, side effects, length of files and functions, an introduction to every module. */
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
  frontier: ['base', 'web', 'refresh', 'contracts', 'database'],
  collection: ['base', 'web', 'contracts', 'database'],
  intake: ['base', 'contracts', 'database', 'frontier', 'collection'],
  report: ['base', 'collection'],
  cluster: ['base', 'web', 'refresh', 'contracts', 'crawl', 'database', 'frontier', 'collection', 'intake'],
  dashboard: ['base', 'web', 'contracts', 'database', 'frontier', 'collection', 'report', 'cluster'],
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
    'dashboard',
  ],
}
/** They alone load the testkit, each when its command is given. */
const LOADS_TESTKIT = ['app/cli/demo-web.ts', 'app/cli/services.ts']

interface Source {
  path: string
  module: string
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
    return [{ path: inside, module: inside.split('/')[0], text: readFileSync(path, 'utf8'), isTest }]
  })
}

const all = sources()
const product = all.filter(({ isTest }) => !isTest)

function importsOf({ path, text }: Source): { module: string; path: string }[] {
  const found: { module: string; path: string }[] = []
  for (const [, target] of text.matchAll(/(?:from|import|import\()\s*'(\.[^']+)'/g)) {
    const inside = relative(src, join(src, path, '..', target))
    found.push({ module: inside.split('/')[0], path: inside })
  }
  return found
}

function allowed(from: Source, to: { module: string; path: string }): boolean {
  if (from.module === to.module || from.path === 'index.ts') return true
  if (to.module === '..') return to.path.startsWith('../testkit/') && LOADS_TESTKIT.includes(from.path)
  // Only composition meets strangers.
  if (to.module === 'fetch') return from.path.startsWith('app/composition/real')
  return (MAY_IMPORT[from.module] ?? []).includes(to.module)
}

test('every import goes down', () => {
  const wrong = product.flatMap((from) =>
    importsOf(from)
      .filter((to) => !allowed(from, to))
      .map((to) => `${from.path} imports ${to.path}`),
  )
  assert.deepEqual(wrong, [])
})

/** Files that import each other, directly or in a circle; type imports count. */
function cycles(files: readonly Source[]): string[][] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file).map(({ path }) => path)]))
  const reached = new Map<string, Set<string>>()
  for (const start of imports.keys()) {
    const seen = new Set<string>()
    const open = [start]
    for (let path = open.pop(); path !== undefined; path = open.pop())
      for (const next of imports.get(path) ?? []) if (!seen.has(next)) open.push(next) && seen.add(next)
    reached.set(start, seen)
  }
  const groups = new Map<string, string[]>()
  for (const path of imports.keys()) {
    if (!reached.get(path)?.has(path)) continue
    const group = [...imports.keys()].filter((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path))
    groups.set(group.join(), group)
  }
  return [...groups.values()]
}

test('no files import each other, types included', () => {
  assert.deepEqual(cycles([...product, ...sources(join(root, 'testkit'))]), [])
})

test('the check of cycles can fail', () => {
  const file = (path: string, text: string) => ({ path, text, module: 'base', isTest: false })
  const files = [file('base/a.ts', "import type { B } from './b.ts'"), file('base/b.ts', "import { a } from './a.ts'")]
  assert.deepEqual(cycles([...files, file('base/c.ts', "import { a } from './a.ts'")]), [['base/a.ts', 'base/b.ts']])
})

test('every module is in the table and opens with its story', () => {
  for (const module of new Set(all.map(({ module }) => module))) {
    if (module.endsWith('.ts')) continue
    assert.ok(module in MAY_IMPORT, `src/${module} is not in the import table`)
    assert.ok(
      readFileSync(join(src, module, 'README.md'), 'utf8').length > 200,
      `src/${module}/README.md says too little`,
    )
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
    // A table of texts opens none.
    pattern: /(?<!\{ STATUS_CODES \} )from 'node:(net|tls|http|https|http2|dgram|dns)(\/promises)?'/,
    allowed: within('fetch/', 'cluster/server/', 'cluster/wire', 'database/', 'report/mail'),
  },
  {
    what: 'process and console',
    pattern: /\bprocess\.(?!memoryUsage)\w|\bconsole\./,
    allowed: within('app/config/load', 'app/cli/', 'app/dashboard/dashboard-reader'),
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

const MAX_FUNCTION_LINES = 100

/** Biome indents: a function ends at the first closing brace in the column of the line that opened it. */
function longFunctions({ path, text }: Source): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, start) => {
    if (!/^ *((export )?(async )?function\b|(static |async |get |set )*#?\w+\(|.*=>).*[{(]$/.test(line)) return []
    const indent = ' '.repeat(line.length - line.trimStart().length)
    const opened = line.endsWith('(')
      ? lines.findIndex((each, at) => at > start && each.startsWith(`${indent})`))
      : start
    if (opened < start || (opened > start && !lines[opened].endsWith('{'))) return []
    const closed = lines.findIndex(
      (each, at) => at > opened && /^[})]/.test(each.slice(indent.length)) && each.startsWith(indent),
    )
    return closed - start >= MAX_FUNCTION_LINES ? [`${path}:${start + 1} ${closed - start + 1} lines`] : []
  })
}

test('the check of functions can fail', () => {
  const long = (head: string) => [head, ...Array(99).fill('  x()'), '}'].join('\n')
  for (const head of ['export function f() {', 'const f = async () => {', 'function f(\n  x: number,\n): void {'])
    assert.equal(longFunctions({ path: 'x.ts', text: long(head), module: 'base', isTest: false }).length, 1, head)
})

test('a function fits a screen or two', () => {
  assert.deepEqual(
    [...product, ...sources(join(root, 'testkit')).filter(({ isTest }) => !isTest)].flatMap(longFunctions),
    [],
  )
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
