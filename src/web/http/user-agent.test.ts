import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { isTakenName, userAgent } from './user-agent.ts'

test('we say who we are', () => {
  assert.equal(userAgent({ name: 'Orbweaver', version: '0.1.0' }), 'Orbweaver/0.1.0')
  assert.equal(
    userAgent({ name: 'My_Bot-x', version: '1', contact: 'https://example.org/bot?a=b' }),
    'My_Bot-x/1 (+https://example.org/bot?a=b)',
  )
})

test('what could not be said in robots.txt or in a header is an operator’s mistake', () => {
  for (const name of ['', 'Bot 1', 'bot/1', 'bot2', 'bött', 'a\r\nb']) {
    assert.throws(() => userAgent({ name, version: '1' }), Problem, name)
  }
  for (const version of ['', '1 2', '1\n']) assert.throws(() => userAgent({ name: 'b', version }), Problem)
  for (const contact of ['a b', 'a\r\nX: y', 'a)b', 'é', 'x'.repeat(201)]) {
    assert.throws(() => userAgent({ name: 'b', version: '1', contact }), Problem, contact)
  }
})

test('names of known crawlers and browsers are told from others', () => {
  for (const name of [
    'Googlebot',
    'GOOGLEBOT-Image',
    'AdsBot-Google',
    'bingbot',
    'YandexImages',
    'GPTBot',
    'ClaudeBot',
    'Mozilla',
  ])
    assert.equal(isTakenName(name), true, name)
  for (const name of ['Orbweaver', 'MyCrawler', 'Bingo', 'not-googlebot', 'Operational', 'Nutchy'])
    assert.equal(isTakenName(name), false, name)
})
