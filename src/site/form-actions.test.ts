import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Script, Scripted } from './scripted.test-data.ts'

const HOME = 'http://a.test/'
const FORM = '<form action="search.html"><input name=q></form>'

/** A chain of folders, each with a form whose action is relative, as a template writes it. */
function chain(length: number, more: Script = {}): Script {
  const script: Script = { [HOME]: { body: `${FORM}<a href="/f1/">1</a>` } }
  for (let i = 1; i <= length; i++)
    script[`http://a.test/f${i}/`] = {
      body: `<p>folder ${i} ${'word '.repeat(i)}</p>${FORM}<a href="/f${i + 1}/">next</a>`,
    }
  return { ...script, ...more }
}

const searches = (web: Scripted) => web.pagesAsked.filter((url) => url.endsWith('/search.html'))

test('the action of a form that is missing in the first folders is not asked for in the others', async () => {
  const web = new Scripted(chain(20))
  const { parts, counts } = await web.visit({ agenda: [HOME] })
  assert.ok(web.pagesAsked.includes('a.test/f20/'), 'the pages themselves are all asked for')
  assert.ok(searches(web).length >= 3 && searches(web).length <= 5, searches(web).join())
  assert.ok((counts.get('stopped:form-action') ?? 0) >= 15)
  const { memory } = parts.at(-1)!
  assert.equal(memory.forms?.[0].name, 'search.html')
  const later = new Scripted({ 'http://a.test/g/': { body: FORM } })
  await later.visit({ agenda: ['http://a.test/g/'], visit: { memory: { ...memory, robots: {} } } })
  assert.deepEqual(searches(later), [], 'the next visit knows it')
})

test('where it exists it is asked for, and a link to it is always followed', async () => {
  const found: Script = {}
  for (let i = 1; i <= 10; i++) found[`http://a.test/f${i}/search.html`] = { body: `search ${i}` }
  const web = new Scripted(chain(10, found))
  await web.visit({ agenda: [HOME] })
  assert.equal(searches(web).length, 11)
  const last = { 'http://a.test/f12/': { body: `${FORM}<a href="search.html">search</a>` } }
  const linked = new Scripted(chain(12, last))
  await linked.visit({ agenda: [HOME] })
  assert.ok(searches(linked).includes('a.test/f12/search.html'))
})
