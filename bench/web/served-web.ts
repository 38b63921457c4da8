/** A web served by a process of its own, for as long as a benchmark needs it: `await using web = await serveBenchWeb(…)`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FromServer, Manner, Names, PageServerOptions, Stand, ToServer } from './page-server.ts'

export interface ServedWeb extends AsyncDisposable {
  readonly port: number
  readonly names: Names | undefined
  /** Counts from nothing again, and answers in this manner from now on. */
  begin(manner: Manner): void
  /** What has been asked since, and what answering has cost. */
  stand(): Promise<Stand>
  [Symbol.asyncDispose](): Promise<void>
}

export async function serveBenchWeb(options: PageServerOptions): Promise<ServedWeb> {
  const child = fork(join(import.meta.dirname, 'page-server.ts'), [JSON.stringify(options)], { execArgv: [] })
  const { port, names } = await next(child, 'listening')
  return {
    port,
    names,
    begin: (manner) => void child.send({ kind: 'begin', ...manner } satisfies ToServer),
    async stand() {
      child.send({ kind: 'stand' } satisfies ToServer)
      return next(child, 'stand')
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}

function next<K extends FromServer['kind']>(child: ChildProcess, kind: K): Promise<FromServer & { kind: K }> {
  return new Promise((resolve, reject) => {
    const heard = (message: FromServer) => {
      if (message.kind !== kind) return
      child.off('message', heard)
      child.off('exit', gone)
      resolve(message as FromServer & { kind: K })
    }
    const gone = () => reject(new Error('the served web ended too early'))
    child.on('message', heard)
    child.once('exit', gone)
  })
}
