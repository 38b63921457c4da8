import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunJournal, wordsOfEvent } from './run-journal.ts'

test('of a long run the beginning and the end are kept, and long lines are cut', () => {
  const journal = new RunJournal(20)
  for (let i = 0; i < 1000; i++) journal.note(i * 1000, 'server', `line ${i}`)
  const { lines } = journal
  assert.equal(lines.length, 21)
  assert.deepEqual(lines[0], '      0.000 s  server    line 0')
  assert.equal(lines[2], '… 980 lines are left out …')
  assert.deepEqual(lines[3], '    982.000 s  server    line 982')
  assert.equal(lines.at(-1), '    999.000 s  server    line 999')
  const few = new RunJournal(20)
  few.note(1, 'worker-1', `two\nlines ${'x'.repeat(1000)}`)
  assert.equal(few.lines.length, 1)
  assert.match(few.lines[0], /two \| lines x+$/)
  assert.ok(few.lines[0].length <= 400)
})

test('an event without its own wording is printed with all its fields', () => {
  assert.equal(wordsOfEvent({ kind: 'lease-lost', site: 'a.test' }), 'has lost its lease of a.test')
  assert.equal(wordsOfEvent({ kind: 'tail-cut', name: 'v.warc.gz', bytes: 3 }), 'tail-cut name v.warc.gz bytes 3')
})
