import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askCurl, askOurs, askUndici, curlVersion, ODD_ANSWERS, served } from './http-answers.ts'

const curl = await curlVersion()

test('there are many odd answers, each once', () => {
  assert.ok(ODD_ANSWERS.length >= 40)
  assert.equal(new Set(ODD_ANSWERS.map((odd) => odd.name)).size, ODD_ANSWERS.length)
})

test('odd and malformed answers become what the documentation says', async () => {
  for (const odd of ODD_ANSWERS) assert.equal(await served(odd, askOurs), odd.ours, odd.name)
})

test('sound answers are read alike by curl', { skip: curl === undefined && 'no curl on this machine' }, async () => {
  for (const odd of ODD_ANSWERS) if (odd.sound) assert.equal(await served(odd, askCurl), odd.ours, odd.name)
})

test('sound answers are read alike by undici', async () => {
  for (const odd of ODD_ANSWERS) if (odd.sound) assert.equal(await served(odd, askUndici), odd.ours, odd.name)
})
