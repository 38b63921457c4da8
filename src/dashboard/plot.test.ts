import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csv, type Plot, plot, plotCsv } from './plot.ts'

const axis = (label: string) => ({ label, text: (n: number) => `${n}` })
const plain = (kind: Plot['kind'], ...series: Plot['series'][number]['points'][]): Plot => ({
  ...{ title: 'A <b>figure</b>', kind, x: axis('day'), y: axis('pages') },
  series: series.map((points, i) => ({ name: `line ${i}`, points })),
})
const at = (x: number, y: number) => ({ x, y })

test('lines, points and bars have no number that is none, whatever they show', () => {
  const cases = [
    [[at(1, 5)]],
    [[at(0, 0)], [at(0, 0)]],
    [[at(1, 3), at(2, 1e12)], []],
    [Array.from({ length: 300 }, (_, i) => at(i, i % 7))],
  ]
  for (const kind of ['lines', 'points', 'bars'] as const)
    for (const points of cases) {
      const { text } = plot(plain(kind, ...points))
      assert.doesNotMatch(text, /NaN|Infinity|undefined|<b>/)
      assert.match(text, /role="img" aria-label="A &lt;b&gt;figure/)
      assert.ok(text.length < 100_000, `${text.length} characters`)
    }
  assert.match(plot(plain('lines', [])).text, /Nothing was measured yet/)
})

test('bars stand on each other: their heights are the parts of the whole', () => {
  const { text } = plot(plain('bars', [at(1, 25)], [at(1, 75)]))
  const bars = [...text.matchAll(/<rect class="bar q(\d)" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/g)]
  const [[, , top0, height0], [, , top1, height1]] = bars
  assert.equal(Number(height1), 3 * Number(height0))
  assert.equal(Number(top1) + Number(height1), Number(top0))
})

test('the CSV has exact values, one column per line, gaps where there is none', () => {
  const figure = plain('lines', [at(0, 1 / 3), at(86_400_000, 2)], [at(86_400_000, 3)])
  assert.equal(
    plotCsv({ ...figure, x: { ...figure.x, isTime: true } }),
    'day,line 0,line 1\r\n1970-01-01T00:00:00.000Z,0.3333333333333333,\r\n1970-01-02T00:00:00.000Z,2,3\r\n',
  )
})

test('no cell of a CSV is a formula; numbers stay numbers', () => {
  const rows = [
    ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '-'],
    ['-5', '-1.5%', 'a,"b"', 'line\nfeed', '12 kB'],
  ]
  assert.equal(csv(rows), `'=1+1,'+cmd|x,'-2+3,'@SUM(A1),-\r\n-5,-1.5%,"a,""b""","line\nfeed",12 kB\r\n`)
})
