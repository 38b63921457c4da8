import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textHash } from '../../base/digest.ts'
import { textFolder } from './text.ts'

function fold(...parts: (string | 1 | 2)[]): string {
  const folder = textFolder()
  for (const part of parts) {
    if (typeof part === 'string') folder.add(part, 0, part.length)
    else folder.part(part)
  }
  folder.finish()
  return folder.text()
}

test('white space folds, gaps part, the larger gap counts', () => {
  assert.equal(fold('  a \n\t b', 'c', ' d '), 'a bc d')
  assert.equal(fold(2, 'a', 1, 2, 1, 'b', 1, 'c', 2), 'a\nb c')
  assert.equal(fold('a\u00a0\u3000\0\u0085b'), 'a b')
  assert.equal(fold('so\u00adft\u200b \ufeffx'), 'soft x')
})

const LONG = 'x'.repeat(31)

test('strings of over 30 characters without white space are left out, and the gaps around them are one (V14)', () => {
  assert.equal(fold(`a ${'x'.repeat(30)} b`), `a ${'x'.repeat(30)} b`)
  assert.equal(fold(`a ${LONG} b`), 'a b')
  assert.equal(fold(LONG), '')
  assert.equal(fold(`${LONG} b`), 'b')
  assert.equal(fold(`a ${LONG}`), 'a')
  assert.equal(fold('a', 2, LONG, 1, 'b'), 'a\nb')
  assert.equal(fold('a', 1, LONG, 2, 'b'), 'a\nb')
  assert.equal(fold('a http://www.example.org/a/b/c/d/e/f.html b'), 'a b')
  assert.equal(fold('x'.repeat(16), 'x'.repeat(16)), '', 'inline tags do not part')
  assert.equal(fold('x'.repeat(16), 1, 'x'.repeat(16)).length, 33)
})

test('scripts without spaces are no such strings; a long one amid them is', () => {
  const chinese = '我們在這裏寫一段沒有空格的文字'.repeat(5)
  const thai = 'ภาษาไทยเขียนโดยไม่เว้นวรรค'.repeat(5)
  const tibetan = 'བོད་ཀྱི་སྐད་ཡིག་ནི་'.repeat(5)
  for (const text of [chinese, thai, tibetan]) assert.equal(fold(text), text)
  assert.equal(fold(`${chinese}${LONG}${chinese}`), chinese + chinese)
  assert.equal(fold(`漢${LONG}`), '漢')
  assert.equal(fold(`漢${'y'.repeat(30)}字`), `漢${'y'.repeat(30)}字`)
})

function told(text: string) {
  const folder = textFolder()
  folder.add(text, 0, text.length)
  return { ...folder.finish(), text: folder.text() }
}

test('what is left out is counted, and is no word of the text', () => {
  const { words, strings, leftOut, text } = told(`one two ${LONG} three ${'a.b,'.repeat(3000)} four`)
  assert.equal(text, 'one two three four')
  assert.deepEqual([words, strings, leftOut], [4, 2, 31 + 12_000])
})

test('the digest is that of the text with the strings that are left out of it', () => {
  for (const text of [`a ${LONG} b`, LONG, `${LONG} b`, `a ${LONG}`, `漢${LONG}字 ${'y'.repeat(5000)}`, 'a b'])
    assert.equal(told(text).digest, textHash(text))
  const digestOf = (...parts: (string | 1 | 2)[]) => {
    const folder = textFolder()
    for (const part of parts) {
      if (typeof part === 'string') folder.add(part, 0, part.length)
      else folder.part(part)
    }
    return folder.finish().digest
  }
  assert.equal(digestOf('a', 2, LONG, 1, 'b', 1, LONG, 2, LONG, 2), textHash(`a\n${LONG} b ${LONG}\n${LONG}`))
})

test('pages that differ only in what is left out of their text have different digests', () => {
  const different = (...texts: string[]) => {
    assert.equal(new Set(texts.map((text) => told(text).text)).size, 1, 'the text is the same')
    assert.equal(new Set(texts.map((text) => told(text).digest)).size, texts.length)
  }
  const usage = (name: string) => `Uses of Class\n${name}\nNo usage of ${name}\nCopyright`
  different(
    usage('java.nio.channels.ClosedSelectorException'),
    usage('java.nio.channels.ConnectionPendingException'),
    usage('java.nio.channels.UnresolvedAddressException'),
  )
  const members = (...names: string[]) => `Member List\nThis is the complete list of members\n${names.join('\n')}`
  different(
    members('Ogre::ParticleSystemManager::createTemplate()', 'Ogre::ParticleSystemManager::getSingleton()'),
    members('Ogre::ParticleSystemManager::getSingleton()', 'Ogre::ParticleSystemManager::createTemplate()'),
    members('Ogre::ParticleSystemManager::getSingleton()'),
  )
  const stub = (path: string) => `Redirecting to ${path}...`
  different(
    stub('../../../core/iter/traits/trait.Iterator.html'),
    stub('../../../core/iter/traits/trait.Extend.html'),
    stub('../../../core/iter/traits/trait.DoubleEndedIterator.html'),
  )
  const data = (letter: string) => `Key ${'x'.repeat(5000)}${letter}${'x'.repeat(5000)} end`
  different(data('x'), data('y'), data('\u0178'), 'Key end')
})

test('a string longer than all text that is kept does not keep the text after it out', () => {
  const folder = textFolder(10_000)
  const text = `a ${'x'.repeat(100_000)} b`
  folder.add(text, 0, text.length)
  folder.finish()
  assert.equal(folder.text(), 'a b')
  assert.ok(!folder.cut)
})

test('leaving out is what a regular expression would do, however the text is cut in pieces', () => {
  const unit = fc.oneof(
    { arbitrary: fc.constant('abcdefg'), weight: 6 },
    fc.constantFrom(' ', '\n', '.', '你', '7', 'é'),
  )
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 20 }), (parts) => {
      const expected = parts
        .join('')
        .replace(/[^\s你]{31,}/g, '')
        .replace(/\s+/g, ' ')
        .trim()
      assert.equal(fold(...parts), expected)
    }),
    { numRuns: 500 },
  )
})

test('letters of every width survive', () => {
  assert.equal(fold('ação'), 'ação')
  assert.equal(fold('a你', '😀 b'), 'a你😀 b')
})

test('folding is what regular expressions would do, however the text is cut in pieces', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '\n', '.', 'é', '你', '\u00a0') })
  fc.assert(
    fc.property(fc.array(letters), (parts) => {
      assert.equal(fold(...parts), parts.join('').replace(/\s+/g, ' ').trim())
    }),
  )
})

test('a word cut by an inline tag is one word to the simhash', () => {
  const simhash = (...texts: string[]) => {
    const folder = textFolder()
    for (const text of texts) folder.add(text, 0, text.length)
    return folder.finish().simhash
  }
  assert.equal(simhash('one word'), simhash('one wo', 'rd'))
})

test('text is bounded, and says so; a character is never cut in two', () => {
  const folder = textFolder(12)
  folder.add('a😀'.repeat(100), 0, 300)
  folder.finish()
  assert.equal(folder.text(), 'a😀'.repeat(3) + 'a')
  assert.ok(folder.cut)
  folder.add('x', 0, 1)
})

test('long texts', () => {
  const long = 'word '.repeat(60_000)
  assert.equal(fold(long).length, long.length - 1)
})
