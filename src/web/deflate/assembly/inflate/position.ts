/** How far the input has been read, in bits, and what is known of what comes out of it. */
import { INPUT, OUTPUT } from './memory'

/** From the beginning of the input that is there. */
export let position: u32 = 0
/** What the input that is there has. */
export let available: u32 = 0
/** Where the next byte goes. */
export let out: usize = OUTPUT

export function setPosition(bit: u32): void {
  position = bit
}

export function setAvailable(bits: u32): void {
  available = bits
}

export function setOut(at: usize): void {
  out = at
}

/** At least 57 bits; those behind the end of the input are anything. */
export function bitsAt(bit: u32): u64 {
  return load<u64>(INPUT + (bit >> 3)) >> (bit & 7)
}
