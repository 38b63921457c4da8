/** On what, and beside what, the figures were measured: without it they say nothing. */
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'

export interface Conditions {
  at: string
  orbweaver: string
  node: string
  cores: number
  cpu: string
  /** Of the last minute, before the benchmark began: far above 0, somebody else was at work. */
  load: number
}

export function conditions(): Conditions {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return {
    at: new Date().toISOString(),
    orbweaver: (JSON.parse(text) as { version: string }).version,
    node: process.versions.node,
    cores: availableParallelism(),
    cpu: cpus().at(0)?.model ?? 'unknown',
    load: Math.round(loadavg()[0] * 100) / 100,
  }
}

export function conditionsLine({ at, orbweaver, node, cores, cpu, load }: Conditions): string {
  return `${at.slice(0, 16).replace('T', ' ')} · orbweaver ${orbweaver} · Node ${node} · ${cores} × ${cpu} · load before: ${load}`
}
