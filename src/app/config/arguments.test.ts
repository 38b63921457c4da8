import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../base/errors.ts'
import { parseArguments } from './arguments.ts'

test('flags and arguments may come in any order', () => {
  const { args, flags } = parseArguments(
    ['a', '--pause', '3s', 'b', '-c', 'dir', '--json', '--exclude=x=y', '--', '--c'],
    'crawl',
  )
  assert.deepEqual(args, ['a', 'b', '--c'])
  const texts = [...flags].map(([name, given]) => [name, given.texts])
  assert.deepEqual(Object.fromEntries(texts), { pause: ['3s'], collection: ['dir'], json: ['yes'], exclude: ['x=y'] })
})

test('a switch can be set, negated or given a value', () => {
  assert.deepEqual(parseArguments(['--quiet', '--no-quiet'], 'crawl').flags.get('quiet')?.texts, ['no'])
  assert.deepEqual(parseArguments(['--quiet=no'], 'crawl').flags.get('quiet')?.texts, ['no'])
  assert.deepEqual(parseArguments(['-q'], 'crawl').flags.get('quiet')?.texts, ['yes'])
  assert.throws(() => parseArguments(['--no-pause'], 'crawl'), /unknown flag --no-pause/)
})

test('standard input is a value, another flag is not', () => {
  assert.deepEqual(parseArguments(['--seeds', '-'], 'crawl').flags.get('seeds')?.texts, ['-'])
  assert.throws(() => parseArguments(['--seeds', '--json'], 'crawl'), /--seeds needs a value: --seeds FILE/)
})

test('a command takes its own flags only', () => {
  assert.throws(
    () => parseArguments(['--pause', '2s'], 'status'),
    /status does not take --pause, only crawl, refresh, serve, bot-page and simulate do/,
  )
  assert.deepEqual(parseArguments(['--at', '2026-01-01'], 'get').flags.get('at')?.texts, ['2026-01-01'])
})

test('any words parse into arguments or throw one Problem', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('--', '-', '--json', '-c', '--pause', '--pause=', '-x', '--no-', '--='),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      try {
        parseArguments(argv, 'crawl')
      } catch (error) {
        assert.ok(error instanceof Problem)
        assert.equal(error.exit, 2)
      }
    }),
  )
})

test('the address of --dashboard may be left out: the next word may be a seed', () => {
  const given = (...line: string[]) => {
    const { args, flags } = parseArguments(line, 'crawl')
    return [args, flags.get('dashboard')?.texts]
  }
  assert.deepEqual(given('--dashboard'), [[], ['yes']])
  assert.deepEqual(given('--dashboard', 'https://a.test/'), [['https://a.test/'], ['yes']])
  assert.deepEqual(given('--dashboard', 'a.test:8080'), [['a.test:8080'], ['yes']])
  assert.deepEqual(given('--dashboard', '--json', 'a.test'), [['a.test'], ['yes']])
  assert.deepEqual(given('--dashboard', '0.0.0.0:9000', 'a.test'), [['a.test'], ['0.0.0.0:9000']])
  assert.deepEqual(given('--dashboard=[::1]:9000', 'a.test'), [['a.test'], ['[::1]:9000']])
  assert.deepEqual(given('--dashboard', '9000'), [[], ['9000']])
})
