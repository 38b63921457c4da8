/** A rival: where it comes from, how it is started, and what it leaves behind. Found outside the repository, or missing. */
import { execFile } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type Measured, runMeasured } from '../../measure/run-measured.ts'
import type { Coding, Scene } from '../crawler.ts'

export interface Rival {
  /** As `--only` names it. */
  name: string
  /** Its folder among the rivals, if several share one. */
  folder?: string
  /** What is on the disk afterwards. */
  stores: string
  /** Whether its queue survives a kill. */
  queue: string
  /** How it was set, where that is not plain from its file. */
  settings: string
  /** The answers that it can be given. */
  codings: readonly Coding[]
  /** It asks for names even where a proxy needs none. */
  asksNames?: boolean
  /** Its own folder among the rivals is given. A sentence says why it is missing. */
  find(home: string): Promise<Found | string>
  /** Brings it there. Needs the network, and the tools of its language. */
  install?(home: string): Promise<void>
  run(found: Found, scene: RivalScene): Promise<Measured>
}

export interface Found {
  version: string
  /** What is started. */
  program: string
  home: string
}

export interface RivalScene extends Scene {
  coding: Coding
}

export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orbweaver-bench-rivals')
}

const INSTALL_MS = 30 * 60_000
const VERSION_MS = 60_000

export async function installStep(program: string, args: readonly string[], cwd: string): Promise<void> {
  await text(program, args, { cwd, timeout: INSTALL_MS })
}

/** What a program prints; undefined when it cannot be run. */
export async function printed(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return await text(program, args, { timeout: VERSION_MS })
  } catch {
    return undefined
  }
}

async function text(program: string, args: readonly string[], options: { cwd?: string; timeout: number }) {
  const { stdout, stderr } = await promisify(execFile)(program, args, { ...options, maxBuffer: 64e6 })
  return stdout + stderr
}

/** Our few lines in a rival's own language. */
export const PROGRAMS = join(import.meta.dirname, 'programs')

/** Whether what lies there was made from these lines of ours. */
export function isSame(made: string, ours: string): boolean {
  try {
    return readFileSync(made, 'utf8') === readFileSync(ours, 'utf8')
  } catch {
    return false
  }
}

/** A rival that ended in its own way, or because the time was up; another code is a failure. */
export async function runRival(
  program: string,
  args: readonly string[],
  scene: RivalScene,
  codes: readonly number[] = [0],
): Promise<Measured> {
  const { end, folder } = scene
  // Whatever it does not tell its own proxy still stays on this machine.
  const env = { ...process.env, http_proxy: proxyOf(scene), https_proxy: proxyOf(scene), no_proxy: '' }
  const measured = await runMeasured(program, args, { end, cwd: folder, env })
  if (end.aborted || (measured.code !== null && codes.includes(measured.code))) return measured
  const words = `${measured.stdout}\n${measured.stderr}`.trim().slice(-1500)
  throw new Error(`ended with code ${measured.code}: ${words}`)
}

export const proxyOf = ({ web }: Scene) => `http://127.0.0.1:${web.port}`

/** Debian's packages lie where all programs do. */
export async function installPackage(name: string): Promise<void> {
  await installStep('apt-get', ['install', '-y', '--no-install-recommends', name], '/')
}

export async function download(url: string, file: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(INSTALL_MS) })
  if (!answer.ok || answer.body === null) throw new Error(`${url}: ${answer.status}`)
  await pipeline(answer.body, createWriteStream(file))
}
