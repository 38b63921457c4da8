/** Bits on their way to the output: fewer than eight wait between two writes. */
import { OUTPUT } from './memory'

export let waiting: u64 = 0
export let waitingCount: u32 = 0
/** Where the next byte goes. */
export let out: usize = OUTPUT

export function beginStream(): void {
  resumeAt(0, 0, OUTPUT)
}

/** What was written has been taken; what waits stays. */
export function beginOutput(): void {
  out = OUTPUT
}

/** For those who keep the three in locals while they write much. */
export function resumeAt(bits: u64, count: u32, to: usize): void {
  waiting = bits
  waitingCount = count
  out = to
}

/** At most 56. */
export function putBits(bits: u64, count: u32): void {
  waiting |= bits << waitingCount
  waitingCount += count
  store<u64>(out, waiting)
  out += waitingCount >> 3
  waiting >>= waitingCount & 56
  waitingCount &= 7
}

/** Fills the byte that is begun. */
export function alignToByte(): void {
  putBits(0, -waitingCount & 7)
}
