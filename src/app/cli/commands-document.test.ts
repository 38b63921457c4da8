import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { commandsDocument } from './commands-document.ts'
import { allCommands } from './main.ts'

const REPRINT = `node -e "import('./src/app/cli/main.ts').then(async (c) => process.stdout.write((await import('./src/app/cli/commands-document.ts')).commandsDocument(await c.allCommands())))" > docs/reference/commands.md`

test('docs/reference/commands.md is printed from the commands', async () => {
  const page = readFileSync(new URL('../../../docs/reference/commands.md', import.meta.url), 'utf8')
  assert.equal(page, commandsDocument(await allCommands()), `print it anew: ${REPRINT}`)
})

test('docs/reference/json.md has a part for every command', async () => {
  const page = readFileSync(new URL('../../../docs/reference/json.md', import.meta.url), 'utf8')
  for (const { name } of await allCommands()) assert.match(page, new RegExp(`^## .*\\b${name}\\b`, 'm'), name)
})
