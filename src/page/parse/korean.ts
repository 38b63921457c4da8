/**
 * Korean text as browsers read it. What the Encoding Standard calls EUC-KR is Windows' code page 949: KS X 1001 and the 8,822
 * syllables that are missing there (`뷁`, `똠`). Node's decoder knows only the first part.
 */
import { TextDecoder } from 'node:util'

const strict = new TextDecoder('euc-kr')

const FIRST_LEAD = 0x81
const FIRST_TRAIL = 0x41
const TRAILS = 0xbf
const POSITIONS = (0xff - FIRST_LEAD) * TRAILS
const REPLACEMENT = 0xfffd
/** What Node's decoder makes of the bytes that it cannot read, and of two rows that belong to nobody. Few pages have any. */
const NOT_READ = /[\x80-\xa0\ue000-\uf8ff\ufffd]/
const LF = 10

/** By position; 0 where there is no character. */
let characters: Uint16Array | undefined

export function decodeKorean(bytes: Uint8Array): string {
  const text = strict.decode(bytes)
  if (!NOT_READ.test(text)) return text
  characters ??= readCharacters()
  const units = new Uint16Array(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at]
    if (lead < 0x80) {
      units[length++] = lead
      continue
    }
    const isLead = lead >= FIRST_LEAD && lead < 0xff
    const trail = isLead ? (bytes[at + 1] ?? 0) : 0
    const found = trail >= FIRST_TRAIL && trail < 0xff ? characters[positionOf(lead, trail)] : 0
    units[length++] = found === 0 ? REPLACEMENT : found
    // An ASCII letter behind half a character counts: it may begin a tag.
    if (found !== 0 || trail >= 0x80) at++
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

function positionOf(lead: number, trail: number): number {
  return (lead - FIRST_LEAD) * TRAILS + trail - FIRST_TRAIL
}

/** KS X 1001 is taken from Node's decoder; the other syllables stand in the order of Unicode, at the positions it leaves. */
function readCharacters(): Uint16Array {
  const table = new Uint16Array(POSITIONS)
  const known = new Set<number>()
  for (let lead = 0xa1; lead < 0xff; lead++) {
    const row = strict
      .decode(Uint8Array.from({ length: 94 * 3 }, (_, i) => [lead, 0xa1 + i / 3, LF][i % 3]))
      .split('\n')
    for (let i = 0; i < 94; i++) {
      const code = row[i].charCodeAt(0)
      if (!NOT_READ.test(row[i])) table[positionOf(lead, 0xa1 + i)] = code
      known.add(code)
    }
  }
  // Added to KS X 1001 in 1998.
  table[positionOf(0xa2, 0xe6)] = 0x20ac
  table[positionOf(0xa2, 0xe7)] = 0xae
  const places = extraPositions()
  for (let code = 0xac00; code <= 0xd7a3; code++) {
    if (!known.has(code)) table[places.next().value!] = code
  }
  return table
}

/** Trails are letters, or bytes from 0x81 on that KS X 1001 does not use with this lead. */
function* extraPositions(): Generator<number, undefined> {
  for (let lead = FIRST_LEAD; lead <= 0xc6; lead++) {
    const end = lead < 0xa1 ? 0xff : 0xa1
    for (let trail = FIRST_TRAIL; trail < end; trail++) {
      const isLetter = (trail | 0x20) >= 0x61 && (trail | 0x20) <= 0x7a
      if (trail >= 0x81 || isLetter) yield positionOf(lead, trail)
    }
  }
}
