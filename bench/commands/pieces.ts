/** `bench pieces`: what each piece of a page's way costs, so that a regression has a name. */
import { benchmark, type Outcome } from '../command.ts'
import { archivePieces } from '../pieces/archive-pieces.ts'
import { coordinatorPieces } from '../pieces/coordinator-pieces.ts'
import { hazardPieces } from '../pieces/hazard-pieces.ts'
import { httpPieces } from '../pieces/http-pieces.ts'
import { gather } from '../pieces/material.ts'
import { type Stall, stalls } from '../pieces/stalls.ts'
import { urlPieces } from '../pieces/url-pieces.ts'
import { type Piece, workerPieces } from '../pieces/worker-pieces.ts'
import { benchReading } from '../reading.ts'

const FLAGS = {
  sites: { default: 40, what: 'sites of the web that they are measured on' },
  pages: { default: 50, what: 'pages of each' },
  stalls: { default: false, what: 'instead: the longest stretch for which one answer keeps a thread from all others' },
} as const

export const pieces = benchmark({
  name: 'pieces',
  what: 'microseconds a page for each piece: fetching, reading, signatures, links, robots, digests, archive, writing, reports, applying',
  flags: FLAGS,
  async run({ sites, pages, stalls: onlyStalls }, tools): Promise<Outcome> {
    if (onlyStalls) return tableOfStalls(await stalls())
    tools.say('a crawl in virtual time, to have something to measure on …')
    const material = await gather(sites, pages)
    const reading = benchReading()
    const note = `a page of ${Math.round(reading.bytesPerPage / 1000)} KB with many tags`
    const all: Piece[] = [
      { name: 'read HTML, dense', microseconds: reading.microsecondsPerPage, note },
      ...(await httpPieces(material, sites, pages)),
      ...workerPieces(material),
      ...(await archivePieces(material)),
      ...hazardPieces(),
      ...urlPieces(material),
      ...(await coordinatorPieces(material)),
    ]
    const rows = all.map((piece) => [
      piece.name,
      piece.microseconds.toFixed(piece.microseconds < 1 ? 2 : 1),
      piece.note,
    ])
    return {
      tables: [{ title: `Pieces, on ${material.pages.length} pages`, header: ['piece', 'µs per page', ''], rows }],
      notes: [],
      figures: {
        pages: material.pages.length,
        pieces: Object.fromEntries(all.map((one) => [one.name, one.microseconds])),
      },
    }
  },
})

function tableOfStalls(found: readonly Stall[]): Outcome {
  const rows = found.map(({ name, cpuMs, wallMs, wholeCpuMs }) => [
    name,
    ...[cpuMs, wallMs, wholeCpuMs].map((ms) => ms.toFixed(0)),
  ])
  const header = ['answer', 'ms CPU', 'ms wall', 'ms CPU of the visit']
  return { tables: [{ title: 'Longest stretch without a turn', header, rows }], notes: [], figures: { stalls: found } }
}
