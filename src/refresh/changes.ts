/**
 * Changes that are drawn rather than averaged over. Every page is fresh at its first look; its changes are a renewal process
 * with the mean interval 1/λ. The mixture is Wolf's; the paper gives its shares, its parameters here are ours:
 * 60 % Poisson; 30 % Pareto with shape 1.5; 10 % quasi-deterministic, intervals of 0.9/λ to 1.1/λ after a random phase.
 */
import type { Random } from '../base/random.ts'

export type ChangeKind = 'poisson' | 'mixture'

const SHAPE = 1.5
const JITTER = 0.1

export class Changes {
  /** When each page changes next. */
  readonly next: Float64Array
  private readonly process: Uint8Array
  private readonly rate: Float64Array
  private readonly random: Random

  /** `since`: the first look at each page; undefined: 0. */
  constructor(rate: Float64Array, kind: ChangeKind, random: Random, since?: Float64Array) {
    this.rate = rate
    this.random = random
    this.process = new Uint8Array(rate.length)
    this.next = new Float64Array(rate.length)
    for (let page = 0; page < rate.length; page++) {
      const share = kind === 'poisson' ? 0 : random.next()
      this.process[page] = share < 0.6 ? 0 : share < 0.9 ? 1 : 2
      const first = this.process[page] === 2 ? random.next() / rate[page] : this.interval(page)
      this.next[page] = (since?.[page] ?? 0) + first
    }
  }

  /** Draws on until a change lies after `now`. */
  pass(page: number, now: number): void {
    // Poisson changes have no memory: however many were missed, the next one is as far away as ever.
    if (this.process[page] === 0) this.next[page] = now + this.interval(page)
    while (this.next[page] <= now) this.next[page] += this.interval(page)
  }

  private interval(page: number): number {
    const mean = 1 / this.rate[page]
    const chance = 1 - this.random.next()
    if (this.process[page] === 0) return -Math.log(chance) * mean
    if (this.process[page] === 1) return ((mean * (SHAPE - 1)) / SHAPE) * chance ** (-1 / SHAPE)
    return mean * (1 - JITTER + 2 * JITTER * chance)
  }
}
