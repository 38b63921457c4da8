/** Measured ratios beside the committed ones. Every ratio is a cost: more is worse. */
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
