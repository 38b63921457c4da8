/**
 * Tests over cases that others published. They are not part of this project: `ORBWEAVER_CONFORMANCE` names the folder that
 * holds them, and where there is none, there is nothing to test and nothing is said to be skipped.
 */
import { test } from 'node:test'

export function conformanceTest(name: string, check: (folder: string) => void): void {
  const folder = process.env['ORBWEAVER_CONFORMANCE']
  if (folder !== undefined && folder !== '') test(name, () => check(folder))
}
