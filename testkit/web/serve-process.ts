/**
 * The served web in a process of its own, so that a crawler can be killed while its servers live on.
 *
 *   node serve-process.ts '{"web":{"seed":1,"sites":20},"addresses":"one","record":"requests.jsonl"}'
 *
 * Prints one line of JSON when it listens. A line `dump` on standard input writes the record and is answered by
 * `{"dumped":N}`; SIGTERM, or the end of standard input, writes it and ends the process.
 */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { realClock } from '../../src/base/clock.ts'
import type { WebOptions } from './options.ts'
import { serveWeb } from './serve.ts'
import { makeWeb } from './web.ts'

export interface ServeProcessArguments {
  web: WebOptions
  addresses: 'one' | 'many'
  port?: number
  tls?: boolean
  /** The file for the record, one JSON object a line; none is written when it is missing. */
  record?: string
  /** Bodies kept in memory. Default 256 MB. */
  keepBytes?: number
}

const given = JSON.parse(process.argv[2]) as ServeProcessArguments
const web = makeWeb(given.web, given.keepBytes ?? 256e6)
const { addresses, port, tls, record } = given
const served = await serveWeb(web, { clock: realClock, addresses, port, tls })

const say = (value: object) => process.stdout.write(JSON.stringify(value) + '\n')
const dump = () => {
  if (record !== undefined) writeFileSync(record, served.ledger.lines())
}
const end = () => {
  dump()
  process.exit(0)
}

process.on('SIGTERM', end)
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  if (line.trim() !== 'dump') return
  dump()
  say({ dumped: served.ledger.entries.length, dropped: served.ledger.dropped })
})
lines.on('close', end)
say({ port: served.port, pid: process.pid, resolveRules: served.resolveRules, certificate: served.certificate })
