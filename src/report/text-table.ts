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

function isFigure(text: string): boolean {
  return /^(-|[\d.,]+( ?(%|B|kB|MB|GB|TB|ms|s))?)?$/.test(text)
}

/** Characters, not bytes; wide scripts are rare in tables and only lose alignment. */
function displayWidth(text: string): number {
  return [...text].length
}

/** 1130995 → 1,130,995 */
export function grouped(n: number): string {
  return Number.isInteger(n) ? n.toLocaleString('en') : n.toLocaleString('en', { maximumFractionDigits: 1 })
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)}%`
}
