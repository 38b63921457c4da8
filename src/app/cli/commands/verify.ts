import { EXIT, Problem } from '../../../base/errors.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Command } from '../command.ts'
import { plain } from '../progress.ts'
import { withReader } from '../with-reader.ts'
import { some } from '../words.ts'

/** Faults that are printed; a volume that is wholly broken would print one for every record. */
const MAX_PRINTED = 50

export const verify: Command = {
  name: 'verify',
  usage: '',
  what: 'check that volumes, index and catalogue agree, and every digest',
  more: 'Reads every volume from end to end, recomputes every digest, and compares records, index and catalogue with each other. It changes nothing. Of volumes that lie elsewhere it says where, and how many were not read; with --everywhere it fetches them, one at a time. A shared database (--database) has an index in the folder of each of its servers: -c names one. Exit code 1 when there is a fault.',
  examples: [
    { line: 'orbweaver verify', does: 'All of ./collection.' },
    { line: 'orbweaver verify -c news --json', does: 'With every fault, as JSON.' },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const { settings, screen } = call
    const talk = !settings.quiet && !settings.json
    const found = await withReader(call, (reader) =>
      reader.verify((volume) => {
        if (!talk) return
        if (screen.isTerminal) screen.draw([`reading ${volume}`])
        else screen.say(`reading ${volume}`)
      }, settings.everywhere),
    )
    screen.draw([])
    if (!settings.quiet && !settings.json)
      for (const { where, what } of found.notes ?? []) screen.say(`note: ${plain(where)}: ${plain(what)}`)
    const sum = `${some(found.volumes, 'volume')}, ${some(found.records, 'record')}, ${some(found.captures, 'capture')}`
    if (settings.json) screen.print(JSON.stringify({ ok: found.faults.length === 0, ...found }, undefined, 2))
    else if (found.faults.length === 0) screen.print(rightWords(sum, found.elsewhere))
    else
      for (const { where, what } of found.faults.slice(0, MAX_PRINTED)) screen.print(`${plain(where)}: ${plain(what)}`)
    if (found.faults.length > 0)
      throw new Problem('verify-failed', `${some(found.faults.length, 'fault')} in ${sum}; what is not named is right`)
    return EXIT.done
  },
}

/** What was not read is not called right. */
function rightWords(sum: string, elsewhere: number): string {
  if (elsewhere === 0) return `All is right: ${sum}.`
  return `All that was read is right: ${sum}. ${grouped(elsewhere)} more lie elsewhere and were not read (--everywhere reads those that can be reached).`
}
