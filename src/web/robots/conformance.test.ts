/** Cases published by others, when they are at hand (`ORBWEAVER_CONFORMANCE` names their folder). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { parseRobots } from './robots.ts'

interface Suite {
  groups: {
    file: string
    cases: { robotsBase64: string; checks: { url: string; agent: string; allowed: boolean }[] }[]
  }[]
}

/** Where we differ on purpose, and why. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'correctness/non-ascii-paths.textproto http://foo.bar/foo/bar/baz':
    'Allow: /foo/bar/%62%61%7A: RFC 9309 §2.2.2 decodes unreserved characters before comparing, Google does not',
}

conformanceTest("Google's cases for robots.txt", (folder) => {
  const suite: Suite = JSON.parse(readFileSync(`${folder}/robots/google-spec-test.json`, 'utf8'))
  let passed = 0
  const differing: string[] = []
  for (const { file, cases } of suite.groups) {
    for (const { robotsBase64, checks } of cases) {
      const bytes = Buffer.from(robotsBase64, 'base64')
      for (const { url, agent, allowed } of checks) {
        const path = url.replace(/^https?:\/\/[^/]*/, '').replace(/#.*$/, '')
        const answer = parseRobots(bytes, agent).permits(path)
        if (answer.allowed === allowed) passed++
        else if (DIFFERENCES[`${file} ${url}`] !== undefined) differing.push(url)
        else assert.fail(`${file}: ${agent} ${url} should be ${allowed}, decided by "${answer.rule}"`)
      }
    }
  }
  assert.equal(differing.length, Object.keys(DIFFERENCES).length, 'every difference that we name is one')
  assert.equal(passed + differing.length, 400)
})
