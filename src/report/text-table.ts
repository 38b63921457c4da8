/** Plain-text tables: numbers are right-aligned, text left-aligned. */

export interface TextTable {
  title: string
  /** Empty: no header line. */
  header: readonly string[]
  rows: readonly (readonly string[])[]
  /** The last row is a total or a mean, below a line. */
  total?: boolean
}

export function printTable(table: TextTable): string {
  const lines = table.header.length === 0 ? table.rows : [table.header, ...table.rows]
  const columns = Math.max(0, ...lines.map((line) => line.length))
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...lines.map((line) => displayWidth(line[i] ?? ''))),
  )
  const right = widths.map((_, i) => i > 0 && table.rows.every((row) => isFigure(row[i] ?? '')))
  const line = (cells: readonly string[]) =>
    `  ${widths.map((width, i) => pad(cells[i] ?? '', width, right[i])).join('  ')}`.trimEnd()
  const rule = `  ${widths.map((width) => '─'.repeat(width)).join('──')}`
  const body = table.rows.map(line)
  if (table.total === true && body.length > 1) body.splice(-1, 0, rule)
  return [table.title, ...(table.header.length === 0 ? [] : [line(table.header), rule]), ...body].join('\n')
}

function pad(text: string, width: number, right: boolean): string {
  const gap = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return right ? gap + text : text + gap
}

export function isFigure(text: string): boolean {
  return /^(-|[\d.,]+( ?(%|B|kB|MB|GB|TB|ms|s))?)?$/.test(text)
}

/** East Asian Wide and Fullwidth, and the emoji that terminals draw as wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
/** Marks, format characters, and the vowels and finals of decomposed Korean, which stand on what is before them. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u

/** Columns of a terminal, of a text without control characters. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const character of text) columns += WIDE.test(character) ? 2 : NO_WIDTH.test(character) ? 0 : 1
  return columns
}

/** 1130995 → 1,130,995 */
export function grouped(n: number): string {
  return Number.isInteger(n) ? n.toLocaleString('en') : n.toLocaleString('en', { maximumFractionDigits: 1 })
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)}%`
}
