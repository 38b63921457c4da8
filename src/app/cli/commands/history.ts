import { Problem } from '../../../base/errors.ts'
import { formatSize } from '../../../base/units.ts'
import { failureText, refusalText } from '../../../report/status-text.ts'
import { type Command, withReader } from '../command.ts'
import type { CollectionReader } from '../services.ts'
import { explainHint, firstOf, jsonOf, plain, timeText, urlsOf } from '../text.ts'

export const history: Command = {
  name: 'history',
  usage: 'URL',
  what: 'list every look at a URL and what it brought',
  more: 'Lists when a URL was looked at and what that showed: first, changed, same (the same bytes came), unmodified (the server said so), moved, missing (404), gone (410), refused (robots.txt, scope) or failed; with the status, type, size and digest of each response and the location of its record. For a change it says how much of the text changed (small: 70 % and more is the same; medium: 30 %; large: less; complete: nothing; markup: only mark-up changed; volatile: only regions that change at every look; binary: it is not text), and where. A revisit is a capture whose content was already in the collection.',
  examples: {
    'orbweaver history https://www.example.org/': 'List the looks, oldest first; of very many, the latest 10,000.',
    'orbweaver history https://www.example.org/ --json': 'As JSON.',
  },
  async run(call) {
    const urls = urlsOf(call.args[0])
    const found = await withReader(call, (reader) =>
      firstOf(urls, async (url) => {
        const { captures, failedLooks } = await reader.history(url)
        return captures.length + failedLooks.length === 0 ? undefined : { url, captures, failedLooks }
      }),
    )
    if (found === undefined)
      throw new Problem('not-found', `${urls[0]} has no captures; ${explainHint(urls[0], call.settings.collection)}`)
    const { url, captures, failedLooks } = found
    const looks = [
      ...captures.map((capture) => ({ at: capture.at, lines: captureLines(capture) })),
      ...failedLooks.map((look) => ({ at: look.at, lines: [failedLine(look)] })),
    ].sort((a, b) => a.at - b.at)
    return {
      json: jsonOf({ url, captures, failedLooks }) as object,
      text: [plain(url), ...looks.flatMap(({ lines }) => lines)],
    }
  },
}

type History = Awaited<ReturnType<CollectionReader['history']>>

/** As wide as the longest word for a look, `unmodified`. */
const beginning = (at: number, look: string) => `  ${timeText(at)} UTC  ${look.padEnd(10)}  `

function captureLines(capture: History['captures'][number]): string[] {
  const { at, look, status, mediaType, length, kind, digest, volume, offset, change, place } = capture
  const type = look === 'unmodified' ? '' : `${mediaType === '' ? 'no type' : plain(mediaType)}  `
  const first = `${beginning(at, look)}${status}  ${type}${kind} of ${formatSize(length)}`
  const isKnown = look === 'same' || look === 'unmodified'
  const what = change === null ? [] : [`    change: ${change}${place === null ? '' : `, ${plain(place)}`}`]
  return [first, ...what, ...(isKnown ? [] : [`    ${digest}`]), `    ${volume}:${offset}`]
}

function failedLine({ at, outcome, why, detail }: History['failedLooks'][number]): string {
  if (outcome === 'refused') return `${beginning(at, 'refused')}${plain(refusalText(why ?? '', detail ?? ''))}`
  return `${beginning(at, 'failed')}${plain(failureText(why ?? '') ?? why ?? '')}`
}
