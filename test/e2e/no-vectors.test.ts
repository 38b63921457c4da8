/** A processor without WebAssembly's vectors: slower code, the same collection. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crawl, folder, json, links, runTo, serve, sql } from './command.ts'

/** V8 needs this instruction set of x64 for vectors, and has a flag for it only there. */
const NO_VECTORS = '--no-enable-sse4-1'

test('without vectors the same is read and stored, with one note', {
  skip: process.arch === 'x64' ? false : `${NO_VECTORS} is a flag of x64`,
}, async (t) => {
  const text = `Ein Text mit 12 Zahlen, ${'x'.repeat(40)} und 漢字, am 3. March 2026. `.repeat(200)
  const pages: Record<string, string> = {}
  for (let i = 0; i < 12; i++) pages[i === 0 ? '/' : `/${i}`] = `<p>${text.slice(i)}</p>${links(`/${i + 1}`)}`
  const web = await serve(t, { 'a.test': pages })
  const [slow, fast] = [folder(t), folder(t)]
  const { stderr } = await runTo(0, crawl(web, slow, 'a.test'), { node: [NO_VECTORS] })
  const usual = await runTo(0, crawl(web, fast, 'a.test'))
  assert.equal(stderr.split('has no WebAssembly SIMD').length, 2, stderr)
  assert.doesNotMatch(usual.stderr, /SIMD/)
  const readings = (at: string) =>
    sql(
      at,
      `SELECT url, digest, CAST(text_digest AS TEXT) AS text, CAST(simhash AS TEXT) AS simhash FROM page WHERE outcome = 'kept' ORDER BY url`,
    )
  assert.equal(readings(fast).length, 12)
  assert.deepEqual(readings(slow), readings(fast))
  assert.ok((await json<{ ok: boolean }>(['verify', '-c', slow])).ok)
})
