/** Two names that stand for one folder: a page behind either is collected, and found by its name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawl, folder, kept, links, runTo, serve } from './command.ts'

test('two names of a folder’s index are both collected, whichever comes first; a single name is asked for once', async (t) => {
  const web = await serve(t, {
    'a.test': {
      '/': links('/both/', '/both/index.html', '/both/default.html', '/one/', '/one/index.html', '/late/default.html'),
      '/both/': 'the index',
      '/both/index.html': 'the index',
      '/both/default.html': 'another page',
      '/one/': 'one',
      '/one/index.html': 'one',
      '/late/default.html': links('/late/'),
      '/late/': links('/late/index.html'),
      '/late/index.html': 'an index that is not the folder’s',
    },
  })
  const at = folder(t)
  await runTo(0, crawl(web, at, 'a.test'))
  assert.deepEqual(kept(at), [
    'http://a.test/',
    'http://a.test/both/',
    'http://a.test/both/default.html',
    'http://a.test/both/index.html',
    'http://a.test/late/',
    'http://a.test/late/default.html',
    'http://a.test/late/index.html',
    'http://a.test/one/',
  ])
  const get = async (url: string) => (await runTo(0, ['get', url, '-c', at])).stdout
  assert.match(await get('http://a.test/both/default.html'), /another page/)
  assert.match(await get('http://a.test/both/index.html'), /the index/)
  await runTo(0, ['verify', '-c', at])
  const explain = await runTo(0, ['explain', 'http://a.test/both/default.html', '-c', at])
  assert.match(explain.stdout, /^http:\/\/a\.test\/both\/default\.html\n/)
})
