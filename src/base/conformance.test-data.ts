/**
 * Tests over cases that others published. They are not part of this project: `ORBWEAVER_CONFORMANCE` names the folder that
 * holds them. Without it each suite is skipped under its own name, so that a run says what it did not judge.
 */
import { test } from 'node:test'

export function conformanceTest(name: string, check: (folder: string) => void): void {
  const folder = process.env['ORBWEAVER_CONFORMANCE'] ?? ''
  const skip = folder === '' && 'ORBWEAVER_CONFORMANCE names no folder with the published cases'
  test(name, { skip }, () => check(folder))
}
