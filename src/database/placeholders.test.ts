import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { numbered } from './queries.ts'

describe('placeholders', () => {
  test('are numbered as SQLite numbers them', () => {
    assert.equal(numbered('SELECT ? WHERE a = ? LIMIT ?'), 'SELECT $1 WHERE a = $2 LIMIT $3')
    assert.equal(numbered('SELECT ?1, ?2, ?1'), 'SELECT $1, $2, $1')
    assert.equal(numbered('SELECT ?3, ?, ?1, ?'), 'SELECT $3, $4, $1, $5')
  })

  test('are left alone where they are text', () => {
    assert.equal(
      numbered(`SELECT 'why?', 'it''s ?', "a?b" -- really?\n /* ?1 ' */ , ?`),
      `SELECT 'why?', 'it''s ?', "a?b" -- really?\n /* ?1 ' */ , $1`,
    )
  })

  test('what the two databases read differently is a bug', () => {
    for (const sql of ['SELECT $1', "SELECT 'open", 'SELECT "open', 'SELECT 1 /* open', 'SELECT /* a /* b */ 1'])
      assert.throws(() => numbered(sql), /^Error: bug/, sql)
  })

  const inside = fc.string({ unit: fc.constantFrom('?', '1', 'a', ' ', '-', '/', '*', '$'), maxLength: 8 })
  const literal = inside.map((text) => `'${text}'`)
  const name = inside.map((text) => `"${text}"`)
  const comment = fc.oneof(
    inside.map((text) => `--${text}\n`),
    fc.string({ unit: fc.constantFrom('?', '1', ' ', '*', "'", '"', '$'), maxLength: 8 }).map((text) => `/*${text}*/`),
  )
  const doubled = inside.map((text) => `'${text}''${text}'`)
  const plain = fc.constantFrom(' a ', ' = ', ', ', '(', ')', ' - ', ' / ', ' * ')

  test('any text: all else stays as it was, placeholders count up', () => {
    const part = fc.oneof(literal, doubled, name, comment, plain, fc.constant(undefined))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        let count = 0
        const expected = parts.map((text) => text ?? ` $${++count} `).join('')
        assert.equal(numbered(parts.map((text) => text ?? ' ? ').join('')), expected)
      }),
    )
  })

  test('any numbers: SQLite binds the same values', () => {
    const database = new DatabaseSync(':memory:')
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 9 }), (places) => {
        const sql = `SELECT ${places.map((place, i) => `?${place ?? ''} AS c${i}`).join(', ')}`
        const values = Array.from({ length: 20 }, (_, i) => i)
        const max = Math.max(...[...numbered(sql).matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)))
        const bound = values.slice(0, max)
        const back = numbered(sql).replaceAll('$', '?')
        assert.deepEqual(database.prepare(back).get(...bound), database.prepare(sql).get(...bound))
      }),
    )
    database.close()
  })
})
