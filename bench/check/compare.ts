/** Measured ratios beside the committed ones. Every ratio is a cost: more is worse. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Compared {
  name: string
  measured: number
  /** Undefined: there is none yet. */
  committed: number | undefined
  /** 0.2: costs a fifth more than it did; below 0 it costs less. */
  loss: number | undefined
  isLost: boolean
}

export function compareRatios(
  measured: ReadonlyMap<string, number>,
  committed: Readonly<Record<string, number>>,
  maxLoss: number,
): Compared[] {
  return [...measured].map(([name, ratio]) => {
    const before = committed[name]
    const loss = before === undefined ? undefined : ratio / before - 1
    // What could not be measured, or was never committed, is no success.
    return { name, measured: ratio, committed: before, loss, isLost: loss === undefined || !(loss <= maxLoss) }
  })
}

/** The committed figures, `figures.json`: written by `bench check --update`, with the machine that they are from. */

export interface Figures {
  /** CPU of whole crawls over the ceiling program's, in the same run. */
  whole: Record<string, number>
  /** CPU of works over the yardstick's, in one process. */
  short: Record<string, number>
  from: Record<'whole' | 'short', string>
}

export const FIGURES = join(import.meta.dirname, 'figures.json')

export function readFigures(path: string): Figures {
  return JSON.parse(readFileSync(path, 'utf8')) as Figures
}

export function writeFigures(path: string, figures: Figures): void {
  writeFileSync(path, JSON.stringify(figures, undefined, 2) + '\n')
}

/** Three digits: the rest is noise. */
export function rounded(ratios: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...ratios].map(([name, ratio]) => [name, Math.round(ratio * 1000) / 1000]))
}
