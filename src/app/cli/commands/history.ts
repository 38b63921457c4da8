import { EXIT, Problem } from '../../../base/errors.ts'
import { formatSize } from '../../../base/units.ts'
import { type Command, withReader } from '../command.ts'
import { explainHint, firstOf, isoTime, plain, timeText, urlsOf } from '../text.ts'

export const history: Command = {
  name: 'history',
  usage: 'URL',
  what: 'list the captures of a URL',
  more: 'Lists when a URL was captured, with the status, type, size and digest of each response and the location of its record. A revisit is a capture whose content was already in the collection.',
  examples: {
    'orbweaver history https://www.example.org/': 'List the captures, oldest first; of very many, the latest 10,000.',
    'orbweaver history https://www.example.org/ --json': 'As JSON.',
  },
  async run(call) {
    const urls = urlsOf(call.args[0])
    const found = await withReader(call, (reader) =>
      firstOf(urls, async (url) => {
        const captures = await reader.captures(url)
        return captures.length === 0 ? undefined : { url, captures }
      }),
    )
    if (found === undefined)
      throw new Problem('not-found', `${urls[0]} has no captures; ${explainHint(urls[0], call.settings.collection)}`)
    const { url, captures } = found
    if (call.settings.json) {
      const list = captures.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest }))
      call.screen.printJson({ url, captures: list })
      return EXIT.done
    }
    call.screen.print(plain(url))
    for (const { at, status, mediaType, length, kind, digest, volume, offset } of captures) {
      const type = mediaType === '' ? 'no type' : plain(mediaType)
      call.screen.print(`  ${timeText(at)} UTC  ${status}  ${type}  ${kind} of ${formatSize(length)}`)
      call.screen.print(`    ${digest}`)
      call.screen.print(`    ${volume}:${offset}`)
    }
    return EXIT.done
  },
}
