/** The files of deploy/ name flags, variables and metrics that exist: no engine is needed to see that. Prometheus's own tool tries the alerts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { loadSettings } from '../src/app/config/load.ts'
import { readSeeds } from '../src/app/config/seeds.ts'
import type { CommandName } from '../src/app/config/setting.ts'
import { FACTS, filledMetrics } from '../src/cluster/server/sample-metrics.test-data.ts'

const folder = join(import.meta.dirname, '..', 'deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** The line as the program would read it, in a machine that has the files it names. */
function checkLine([command, ...flags]: readonly string[], env: Record<string, string>): void {
  const readFile = (path: string) =>
    path.endsWith('database-url') || path.endsWith('/database')
      ? 'postgres://orbweaver:x@localhost/orbweaver\n'
      : path.endsWith('orbweaver.yaml') && path !== '/data/orbweaver.yaml'
        ? read('orbweaver.yaml')
        : /\/join$/.test(path)
          ? 'a-secret-of-some-length\n'
          : undefined
  const { settings } = loadSettings(flags, command as CommandName, { env, readFile })
  assert.ok(settings.joinSecret === 'a-secret-of-some-length', `${command} has its secret`)
  if (command === 'serve') {
    assert.ok(settings.database?.startsWith('postgres:'))
    // A server on all addresses tells workers the name of its machine, else what it is told to tell.
    const announced = settings.publicUrl === undefined ? settings.host : new URL(settings.publicUrl).hostname
    assert.doesNotMatch(announced, /^(localhost|127\.)/)
  } else assert.ok(settings.server.length > 0)
}

test('compose.yaml starts servers and workers with flags that they take', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { command: string[]; environment?: Record<string, string>; secrets?: string[] }>
    secrets: Record<string, unknown>
  }
  let checked = 0
  for (const { command, environment = {}, secrets = [] } of Object.values(compose.services)) {
    for (const secret of secrets) assert.ok(secret in compose.secrets, `secret ${secret}`)
    if (command[0] === 'postgres') continue
    checkLine(command, environment)
    checked++
  }
  assert.equal(checked, 3)
})

test('the seed file that compose mounts is one with which a server starts', async () => {
  assert.deepEqual(await readSeeds({ args: [], file: join(folder, 'seeds.txt'), mayBeEmpty: true }), [])
})

test('the systemd units start what exists', () => {
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'))
  assert.deepEqual(units, ['orbweaver-server.service', 'orbweaver-worker.service'])
  for (const unit of units) {
    const text = read(unit)
    const line = /^ExecStart=\/usr\/bin\/env orbweaver (.*)$/m.exec(text)?.[1].split(' ') ?? []
    const env = Object.fromEntries(
      [...text.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [
        name,
        value.replace('%d', '/run/credentials'),
      ]),
    )
    // Signs of life come from systemd-notify, a process of its own (src/app/cli/heart.ts).
    for (const line of ['WatchdogSec=300', 'NotifyAccess=all']) assert.ok(text.split('\n').includes(line), line)
    if (text.includes('worker.env')) env['ORBWEAVER_SERVER'] = 'https://a.example.org https://b.example.org'
    checkLine(line, env)
  }
})

const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0
const withSystemd = { skip: canVerify ? false : 'there is no systemd-analyze (Debian: systemd)' }

test('systemd-analyze finds nothing wrong with the units', withSystemd, () => {
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))])
  assert.equal(status, 0, String(stderr))
  // Of other units of this machine it may complain.
  assert.doesNotMatch(String(stderr), /orbweaver-/)
})

test('the container file copies only what a tarball brings, and works in a folder that its user may write to', () => {
  const text = read('Containerfile')
  const copied = [...text.matchAll(/^COPY (.*)$/gm)].flatMap(([, names]) => names.split(' ').slice(0, -1))
  const { files } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8')) as { files: string[] }
  const brought = new Set(['package.json', 'package-lock.jso[n]', ...files])
  assert.deepEqual(copied, ['package.json', 'package-lock.jso[n]', 'bin', 'dist'])
  for (const name of copied) assert.ok(brought.has(name), `${name} is not in the tarball`)
  assert.ok(brought.has('deploy'), 'nor would this file be')
  const [, user] = /^USER (\S+)$/m.exec(text) ?? []
  const [, at] = [...text.matchAll(/^WORKDIR (\S+)$/gm)].at(-1) ?? []
  assert.equal(at, '/data')
  assert.ok(text.includes(`mkdir ${at} && chown ${user}:${user} ${at}`), `${at} belongs to ${user}`)
})

const grafana = JSON.parse(read('grafana/orbweaver.json')) as {
  panels: { title: string; targets?: { expr: string }[] }[]
}
const panelQueries = grafana.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
const alerts = parse(read('prometheus/alerts.yaml')) as {
  groups: { rules: { alert: string; expr: string; annotations: { description: string } }[] }[]
}
const alertQueries = alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ title: alert, expr })))

/** The names of samples, each with its labels. */
async function metricsThatExist(): Promise<Map<string, Set<string>>> {
  const { text } = await filledMetrics().page(FACTS)
  const known = new Map<string, Set<string>>()
  for (const [, name, labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const found = known.get(name) ?? new Set(['job', 'instance'])
    for (const [, label] of labels.matchAll(/(\w+)="/g)) found.add(label)
    known.set(name, found)
  }
  return known
}

test('alerts and the Grafana dashboard ask only for metrics and labels that exist', async () => {
  const known = await metricsThatExist()
  assert.ok(panelQueries.length > 30 && alertQueries.length > 8)
  for (const { title, expr } of [...panelQueries, ...alertQueries]) {
    const names = [...expr.matchAll(/\b(?:orbweaver|process|nodejs)_\w+/g)].map(([name]) => name)
    assert.ok(names.length > 0 || expr.startsWith('up{'), title)
    for (const name of names) assert.ok(known.has(name), `${title}: there is no ${name}`)
    const labels = new Set(names.flatMap((name) => [...(known.get(name) ?? [])]).concat('job', 'instance'))
    const asked = [
      ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list.split(/, */)),
      ...[...expr.matchAll(/[{,]\s*(\w+)=~?"/g)].map(([, label]) => label),
    ]
    for (const label of asked) assert.ok(labels.has(label), `${title}: none of ${names} has the label ${label}`)
  }
})

const promtool = spawnSync('promtool', ['--version']).status === 0
const withPromtool = { skip: promtool ? false : 'there is no promtool (Debian: prometheus)' }

function checkRules(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

test('promtool: the alerts fire when they should, and not when they should not', withPromtool, () => {
  checkRules(['check', 'rules', join(folder, 'prometheus', 'alerts.yaml')])
  checkRules(['test', 'rules', join(folder, 'prometheus', 'alerts.test.yaml')])
})

test('promtool: every query of the Grafana dashboard can be read', withPromtool, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'orbweaver-rules-'))
  try {
    const rules = panelQueries.map(({ expr }, n) => ({ record: `panel:query:${n}`, expr: expr.replace('$job', 'j') }))
    const path = join(scratch, 'panels.yaml')
    writeFileSync(path, stringify({ groups: [{ name: 'panels', rules }] }))
    checkRules(['check', 'rules', path])
  } finally {
    rmSync(scratch, { recursive: true })
  }
})
