import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { contentOf, foldTitleSlowly, likeness, titleMark, toColumns } from './content.ts'
import { mark } from './marks.ts'
import { isSoft404, learnAnswer } from './soft-404.ts'
import { factsOf } from './traces.test-data.ts'

const factsAt = (path: string, html: string) => factsOf(path, 1, { html }, new Set(), new Set(), 0)

/** How the second page compares with the first. */
function compared(one: string, other: string): string {
  const [first, second] = [one, other].map((html) => contentOf(factsAt('/', html).content!))
  return likeness(second, toColumns(first), 0)
}

test('pages that differ only in names of over 30 characters are different', () => {
  const usage = (name: string) => `<html><head><title>Uses of Class ${name} (Java SE 17)</title></head><body>
    <ul><li>Overview<li>Module<li>Package<li>Class<li>Use<li>Tree<li>Preview<li>New<li>Deprecated<li>Index<li>Help</ul>
    <div>SEARCH:</div><h1>Uses of Class<br>java.nio.channels.${name}</h1>No usage of java.nio.channels.${name}<hr>
    <small>Report a bug or suggest an enhancement. Copyright 1993, 2023, Oracle and its affiliates</small></body></html>`
  assert.equal(compared(usage('ClosedSelectorException'), usage('ConnectionPendingException')), 'other')
  assert.equal(compared(usage('ClosedSelectorException'), usage('UnresolvedAddressException')), 'other')
  assert.equal(compared(usage('ClosedSelectorException'), usage('ClosedSelectorException')), 'same')
  const stub = (path: string) => `<html><head><title>Redirection</title></head><body>
    <p>Redirecting to <a href="${path}">${path}</a>...</p></body></html>`
  const folder = '../../../core/iter/traits/collect'
  assert.equal(compared(stub(`${folder}/trait.Extend.html`), stub(`${folder}/trait.Collect.html`)), 'other')
  const members = (type: string) => `<html><head><title>Ogre: Member List</title></head><body>
    <p>This is the complete list of members for ${type}, including all inherited members.</p><table>
    <tr><td>${type}::createTemplateFromScript(ScriptCompiler*)<tr><td>${type}::destroyAllInstancesOfType(uint32)</table>`
  assert.equal(compared(members('Ogre::ParticleAffector'), members('Ogre::OverlayContainer')), 'other')
})

test('an answer that names what was not found is known by its length, however long the names are', () => {
  const missing = (path: string) => `<html><head><title>Sorry</title></head><body><h1>Sorry</h1>
    <p>the page you look for is not here please go back to the beginning of the site ${path}</p>
    <ul><li><a href="/">home</a><li><a href="/help.html">help</a></ul></body></html>`
  const isSoft = (probed: string, path: string) => {
    const probe = learnAnswer(200, factsAt(probed, missing(probed)).content, probed)
    const page = factsAt(path, missing(path))
    return isSoft404(probe, page, contentOf(page.content!))
  }
  const [short, long] = ['/no-such-page-1a2b3c.html', '/no-such-page-1a2b3c4d5e6f7.html']
  for (const probed of [short, long])
    for (const path of ['/old/more/', '/old/miselmowen-fenponlosel-wensel.html'])
      assert.ok(isSoft(probed, path), `${probed} and ${path}`)
})

test('pages that differ in numbers and dates only have one title', () => {
  const same = (a: string, b: string) => assert.equal(titleMark(a), titleMark(b), `${a} | ${b}`)
  same('Events of 3 May 2031', 'Events of 12 June 2032')
  same('Photo 17 of 300', 'Photo 18 of 300')
  same('MONDAY, 4.', 'friday, 11.')
  same('Право человек 1', 'ПРАВО ЧЕЛОВЕК 27')
  assert.notEqual(titleMark('Photo 17 of a cat'), titleMark('Photo 17 of a dog'))
})

test('every letter of 16 bits, alone and in a word, is folded as the regular expressions say', () => {
  for (let unit = 0; unit < 0x10000; unit++) {
    const letter = String.fromCharCode(unit)
    const title = `a${letter}b ${letter} 3${letter}4 ${letter}${letter} 5`
    if (titleMark(title) !== mark(foldTitleSlowly(title))) assert.fail(`U+${unit.toString(16)}`)
  }
})

const word = fc.constantFrom(
  '#',
  '##',
  '-',
  ' ',
  '3',
  'Mai',
  'März',
  '٣',
  'ß',
  'İ',
  'ΟΔΟΣ',
  'हिन्दी',
  '½',
  'x²',
  '𐐷',
  '\ud801',
  'v2',
)
const title = fc.array(fc.oneof(word, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 30 })

test('any title, letter by letter and by regular expressions', () => {
  fc.assert(
    fc.property(title, fc.constantFrom('', ' '), (words, between) => {
      const text = words.join(between)
      assert.equal(titleMark(text), mark(foldTitleSlowly(text)))
    }),
    { numRuns: 3000 },
  )
})
