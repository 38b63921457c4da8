/** What `npm run chaos -- --simulated` says of a run that fails: enough to see it again. */
import assert from 'node:assert/strict'
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
  const chaos = { runs: 1, first: 22, journals, plant: 'applied-twice', tell } as const
  assert.equal(await simulatedChaos(chaos), false)
  const text = lines.join('\n')
  assert.match(
    text,
    /^seed 22 is wrong \(npm run chaos -- --simulated 1 --seed 22 --plant applied-twice\):\n {2}documents: /,
  )
  assert.match(text, /^ {2}\| .* JUDGE /m, 'the last lines of the journal are printed')
  const journal = readFileSync(/ journal: (\S+)$/m.exec(text)![1], 'utf8')
  for (const what of [/^seed 22: /, / FAULT /, / leases \S+ \(/, /: again$|: applied$/m, / JUDGE /])
    assert.match(journal, what)
  assert.match(text, /shortened in \d+ runs to 0 of 3 faults:\n {4}the bad network\n {2}it breaks: documents: /)

  const [, only] = /again: npm run chaos -- --simulated 1 --seed 22 --faults-only (\S+) --plant/.exec(text)!
  const short = readFileSync(/ journal of that: (\S+)$/m.exec(text)![1], 'utf8')
  assert.equal(await simulatedChaos({ ...chaos, troubles: readTroubles(only), tell() {} }), false)
  assert.equal(readFileSync(join(journals, 'seed-22-applied-twice.txt'), 'utf8'), short, 'byte for byte')
})

test('--faults-only takes numbers, network, clocks or none', () => {
  assert.deepEqual(readTroubles('3,7, network'), [3, 7, 'network'])
  assert.deepEqual(readTroubles('none'), [])
  for (const wrong of ['', '0', '3,', 'x', '1e3']) assert.throws(() => readTroubles(wrong), /--faults-only/)
})
