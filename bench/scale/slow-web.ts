/** Sites that answer late, for as long as a benchmark needs them: `await using web = await serveSlowWeb(…)`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SlowServerOptions, SlowStand } from './slow-server.ts'

export interface SlowWeb extends AsyncDisposable {
  readonly port: number
  stand(): Promise<SlowStand>
}

export const seedsOf = (sites: number) =>
  Array.from({ length: sites }, (_, site) => `http://site-${`${site}`.padStart(8, '0')}.test/`)

export async function serveSlowWeb(options: SlowServerOptions): Promise<SlowWeb> {
  const child = fork(join(import.meta.dirname, 'slow-server.ts'), [JSON.stringify(options)], { execArgv: [] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    async stand() {
      child.send('stand')
      const [stand] = (await once(child, 'message')) as [SlowStand]
      return stand
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}
