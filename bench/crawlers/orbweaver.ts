/** Orbweaver as its user starts it: everything on, the pause switched off for these hosts by the ordinary flag. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type Measured, type MeasureOptions, runMeasured } from '../measure/run-measured.ts'
import type { Connections } from '../web/page-server.ts'
import type { ServedWeb } from '../web/served-web.ts'
import type { Coding, Crawler } from './crawler.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** `written`: as always. `dropped`: compressed, and the bytes thrown away. `none`: not even made. */
export type Volumes = 'written' | 'dropped' | 'none'

/** How it finds the web when it is not told by `--resolve` where plain http leads. */
export type Way = { name: string; secure?: Connections; byName?: boolean; viewers?: number }

export const orbweaver = (coding: Coding, volumes: Volumes, way?: Way): Crawler => ({
  name: way?.name ?? `${coding}-${volumes}`,
  cells: [
    'orbweaver',
    way === undefined ? coding : `${coding}, ${way.name}`,
    volumes === 'written' ? 'WARC' : `WARC, ${volumes}`,
  ],
  coding,
  secure: way?.secure,
  byName: way?.byName,
  async run({ web, folder, seedFile, documents, workers, profile, end: timeUp }) {
    const find = way?.byName === true ? asksNames(web) : ['--resolve', `*.test=127.0.0.1:${web.port}`]
    const threads = workers === 0 ? [] : ['--workers', `${workers}`]
    const viewers = way?.viewers === undefined ? undefined : await openViewers(way.viewers)
    const flags = [...find, '--pause-for', '*.test=0s', ...threads, ...(viewers?.flags ?? [])]
    const nodeFlags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
    const collection = join(folder, 'collection')
    const run = { folder: collection, seedFile, port: web.port, volumes, flags, nodeFlags }
    const end = await runOrbweaver(run, { end: timeUp }).finally(() => viewers?.close())
    if (viewers?.seen() === 0) throw new Error('nobody saw the dashboard')
    if (end.documents !== documents) throw new Error(`${end.documents} documents were kept, ${documents} are right`)
    if (readdirSync(join(collection, 'archive')).length > 0 !== (volumes === 'written'))
      throw new Error(`volumes ${volumes} is not what was done`)
    return end
  },
})

/** Browsers ask for the page that they show this often (`dashboard/assets/live.js`). */
const RENEWED_MS = 2000

/** So many open overviews of the dashboard. */
async function openViewers(count: number): Promise<{ flags: string[]; seen(): number; close(): void }> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  let seen = 0
  const look = async () => {
    // Before it begins and after it ends nobody answers.
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer !== undefined && (await answer.text()).includes('<main')) seen++
  }
  const timers: NodeJS.Timeout[] = []
  for (let i = 0; i < count; i++)
    timers.push(setTimeout(() => timers.push(setInterval(look, RENEWED_MS)), (i / count) * RENEWED_MS))
  return {
    flags: ['--dashboard', `127.0.0.1:${port}`],
    seen: () => seen,
    close: () => timers.forEach(clearTimeout),
  }
}

function asksNames({ names }: ServedWeb): string[] {
  if (names === undefined || names.missing !== undefined)
    throw new Error(`names lead to ports 80 and 8080, and they cannot be had here: ${names?.missing}`)
  return ['--dns-servers', `127.0.0.1:${names.port}`, '--allow-private']
}

export interface OrbweaverRun {
  folder: string
  seedFile: string
  port: number
  volumes: Volumes
  /** More flags of `orbweaver crawl`. */
  flags: readonly string[]
  /** More flags of node: `--cpu-prof`. */
  nodeFlags?: readonly string[]
}

export interface OrbweaverEnd extends Measured {
  documents: number
}

export async function runOrbweaver(run: OrbweaverRun, options: MeasureOptions = {}): Promise<OrbweaverEnd> {
  const without = run.volumes === 'written' ? [] : ['--import', join(ROOT, 'bench', 'volumes', `${run.volumes}.ts`)]
  const flags = [
    '-c',
    run.folder,
    '--seeds',
    run.seedFile,
    '--contact',
    'https://crawler.example/',
    '--quiet',
    '--json',
  ]
  const args = [...(run.nodeFlags ?? []), ...without, ...asStarted(), 'crawl', ...flags, ...run.flags]
  const measured = await runMeasured(process.execPath, args, { ...options, env: plainEnvironment() })
  if (measured.code !== 0) throw new Error(`orbweaver ended with code ${measured.code}:\n${measured.stderr}`)
  const { documents } = JSON.parse(measured.stdout) as { documents: number }
  return { ...measured, documents }
}

/** Variables of the machine are no settings of the benchmark. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(ORBWEAVER_|NODE_(TEST|OPTIONS|V8))/.test(name)),
  )
}

/** How `npm start` starts the program: what it tells Node is part of what is measured. */

/** The arguments of Node up to those of the program. */
export function asStarted(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [node, ...args] = scripts.start.split(' ')
  const program = args.pop()
  if (node !== 'node' || program === undefined) throw new Error(`npm start is not as expected: ${scripts.start}`)
  return [...args, join(ROOT, program)]
}
