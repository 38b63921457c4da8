/** One size, measured in a process of its own: its memory is the frontier's. Either it is filled first, or found as it is. */
import { performance } from 'node:perf_hooks'
import type { Visit } from '../../src/visit/visit.ts'
import { type Filled, fill } from './fill.ts'
import { checkOut, type FrontierFigures, measureFrontier } from './measure.ts'
import { NumberedWeb, type Size } from './numbered-web.ts'
import { type OpenedFrontier, sqliteFrontier } from './opened.ts'

export interface ChildTask {
  path: string
  size: Size
  visits: number
  fills: boolean
}

export interface ChildAnswer extends FrontierFigures {
  /** Opened, recovered, and the first visit granted (and given back). */
  startMs: number
  filled?: Filled & { seconds: number; bytes: [table: string, bytes: number][] }
}

async function filled(opened: OpenedFrontier, web: NumberedWeb): Promise<ChildAnswer['filled']> {
  const begun = performance.now()
  const { urls, textBytes } = await fill(opened, web, (line) => console.error(line))
  const seconds = (performance.now() - begun) / 1000
  return { urls, textBytes, seconds, bytes: [...(await opened.bytes())] }
}

async function giveBack({ database, house }: OpenedFrontier, visits: readonly Visit[]): Promise<void> {
  await database.transact((tx) =>
    house.ledger.giveBack(
      tx,
      visits.map(({ id }) => id),
    ),
  )
}

async function answer({ path, size, visits, fills }: ChildTask): Promise<ChildAnswer> {
  const web = new NumberedWeb(size, fills ? 1 : 2)
  const begun = performance.now()
  const opened = sqliteFrontier(path)()
  await opened.house.recover(async () => {})
  if (!fills) await giveBack(opened, await checkOut(opened.house, 1))
  const startMs = performance.now() - begun
  const first = fills ? { filled: await filled(opened, web) } : {}
  const figures = await measureFrontier(opened, web, visits)
  await opened.close()
  return { ...figures, startMs, ...first }
}

console.log(JSON.stringify(await answer(JSON.parse(process.argv[2]) as ChildTask)))
