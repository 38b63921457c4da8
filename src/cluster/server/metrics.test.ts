/** The page for Prometheus, as its own tools read it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Metrics } from './metrics.ts'
import { FACTS, filledMetrics } from './sample-metrics.test-data.ts'

test('everything is counted, with labels that are few', async () => {
  const { text, type } = await filledMetrics().page(FACTS)
  assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of [
    'orbweaver_parts_applied_total 2',
    'orbweaver_pages_applied_total 3',
    'orbweaver_parts_stored_total 5',
    'orbweaver_troubles_total 1',
    'orbweaver_mails_total{result="failed"} 1',
    'orbweaver_hazards_total{rule="site-urls"} 2',
    'orbweaver_hazards_total{rule="maze"} 1',
    'orbweaver_answer_seconds_bucket{le="0.05"} 1',
    'orbweaver_answer_seconds_count 2',
    'orbweaver_pause_seconds_bucket{le="2"} 1',
    'orbweaver_pause_seconds_sum 32',
    'orbweaver_apply_seconds_sum 0.02',
    'orbweaver_check_out_seconds_count 1',
    'orbweaver_calls_total{call="checkOut",result="ok"} 1',
    'orbweaver_call_bytes_total{call="checkOut"} 340',
    'orbweaver_call_seconds_bucket{le="2.5",call="checkOut"} 1',
    'orbweaver_failures_total{kind="dns"} 7',
    'orbweaver_refused_total{by="robots"} 3',
    'orbweaver_stopped_urls_total{rule="maze"} 12',
    'orbweaver_answers_total{status="200"} 80',
    'orbweaver_visit_seconds_total{operation="download"} 1.5',
    'orbweaver_counted_total{what="requests"} 100',
    'orbweaver_problems{kind="disk"} 2',
    'orbweaver_problems{kind="inbox"} 0',
    'orbweaver_disk_free_bytes{folder="/var/lib/orb \\"1\\"\\\\"} 5000000000',
    'orbweaver_restarts 2',
    'orbweaver_statements_total{kind="select"} 10',
    'orbweaver_freshness 0.9',
    'orbweaver_workers{state="silent"} 1',
    'orbweaver_database_up 1',
  ])
    assert.ok(text.split('\n').includes(line), line)
  assert.match(text, /^process_cpu_seconds_total /m)
})

test('strangers cannot make labels without end', async () => {
  const metrics = new Metrics()
  const hazards = Array.from({ length: 500 }, (_, n) => `rule-${n}`)
  metrics.count({ kind: 'applied', parts: 1, pages: 0, tookMs: 1, seen: { answersMs: [], pausesMs: [], hazards } })
  const counters = new Map(hazards.map((name, n) => [`failure:${name}"\n${n}`, 500 - n]))
  const { text } = await metrics.page({ ...FACTS, crawl: { ...FACTS.crawl!, counters } })
  assert.equal(text.match(/^orbweaver_hazards_total\{/gm)?.length, 61)
  assert.equal(text.match(/^orbweaver_failures_total\{kind="[\w.-]+"\} \d+$/gm)?.length, 61)
  const plain = new Map(hazards.map((name, n) => [`${name}"\n${n}`, 500 - n]))
  const page = await metrics.page({ ...FACTS, crawl: { ...FACTS.crawl!, counters: plain } })
  assert.equal(page.text.match(/^orbweaver_counted_total\{what="[\w.-]+"\} \d+$/gm)?.length, 62)
  assert.match(page.text, /^orbweaver_counted_total\{what="requests"\} 0$/m)
})

test('without the database only what the process knows is shown, and no zero that is none', async () => {
  const { text } = await filledMetrics().page({ ...FACTS, crawl: undefined })
  assert.match(text, /^orbweaver_database_up 0$/m)
  assert.match(text, /^orbweaver_parts_applied_total 2$/m)
  assert.doesNotMatch(text, /orbweaver_inbox_parts|orbweaver_urls/)
})

test('OpenMetrics for those who ask for it', async () => {
  const metrics = filledMetrics()
  const { text, type } = await metrics.page(FACTS, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
  assert.equal(type, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  assert.ok(text.endsWith('# EOF\n'))
  // A family is named once, without the suffix of its samples, and nothing else has that name.
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, of]) => ({ name, of }))
  assert.equal(new Set(families.map(({ name }) => name)).size, families.length)
  assert.ok(families.every(({ name }) => !name.endsWith('_total')))
  assert.ok(families.some(({ name, of }) => name === 'orbweaver_counted' && of === 'counter'))
  assert.match(text, /^orbweaver_counted_total\{what="requests"\} 100$/m)
  assert.doesNotMatch(text, /\n\n|Nan\b/)
  // Who asks for the other format next gets its names.
  const plain = (await metrics.page(FACTS)).text
  assert.match(plain, /^# TYPE orbweaver_parts_applied_total counter\norbweaver_parts_applied_total 2$/m)
})

const promtool = spawnSync('promtool', ['--version']).status === 0

test('promtool finds nothing wrong', {
  skip: promtool ? false : 'there is no promtool (Debian: prometheus)',
}, async () => {
  const { text } = await filledMetrics().page(FACTS)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})
