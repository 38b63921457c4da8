import { EXIT, Problem } from '../../../base/errors.ts'
import { type Command, withReader } from '../command.ts'
import { plain, some } from '../text.ts'

/** A broken volume has a fault for every record; `--json` has all. */
const MAX_PRINTED = 50

export const verify: Command = {
  name: 'verify',
  usage: '',
  what: 'check that volumes, index and catalogue agree, and recompute every digest',
  more: 'Reads every volume from end to end, recomputes every digest, and compares records, index and catalogue with each other. It changes nothing. Volumes on other machines are counted and skipped; with --everywhere they are fetched, one at a time. With a shared database (--database) every server has an index in its own folder: -c names one. Exit code 1 if there is a fault.',
  examples: {
    'orbweaver verify': 'Verify ./collection.',
    'orbweaver verify -c news --json': 'Print every fault, as JSON.',
  },
  async run(call) {
    const { settings, screen } = call
    const isTalking = !settings.quiet && !settings.json
    const found = await withReader(call, (reader) =>
      reader.verify((volume) => {
        if (!isTalking) return
        if (screen.isTerminal) screen.draw([`reading ${volume}`])
        else screen.say(`reading ${volume}`)
      }, settings.everywhere),
    )
    screen.draw([])
    if (isTalking)
      for (const { where, what } of found.notes ?? []) screen.say(`orbweaver: note: ${plain(where)}: ${plain(what)}`)
    const sum = `${some(found.volumes, 'volume')}, ${some(found.records, 'record')}, ${some(found.captures, 'capture')}`
    if (settings.json) screen.printJson({ ok: found.faults.length === 0, ...found })
    else if (found.faults.length === 0) screen.print(okText(sum, found.elsewhere))
    else
      for (const { where, what } of found.faults.slice(0, MAX_PRINTED)) screen.print(`${plain(where)}: ${plain(what)}`)
    if (found.faults.length > 0)
      throw new Problem(
        'verify-failed',
        `found ${some(found.faults.length, 'fault')} in ${sum}; everything else is correct`,
      )
    return EXIT.done
  },
}

function okText(sum: string, elsewhere: number): string {
  if (elsewhere === 0) return `No faults: ${sum}.`
  return `No faults in what was read: ${sum}. Not read: ${some(elsewhere, 'volume')} on other machines (use --everywhere to fetch them).`
}
