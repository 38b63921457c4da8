import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPage } from '../reading.ts'
import { SCRIPT_CASES } from './script-links.test-data.ts'
import { scriptLinks } from './script-links.ts'

function found(script: string): string[] {
  const links: string[] = []
  scriptLinks(script, 0, script.length, (href) => links.push(href) > 0)
  return links
}

const read = (html: string) => readPage({ mediaType: 'text/html', charset: undefined, bytes: Buffer.from(html) })
const ofScripts = (html: string) => read(html).links.flatMap(({ href, kind }) => (kind === 'script' ? [href] : []))

test('precision and coverage on scripts in the manner of those in pages', (t) => {
  let right = 0
  let wrong = 0
  let missed = 0
  for (const { script, links } of SCRIPT_CASES) {
    const got = new Set(found(script))
    for (const link of links) {
      if (got.delete(link)) continue
      missed++
      t.diagnostic(`missed ${link} in ${script}`)
    }
    right += links.length
    wrong += got.size
    for (const link of got) t.diagnostic(`wrongly ${link} in ${script}`)
  }
  right -= missed
  t.diagnostic(`${right} right, ${wrong} wrong, ${missed} missed, of ${SCRIPT_CASES.length} scripts`)
  assert.ok(right / (right + wrong) >= 0.97, `precision ${right / (right + wrong)}`)
  assert.ok(right / (right + missed) >= 0.95, `coverage ${right / (right + missed)}`)
})

test('in inline scripts, handlers and javascript: references; not in data, import maps, templates', () => {
  const page = `<body onload="location='/load.html'"><script>go('in.html')</script><script type="text/javascript">go("in2.html")</script>
    <script type=module>go('in3.html')</script><script type="application/ld+json">{"url":"http://a.test/no.html"}</script>
    <script type="importmap">{"a":"no.html"}</script><script type="text/x-template"><a href='no.html'></script>
    <a href="javascript:popup('pop.html')" rel=nofollow>x</a><div onclick="window.open(&quot;/a/b.html&quot;)"></div>
    <template><script>go('no.html')</script></template><input option="go('no.html')"><style>'no.html'</style>`
  assert.deepEqual(ofScripts(page), ['/load.html', 'in.html', 'in2.html', 'in3.html', 'pop.html', '/a/b.html'])
  assert.ok(read(page).links.find(({ href }) => href === 'pop.html')?.nofollow)
})

test('each once a page, and at most 200', () => {
  assert.deepEqual(ofScripts(`<script>a('x.html'); b('x.html')</script><p onclick="a('x.html')">`), ['x.html'])
  const many = Array.from({ length: 300 }, (_, i) => `'p${i}.html'`).join()
  const reading = read(`<script>[${many}]</script><script>['q.html']</script>`)
  assert.equal(reading.links.length, 200)
  assert.deepEqual(reading.troubles, ['script-links>200'])
})

test('no script makes it throw or tell of what is no reference', () => {
  const bits = [
    "'",
    '"',
    '`',
    '\\',
    '/',
    '*',
    '//',
    '/*',
    '*/',
    '[',
    ']',
    '\n',
    '+',
    '${',
    '}',
    '=',
    'x.html',
    'http://a.test/b',
  ]
  const part = fc.oneof(fc.constantFrom(...bits, 'location=', 'open(', '<a href="'), fc.string({ maxLength: 4 }))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      for (const href of found(parts.join(''))) {
        assert.ok(href.length > 1 && href.length <= 2048)
        assert.doesNotMatch(href, /[\s<>"'`{}\\$|^*]/)
      }
    }),
    { numRuns: 1000 },
  )
})
