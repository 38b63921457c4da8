/** The codes of a block: those that the format fixes, or those that its header says, in codes once more. */
import { buildTable } from './decode-table'
import { allBits, NOTHING, REPEAT_LAST } from './entries'
import {
  CODE_LENGTHS,
  DISTANCE_MEANINGS,
  DISTANCE_TABLE,
  DISTANCE_TABLE_BITS,
  FIXED_TABLES,
  HEADER_LENGTHS,
  HEADER_MEANINGS,
  HEADER_ORDER,
  HEADER_TABLE,
  HEADER_TABLE_BITS,
  LITERAL_MEANINGS,
  LITERAL_TABLE,
  LITERAL_TABLE_BITS,
  TABLES_END,
} from './memory'
import { available, bitsAt, setPosition } from './position'
import { DAMAGED, GOING, HUNGRY } from './verdict'

/** A header that is longer than this in codes says more than there is. */
const MAX_LITERALS: u32 = 286
const MAX_DISTANCES: u32 = 30
const END_OF_BLOCK: u32 = 256

/** Fixed blocks one behind another take no copies: a body of nothing else, 10 bits each, would cost ten times what zlib takes. */
let areFixed = false

function buildTables(literals: u32, distances: u32): bool {
  areFixed = false
  const distanceLengths = CODE_LENGTHS + literals
  return (
    buildTable(CODE_LENGTHS, literals, LITERAL_TABLE_BITS, LITERAL_MEANINGS, LITERAL_TABLE, 1, NOTHING) &&
    buildTable(distanceLengths, distances, DISTANCE_TABLE_BITS, DISTANCE_MEANINGS, DISTANCE_TABLE, 1, NOTHING)
  )
}

export function makeFixedTables(): void {
  memory.fill(CODE_LENGTHS, 8, 288)
  memory.fill(CODE_LENGTHS + 144, 9, 112)
  memory.fill(CODE_LENGTHS + 256, 7, 24)
  memory.fill(CODE_LENGTHS + 288, 5, 32)
  buildTables(288, 32)
  memory.copy(FIXED_TABLES, LITERAL_TABLE, TABLES_END - LITERAL_TABLE)
}

export function takeFixedTables(): void {
  if (areFixed) return
  areFixed = true
  memory.copy(LITERAL_TABLE, FIXED_TABLES, TABLES_END - LITERAL_TABLE)
}

/**
 * From the header at this bit. What is behind the end of the input may be read, but damage is only found in what is there: so the
 * verdict on a stream that is cut off does not depend on what lay behind it.
 */
export function readCodes(at: u32): i32 {
  const numbers = <u32>bitsAt(at)
  at += 14
  if (at > available) return HUNGRY
  const literals = (numbers & 31) + 257
  const distances = ((numbers >> 5) & 31) + 1
  if (literals > MAX_LITERALS || distances > MAX_DISTANCES) return DAMAGED

  const symbols = ((numbers >> 10) & 15) + 4
  v128.store(HEADER_LENGTHS, i64x2.splat(0))
  store<u32>(HEADER_LENGTHS, 0, 16)
  let bits = bitsAt(at)
  for (let index: u32 = 0; index < symbols; index++) {
    store<u8>(HEADER_LENGTHS + <usize>load<u8>(HEADER_ORDER + index), <u8>bits & 7)
    bits >>= 3
  }
  at += symbols * 3
  if (at > available) return HUNGRY
  // Where no symbol has a code, zlib takes each bit for a length of zero, and finds the fault behind them.
  if (!buildTable(HEADER_LENGTHS, 19, HEADER_TABLE_BITS, HEADER_MEANINGS, HEADER_TABLE, 0, 0)) return DAMAGED

  const end = CODE_LENGTHS + literals + distances
  let to = CODE_LENGTHS
  while (to < end) {
    const bits = <u32>bitsAt(at)
    const entry = load<u32>(HEADER_TABLE + ((bits & ((1 << HEADER_TABLE_BITS) - 1)) << 2))
    const symbol = (entry >> 16) & 255
    at += allBits(entry)
    if (symbol < REPEAT_LAST) {
      store<u8>(to++, <u8>symbol)
      continue
    }
    if (at > available) return HUNGRY
    const times = (entry >> 24) + ((bits & ~((<u32>-1) << entry)) >> ((entry >> 8) & 15))
    const isLast = symbol === REPEAT_LAST
    if ((isLast && to === CODE_LENGTHS) || to + times > end) return DAMAGED
    const repeated = i8x16.splat(isLast ? load<i8>(to - 1) : 0)
    const until = to + times
    for (; to < until; to += 16) v128.store(to, repeated)
    to = until
  }
  if (at > available) return HUNGRY
  if (load<u8>(CODE_LENGTHS + END_OF_BLOCK) === 0 || !buildTables(literals, distances)) return DAMAGED
  setPosition(at)
  return GOING
}
