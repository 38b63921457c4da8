import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lineChart } from './line-chart.ts'

const CHART = {
  title: 'Stale & fresh',
  x: 'θ',
  y: 'staleness',
  at: [0, 1, 2],
  series: [
    { name: 'a', values: [0.1, 0.2, 0.3] },
    { name: 'b', values: [0.3, undefined, 0.1] },
  ],
}

test('a chart has its title, axes with ticks, a legend and a mark for every value', () => {
  const svg = lineChart(CHART)
  for (const words of ['Stale &amp; fresh', '>θ<', '>staleness<', '>a<', '>b<', '>0.0<', '>0.3<', '>2<'])
    assert.ok(svg.includes(words), words)
  // Three and two values, and one mark each in the legend.
  assert.equal(svg.match(/<circle/g)?.length, 3 + 2 + 2)
  assert.equal(svg.match(/stroke-dasharray="7 4"/g)?.length, 2, 'the second line is dashed, in the legend too')
})

test('words on the axis stand apart and are not joined by lines', () => {
  const svg = lineChart({ ...CHART, at: ['x', 'y', 'z'], from: 1, series: [{ name: 'a', values: [1, 1.5, 2.2] }] })
  assert.ok(!svg.includes('stroke-dasharray'))
  for (const words of ['>x<', '>z<', '>1.0<', '>1.5<']) assert.ok(svg.includes(words), words)
})
