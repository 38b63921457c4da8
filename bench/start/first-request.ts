/** When a crawl's first request arrives, by the clock of the server that is asked. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { plainEnvironment } from '../crawlers/orbweaver.ts'
import { runMeasured } from '../measure/run-measured.ts'
import { temporaryFolder } from '../measure/temporary-folder.ts'

export interface Start {
  firstRequestMs: number
  endMs: number
  cpuMs: number
}

const PAGE = '<!doctype html><title>One page</title><p>There is no other.</p>'
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`

/** A site of one page. `next` resolves with the time of the next request. */
export async function onePageSite(): Promise<AsyncDisposable & { port: number; next(): Promise<number> }> {
  let asked = (_at: number) => {}
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      asked(performance.now())
      socket.write(ANSWER)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    next: () => new Promise((resolve) => (asked = resolve)),
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** One crawl of one page with that program. */
export async function startOnce(program: string, site: Awaited<ReturnType<typeof onePageSite>>): Promise<Start> {
  using folder = temporaryFolder()
  const first = site.next()
  const flags = ['-c', join(folder.path, 'collection'), '--contact', 'https://crawler.example/', '--quiet']
  const way = ['--resolve', `*.test=127.0.0.1:${site.port}`, '--pause-for', '*.test=0s']
  const begun = performance.now()
  const end = await runMeasured(process.execPath, [program, 'crawl', 'http://site.test/', ...flags, ...way], {
    env: plainEnvironment(),
  })
  const endMs = performance.now() - begun
  if (end.code !== 0) throw new Error(`orbweaver ended with code ${end.code}:\n${end.stderr}`)
  return { firstRequestMs: (await first) - begun, endMs, cpuMs: end.cpuSeconds * 1000 }
}
