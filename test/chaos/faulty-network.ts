/** A way between workers and a server that can be cut, slowed and stopped: a TCP proxy on loopback. */
import { connect, createServer, type Socket } from 'node:net'

export interface FaultyWay extends AsyncDisposable {
  readonly url: string
  /** Every connection ends at once, in the middle of whatever it carries. */
  cut(): void
  /** Nothing passes for so long; nobody is told. */
  stall(ms: number): void
}

export async function faultyWay(port: number): Promise<FaultyWay> {
  const open = new Set<Socket>()
  let stalled: Promise<void> = Promise.resolve()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    const end = () => {
      near.destroy()
      far.destroy()
      open.delete(near)
    }
    open.add(near)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      from.on('data', (bytes: Buffer) => {
        from.pause()
        stalled.then(() => {
          if (!to.destroyed) to.write(bytes)
          from.resume()
        })
      })
      from.once('error', end)
      from.once('close', end)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${own}`,
    cut() {
      for (const socket of open) socket.resetAndDestroy()
    },
    stall(ms) {
      stalled = new Promise((resolve) => setTimeout(resolve, ms))
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
