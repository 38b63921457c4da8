import { EXIT, Problem } from '../../../base/errors.ts'
import { type Command, type Invocation, withReader } from '../command.ts'
import { openOutput } from '../screen.ts'
import type { CollectionReader } from '../services.ts'
import { some } from '../text.ts'

const KINDS = ['cdxj', 'links', 'pages'] as const

export const exportCommand: Command = {
  name: 'export',
  usage: 'cdxj|links|pages',
  what: 'write the index, the link graph or the list of pages',
  more: 'cdxj: the sorted index of all captures, as pywb reads it. links: one line per link, source and target separated by a tab. pages: one JSON object per line with the facts about a page. --into FILE writes the links to a table of an SQLite database instead.',
  examples: {
    'orbweaver export cdxj -o index.cdxj': 'Write the index to a file.',
    'orbweaver export links | sort | uniq -c': 'The link graph, for other tools.',
    'orbweaver export links --into graph.db': 'The link graph as a table link(from_url, to_url).',
    'orbweaver export pages -c news > pages.jsonl': 'The facts about each page.',
  },
  async run(call) {
    const kind = KINDS.find((k) => k === call.args[0])
    if (kind === undefined) throw new Problem('bad-flag', `cannot export '${call.args[0]}'; choose ${KINDS.join(', ')}`)
    const { into } = call.settings
    if (into !== undefined && kind !== 'links')
      throw new Problem('bad-flag', '--into works only with links: orbweaver export links --into FILE')
    const lines = await withReader(call, (reader) =>
      into === undefined ? write(call, rows(reader, kind)) : reader.linksInto(into),
    )
    const { output } = call.settings
    const where = into ?? (output === '-' ? undefined : output)
    if (call.settings.json && where !== undefined) call.screen.print(JSON.stringify({ kind, rows: lines, file: where }))
    else if (where !== undefined && !call.settings.quiet) call.screen.say(`wrote ${some(lines, 'row')} to ${where}`)
    return EXIT.done
  },
}

async function* rows(reader: CollectionReader, kind: (typeof KINDS)[number]): AsyncIterable<string> {
  if (kind === 'cdxj') yield* reader.exportCdxj()
  else if (kind === 'pages') for await (const page of reader.exportPages()) yield JSON.stringify(page)
  else for await (const { from, to } of reader.exportLinks()) yield `${field(from)}\t${field(to)}`
}

/** URLs contain no tabs or line breaks; if one did, it must not create another row. */
function field(text: string): string {
  return text.replace(/[\t\r\n]/g, (c) => encodeURIComponent(c))
}

async function write(call: Invocation, lines: AsyncIterable<string>): Promise<number> {
  const output = openOutput(call.settings.output, call.screen)
  let count = 0
  for await (const line of lines) {
    count++
    await output.write(line.endsWith('\n') ? line : `${line}\n`)
  }
  await output.close()
  return count
}
