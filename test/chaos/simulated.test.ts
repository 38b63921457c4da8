/** What `npm run chaos -- --simulated` says of a run that fails: enough to see it again. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readTroubles } from '../../testkit/simulate/cluster-replay.ts'
import { simulatedChaos } from './simulated.ts'

test('a run that fails names its journal, the fewest faults that it needs, and the command that repeats it', async (t) => {
  const journals = mkdtempSync(join(tmpdir(), 'orbweaver-chaos-'))
  t.after(() => rmSync(journals, { recursive: true }))
  const lines: string[] = []
  const tell = (line: string) => lines.push(line)
  const chaos = { runs: 1, first: 15, journals, plant: 'applied-twice', tell } as const
  assert.equal(await simulatedChaos(chaos), false)
  const text = lines.join('\n')
  assert.match(
    text,
    /^seed 15 is wrong \(npm run chaos -- --simulated 1 --seed 15 --plant applied-twice\):\n {2}documents: /,
  )
  assert.match(text, /^ {2}\| .* JUDGE /m, 'the last lines of the journal are printed')
  const journal = readFileSync(/ journal: (\S+)$/m.exec(text)![1], 'utf8')
  for (const what of [/^seed 15: /, / FAULT /, / leases \S+ \(/, /: again$|: applied$/m, / JUDGE /])
    assert.match(journal, what)
  assert.match(text, /shortened in \d+ runs to 0 of 1 faults:\n {4}the bad network\n {2}it breaks: documents: /)

  const [, only] = /again: npm run chaos -- --simulated 1 --seed 15 --faults-only (\S+) --plant/.exec(text)!
  const short = readFileSync(/ journal of that: (\S+)$/m.exec(text)![1], 'utf8')
  assert.equal(await simulatedChaos({ ...chaos, troubles: readTroubles(only), tell() {} }), false)
  assert.equal(readFileSync(join(journals, 'seed-15-applied-twice.txt'), 'utf8'), short, 'byte for byte')
})

test('--faults-only takes numbers, network, clocks or none', () => {
  assert.deepEqual(readTroubles('3,7, network'), [3, 7, 'network'])
  assert.deepEqual(readTroubles('none'), [])
  for (const wrong of ['', '0', '3,', 'x', '1e3']) assert.throws(() => readTroubles(wrong), /--faults-only/)
})

test('--help prints every flag; a wrong command line is one line and exit code 2', () => {
  const chaos = (...flags: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...flags], { encoding: 'utf8' })
  const help = chaos('--help')
  assert.equal(help.status, 0)
  for (const flag of [
    'faults',
    'named',
    'a-crawl',
    'migrations',
    'kills',
    'seed',
    'journals',
    'planted',
    'simulated',
    'days',
  ])
    assert.match(help.stdout, new RegExp(`^ {2}--${flag} `, 'm'))
  for (const [flags, line] of [
    [['--fault', '3'], /^chaos: Unknown option '--fault' /],
    [['--faults', 'many'], /^chaos: --faults many: give a number/],
    [['--simulated', '1', '--faults-only', 'x'], /^chaos: --faults-only x: give numbers of faults/],
  ] as const) {
    const { status, stderr } = chaos(...flags)
    assert.equal(status, 2, stderr)
    assert.match(stderr, line)
    assert.equal(stderr.trimEnd().split('\n').length, 1)
  }
})
