import { EXIT, Problem } from '../../../base/errors.ts'
import type { Settings } from '../../config/keys.ts'
import type { Content } from '../collection-reader.ts'
import type { Command } from '../command.ts'
import { openOutput } from '../output-file.ts'
import { withReader } from '../with-reader.ts'
import { explainHint, firstOf, isoTime, timeText, urlWords } from '../words.ts'

export const get: Command = {
  name: 'get',
  usage: 'URL',
  what: 'print a page as it was collected',
  more: 'Prints the body of the last capture of a URL, or of the one that was current at --at TIME, decoded as a browser would: unpacked, and text in UTF-8 whatever its charset. With --headers the status line and headers come first; with --raw the body comes as it was sent. With --json it prints where the capture lies instead of the body.',
  examples: [
    { line: 'orbweaver get https://www.example.org/', does: 'The page.' },
    {
      line: 'orbweaver get https://www.example.org/ --at 2026-05-01 -o page.html',
      does: 'As it was on that day, into a file.',
    },
    { line: 'orbweaver get www.example.org --headers', does: 'With its headers.' },
  ],
  words: { min: 1, max: 1 },
  async run(call) {
    const { settings, screen } = call
    const urls = urlWords(call.words[0])
    const content = await withReader(call, (reader) => firstOf(urls, (url) => reader.content(url, settings.at)))
    if (content === undefined) {
      const when = settings.at === undefined ? '' : ` at or before ${timeText(settings.at)} UTC`
      throw new Problem(
        'not-found',
        `${urls[0]} was not collected${when}; ${explainHint(urls[0], settings.collection)}`,
      )
    }
    if (settings.json) screen.print(JSON.stringify(contentJson(content), undefined, 2))
    else {
      const output = openOutput(settings.output, screen)
      for (const bytes of parts(content, settings)) await output.write(bytes)
      output.close()
    }
    return EXIT.done
  },
}

/** A page that names its own charset is no longer in it; before its first byte this mark outweighs that name. */
const UTF8_MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

function parts(content: Content, wanted: Pick<Settings, 'headers' | 'raw' | 'output'>): Uint8Array[] {
  const body = wanted.raw ? content.payload : content.text
  if (wanted.headers) return [content.head, body]
  const isFile = wanted.output !== undefined && wanted.output !== '-'
  const isRecoded = !wanted.raw && content.charset !== '' && content.charset !== 'utf-8'
  return isFile && isRecoded ? [UTF8_MARK, body] : [body]
}

function contentJson(content: Content): object {
  return {
    url: content.url,
    at: isoTime(content.at),
    status: content.status,
    mediaType: content.mediaType,
    charset: content.charset === '' ? null : content.charset,
    bytes: content.payload.length,
    decodedBytes: content.body.length,
    volume: content.volume,
    offset: content.offset,
  }
}
