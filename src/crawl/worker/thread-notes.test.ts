import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../base/memory-disk.ts'
import { ThreadNotes } from './worker-pool.ts'

test('the next process in the folder finds the names of the one that did not end in order', () => {
  const disk = memoryDisk()
  const notes = new ThreadNotes(disk, '/w')
  assert.deepEqual(notes.earlier, [])
  for (const name of ['a-w1', 'a-w2', 'a-w1']) notes.begin(name)
  const next = new ThreadNotes(disk, '/w')
  assert.deepEqual(next.earlier, ['a-w1', 'a-w2'])
  next.begin('b-w1')
  assert.deepEqual(next.earlier, ['a-w1', 'a-w2', 'b-w1'], 'what could not be told is told the next time')
  next.clear()
  next.clear()
  assert.deepEqual(new ThreadNotes(disk, '/w').earlier, [])
})

test('a file that somebody wrote over names nobody', () => {
  const disk = memoryDisk()
  disk.append('/w/threads').write(Buffer.from(`\0\xff\n../../x\n${'y'.repeat(100_000)}\nok-w1\nhalf`))
  assert.deepEqual(new ThreadNotes(disk, '/w').earlier, ['ok-w1', 'half'])
})
