/** Seeds that an operator adds while everything falls: `orbweaver seed` on the shared database, killed now and then. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../src/base/random.ts'
import { startOrbweaver } from '../e2e/harness.ts'

const A_CALL = 3
const EVERY_MS = 6000
const MAX_TRIES = 100

export interface LateSeeds {
  readonly urls: readonly string[]
  /** Of a shared crawl. */
  readonly database: readonly string[]
  readonly random: Random
  killed(): void
}

/** A few at a time, each call until it says that it is done. */
export async function enterLate({ urls, database, random, killed }: LateSeeds): Promise<void> {
  for (let at = 0; at < urls.length; at += A_CALL) {
    await sleep(random.integer(EVERY_MS))
    await insist(['seed', ...urls.slice(at, at + A_CALL), ...database, '--quiet'], random, killed)
  }
}

/** While PostgreSQL is away the command fails: whoever gave it gives it again. */
async function insist(line: readonly string[], random: Random, killed: () => void): Promise<void> {
  let said = ''
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { child, done } = startOrbweaver(line)
    const isDoomed = random.next() < 0.3
    if (isDoomed) {
      await Promise.race([sleep(300 + random.integer(1200)), done])
      if (child.kill('SIGKILL')) killed()
    }
    const { code, stderr } = await done
    if (code === 0) return
    said = stderr
    await sleep(random.integer(1000))
  }
  throw new Error(`seeds were not taken ${MAX_TRIES} times: ${said}`)
}
