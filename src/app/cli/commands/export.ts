import { EXIT, Problem } from '../../../base/errors.ts'
import type { CollectionReader } from '../collection-reader.ts'
import type { Command, Invocation } from '../command.ts'
import { openOutput } from '../output-file.ts'
import { withReader } from '../with-reader.ts'
import { some } from '../words.ts'

const KINDS = ['cdxj', 'links', 'pages'] as const

export const exportCommand: Command = {
  name: 'export',
  usage: 'cdxj|links|pages',
  what: 'standard outputs: index, link graph, list of pages',
  more: 'cdxj: the index of all captures, sorted, as pywb reads it. links: from and to, parted by a tab, a line each. pages: one JSON object a line with what is known of each page. --into FILE puts the links into an ordinary table of a SQLite database instead.',
  examples: [
    { line: 'orbweaver export cdxj -o index.cdxj', does: 'The index, into a file.' },
    { line: 'orbweaver export links | sort | uniq -c', does: 'The link graph, for other tools.' },
    { line: 'orbweaver export links --into graph.db', does: 'The link graph as a table link(from_url, to_url).' },
    { line: 'orbweaver export pages -c news > pages.jsonl', does: 'What is known of each page.' },
  ],
  words: { min: 1, max: 1 },
  async run(call) {
    const kind = KINDS.find((k) => k === call.words[0])
    if (kind === undefined)
      throw new Problem('bad-flag', `'${call.words[0]}' cannot be exported; choose ${KINDS.join(', ')}`)
    const { into } = call.settings
    if (into !== undefined && kind !== 'links')
      throw new Problem('bad-flag', '--into is for links: orbweaver export links --into FILE')
    const lines = await withReader(call, (reader) =>
      into === undefined ? write(call, rows(reader, kind)) : reader.linksInto(into),
    )
    const { output } = call.settings
    const where = into ?? (output === '-' ? undefined : output)
    if (call.settings.json && where !== undefined) call.screen.print(JSON.stringify({ kind, rows: lines, file: where }))
    else if (where !== undefined && !call.settings.quiet) call.screen.say(`${some(lines, 'row')} in ${where}`)
    return EXIT.done
  },
}

async function* rows(reader: CollectionReader, kind: (typeof KINDS)[number]): AsyncIterable<string> {
  if (kind === 'cdxj') yield* reader.exportCdxj()
  else if (kind === 'pages') for await (const page of reader.exportPages()) yield JSON.stringify(page)
  else for await (const { from, to } of reader.exportLinks()) yield `${field(from)}\t${field(to)}`
}

/** A URL has no tab and no line's end; if one ever had, it must not make a row of its own. */
function field(text: string): string {
  return text.replace(/[\t\r\n]/g, (c) => encodeURIComponent(c))
}

/** Lines are written by the block: one call a line costs more than the line. */
const BLOCK = 64 * 1024

async function write(call: Invocation, lines: AsyncIterable<string>): Promise<number> {
  const output = openOutput(call.settings.output, call.screen)
  let count = 0
  let block = ''
  for await (const line of lines) {
    count++
    block += line.endsWith('\n') ? line : `${line}\n`
    if (block.length < BLOCK) continue
    await output.write(block)
    block = ''
  }
  if (block !== '') await output.write(block)
  output.close()
  return count
}
