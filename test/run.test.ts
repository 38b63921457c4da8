/** `npm test` says what it installs before it does, and what it did not judge. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SERVER_VARIABLE } from '../testkit/postgres/database.test-tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-run-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs two small test files, with nothing on the PATH but what `folder` holds and without the published suites. */
function runTests(env: Record<string, string>): { code: number | null; stdout: string } {
  const files = ['src/base/digest.test.ts', 'src/web/robots/conformance.test.ts']
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), ...files], {
    encoding: 'utf8',
    env: { PATH: folder, [SERVER_VARIABLE]: 'skipped: not needed here', ...env },
  })
  return { code: status, stdout }
}

test('a suite whose cases are not at hand is skipped by name', () => {
  const { code, stdout } = runTests({})
  assert.match(stdout, /^skipped: Google's cases for robots\.txt: ORBWEAVER_CONFORMANCE names no folder/m)
  assert.match(stdout, /^[1-9]\d* passed, 0 failed, [1-9]\d* skipped$/m)
  assert.equal(code, 0)
  assert.equal(runTests({ NO_SKIPS: '1' }).code, 1)
  assert.equal(runTests({ NO_SKIPS: '1', MAY_SKIP: 'ORBWEAVER_CONFORMANCE' }).code, 0)
})

test('root installs what is missing and says so; nobody else does', () => {
  const calls = join(folder, 'calls')
  const fake = join(folder, 'apt-get')
  writeFileSync(calls, '')
  writeFileSync(fake, `#!/bin/sh\n[ "$1" = --version ] || echo "$@" >> ${calls}\n`)
  chmodSync(fake, 0o755)
  const { stdout } = runTests({})
  const packages = process.getuid?.() === 0 ? ['curl', 'pgbouncer', 'chromium', 'prometheus'] : []
  assert.equal(
    readFileSync(calls, 'utf8'),
    packages.map((name) => `install -y -q --no-install-recommends ${name}\n`).join(''),
  )
  const said = [...stdout.matchAll(/^npm test runs as root and installs the Debian package (\S+) \(apt-get\)/gm)]
  assert.deepEqual(
    said.map(([, name]) => name),
    packages,
  )
})
