import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { copyRates } from './copy.ts'
import { measureIntake } from './measure.ts'

test('a small check-in is measured, and its rows are written by COPY', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    const database = await postgres.make()
    const figures = await measureIntake(database, { sites: 60, visits: 30, atOnce: 20 }, () => {})
    assert.ok(figures.parts >= 30 && figures.pages >= 30 && figures.urls > figures.pages, JSON.stringify(figures))
    assert.ok(figures.seconds >= figures.storeSeconds && figures.transactions > 0)
    const { rows, seconds } = await copyRates(database, mkdtempSync(join(tmpdir(), 'bench-intake-')), figures)
    // Each page has its row, its links, its capture and its payload; each part its place in the inbox.
    assert.ok(rows >= 4 * figures.pages + figures.parts && seconds > 0, `${rows} rows`)
  } finally {
    await postgres.end()
  }
})
