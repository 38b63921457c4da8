/** One size, measured in a process of its own: its memory is the frontier's. Either it is filled first, or found as it is. */
import { performance } from 'node:perf_hooks'
import type { Visit } from '../../src/contracts/visit.ts'
import type { Filled } from './fill.ts'
import { checkOut, type FrontierFigures, measureFrontier } from './measure.ts'
import { NumberedWeb, type Size } from './numbered-web.ts'
import { type OpenedFrontier, sqliteFrontier } from './opened.ts'
import { checkOutPlans } from './plans.ts'
import { postgresFrontier } from './postgres-frontier.ts'

/** `postmaster`: its process id, when it runs on this machine. */
export type Place = { kind: 'sqlite'; path: string } | { kind: 'postgres'; address: string; postmaster?: number }

export interface ChildTask {
  place: Place
  size: Size
  visits: number
  fills: boolean
  /** Whether the statements of a check-out are explained. */
  explains: boolean
}

export interface ChildAnswer extends FrontierFigures {
  /** Opened, recovered, and the first visit granted (and given back). */
  startMs: number
  filled?: Filled & { seconds: number; bytes: [table: string, bytes: number][] }
  plans?: string
}

async function filled(opened: OpenedFrontier, web: NumberedWeb): Promise<ChildAnswer['filled']> {
  const begun = performance.now()
  const { urls, textBytes } = await opened.fill(web, (line) => console.error(line))
  const seconds = (performance.now() - begun) / 1000
  return { urls, textBytes, seconds, bytes: [...(await opened.bytes())] }
}

async function giveBack({ database, subject }: OpenedFrontier, visits: readonly Visit[]): Promise<void> {
  await database.transact((tx) =>
    subject.ledger.giveBack(
      tx,
      visits.map(({ id }) => id),
    ),
  )
}

function open(place: Place): OpenedFrontier | Promise<OpenedFrontier> {
  switch (place.kind) {
    case 'sqlite':
      return sqliteFrontier(place.path)
    case 'postgres':
      return postgresFrontier(place.address, place.postmaster)
  }
}

async function answer({ place, size, visits, fills, explains }: ChildTask): Promise<ChildAnswer> {
  const web = new NumberedWeb(size, fills ? 1 : 2)
  const begun = performance.now()
  const opened = await open(place)
  await opened.subject.recover(async () => {})
  if (!fills) await giveBack(opened, await checkOut(opened.subject, 1))
  const startMs = performance.now() - begun
  const first = fills ? { filled: await filled(opened, web) } : {}
  const figures = await measureFrontier(opened, web, visits)
  const plans = explains ? { plans: await checkOutPlans(opened) } : {}
  await opened.close()
  return { ...figures, startMs, ...first, ...plans }
}

console.log(JSON.stringify(await answer(JSON.parse(process.argv[2]) as ChildTask)))
