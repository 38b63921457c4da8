import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from '../contracts/site-memory.ts'
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

test("a form's action that is missing in the first folders is not fetched in the others", async () => {
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

test('an action that exists is fetched, and a link to it is always followed', async () => {
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

/** A page that links to every folder: their forms are all read before the first answer to one. */
function hub(folders: number, more: Script = {}): Script {
  const numbers = Array.from({ length: folders }, (_, i) => i + 1)
  const script: Script = { [HOME]: { body: numbers.map((i) => `<a href="/f${i}/">${i}</a>`).join('') } }
  for (const i of numbers) script[`http://a.test/f${i}/`] = { body: `<p>folder ${i} ${'word '.repeat(i)}</p>${FORM}` }
  return { ...script, ...more }
}

test('waiting form actions are refused with the reason once enough are missing', async () => {
  const web = new Scripted(hub(20))
  const { parts, counts } = await web.visit({ agenda: [HOME] })
  assert.equal(searches(web).length, 3)
  assert.equal(counts.get('stopped:form-action'), 17)
  const pages = parts.flatMap(({ pages }) => pages).filter(({ url }) => url.endsWith('/f20/search.html'))
  const outcomes = pages.map(({ outcome }) => outcome)
  assert.equal(outcomes.length, 1)
  assert.ok(outcomes[0].kind === 'refused' && outcomes[0].by === 'hazard')
  assert.match(outcomes[0].rule, /^form-action: .* search\.html .* 3 of those are missing and none is there$/)
})

test('so are those queued by an earlier visit, unless a link leads to them too', async () => {
  const forms = [{ name: 'search.html', found: 0, missing: 3 }]
  const memory = { ...freshMemory(), forms }
  const url = 'http://a.test/f1/search.html'
  const visit = async (path: string, body: string) => {
    const web = new Scripted({ [HOME]: { body } })
    await web.visit({ agenda: [{ url: HOME }, { url, path }], visit: { memory } })
    return searches(web).length
  }
  assert.equal(await visit('LS', ''), 0)
  assert.equal(await visit('Ls', ''), 0)
  assert.equal(await visit('LL', ''), 1, 'a link led to it')
  assert.equal(await visit('LS', '<a href="/f1/search.html">x</a>'), 1, 'a link leads to it now')
})

test('a link to a URL that waits because of a form is reported', async () => {
  const url = 'http://a.test/f1/search.html'
  const told = async (body: string) => {
    const web = new Scripted({ [HOME]: { body }, 'http://a.test/b': { body: '<a href="/f1/search.html">x</a>' } })
    const { parts } = await web.visit({ agenda: [HOME, 'http://a.test/b'], visit: { limits: { pages: 2, time: 1e9 } } })
    assert.deepEqual(searches(web), [])
    return parts.flatMap(({ found }) => found.filter((link) => link.url === url).map(({ path }) => path))
  }
  const form = '<form action="/f1/search.html"></form>'
  assert.equal((await told(form)).at(-1)?.toUpperCase(), 'L', 'by another page')
  assert.equal((await told(`${form}<a href="/f1/search.html">x</a>`)).at(-1)?.toUpperCase(), 'L', 'by the same page')
})

test('a form and a link to the same page, on one page: the link counts', async () => {
  const last: Script = { 'http://a.test/f20/': { body: `${FORM}<a href="search.html">search</a>` } }
  const web = new Scripted(hub(20, last))
  await web.visit({ agenda: [HOME] })
  assert.ok(searches(web).includes('a.test/f20/search.html'))
})
