import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allCommands } from '../src/app/cli/main.ts'
import { commandsDocument } from './commands-page.ts'

test('docs/reference/commands.md is printed from the commands', async () => {
  const page = readFileSync(new URL('../docs/reference/commands.md', import.meta.url), 'utf8')
  assert.equal(
    page,
    commandsDocument(await allCommands()),
    'run: node tools/commands-page.ts > docs/reference/commands.md',
  )
})
