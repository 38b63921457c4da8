#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one prints a sentence instead of a syntax error.
import { existsSync } from 'node:fs'
import module from 'node:module'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `orbweaver: needs Node.js 24 or newer, but this is ${process.versions.node}. In a checkout, 'npm ci' installs one and 'npm start -- ARGS' uses it.\n`,
  )
  process.exit(2)
}
// Threads and child processes have their own caches, which only the variable switches on.
const cache = module.enableCompileCache()
if (cache.directory !== undefined) process.env.NODE_COMPILE_CACHE ??= cache.directory
const built = new URL('../dist/src/app/cli/main.js', import.meta.url)
const source = new URL('../src/app/cli/main.ts', import.meta.url)
const { main } = await import((existsSync(source) ? source : built).href)
await main(process.argv.slice(2))
