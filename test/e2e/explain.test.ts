/** `explain` on URLs that were passed over: the reason is the true one, or it says that it does not know. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawl, folder, runTo, serve } from './command.ts'

const FORM = '<form action="search.html"><input name=q></form>'

test('a style, a nofollow, and a form in vain', async (t) => {
  const folders = Array.from({ length: 8 }, (_, i) => `/f${i}/`)
  const pages = folders.map((path, i) => [path, `<p>${'word '.repeat(i)}</p>${FORM}`])
  const web = await serve(t, {
    'a.test': {
      '/': `<link rel=stylesheet href="/style"><a rel=nofollow href="/hidden">x</a>${folders.map((path) => `<a href="${path}">x</a>`).join('')}<a href="/late/">x</a><a href="/both/">x</a><a href="/both/default.html">x</a>`,
      '/both/': 'the folder',
      '/both/default.html': '<link rel=stylesheet href="/own-style">a page of its own',
      ...Object.fromEntries(pages),
      '/late/': '<p>late</p><a href="/late/deep/">x</a>',
      '/late/deep/': `<p>deep</p><a href="/late/deep/er/">x</a>`,
      '/late/deep/er/': `<p>deeper</p>${FORM}`,
    },
  })
  const at = folder(t)
  await runTo(0, [...crawl(web, at, 'a.test'), '--media-types', '*/*'])
  const explain = async (path: string) => (await runTo(0, ['explain', `http://a.test${path}`, '-c', at])).stdout
  assert.match(await explain('/style'), /although pages embed it\.\n +Not followed: pages only show it/)
  assert.match(await explain('/own-style'), /although pages embed it\./, 'the page that does has a key of its own')
  assert.match(await explain('/hidden'), /although pages link to it\.\n.*say nofollow/)
  const [waiting, found] = ['/f7/search.html', '/late/deep/er/search.html']
  assert.match(
    await explain(waiting),
    /Not collected: hazard \(form-action: .* 3 of those are missing and none is there\)/,
  )
  assert.match(await explain(found), /although pages have forms that lead to it\.\n +Not followed: form-action: /)
  assert.equal(web.paths('a.test').filter((path) => path.includes('search.html')).length, 3)
})
