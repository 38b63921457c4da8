import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeApi } from './api-page.test-tools.ts'
import { CALLS, openApi } from './calls.ts'

const PAGE = new URL('../../../docs/reference/api.md', import.meta.url)

test('docs/reference/api.md is what the definitions say (run with UPDATE_DOCS=1 to write it anew)', () => {
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, describeApi())
  assert.equal(readFileSync(PAGE, 'utf8'), describeApi())
})

test('OpenAPI has every call, once, with its parameters and its body', () => {
  const { paths } = openApi('1') as { paths: Record<string, Record<string, Record<string, unknown>>> }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  assert.deepEqual(operations.map(({ operationId }) => operationId).sort(), Object.keys(CALLS).sort())
  const { parameters, requestBody } = paths['/api/v1/volumes/{name}'].put
  assert.deepEqual(
    (parameters as { name: string; in: string }[]).map(({ name, in: where }) => [where, name]),
    [
      ['path', 'name'],
      ['query', 'offset'],
      ['header', 'x-orbweaver-protocol'],
    ],
  )
  assert.ok('application/octet-stream' in (requestBody as { content: object }).content)
})
