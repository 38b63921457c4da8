import { EXIT, Problem } from '../../../base/errors.ts'
import { pick } from '../../../base/pick.ts'
import type { Settings } from '../../config/keys.ts'
import type { Content } from '../../reader/content.ts'
import { type Command, withReader } from '../command.ts'
import { openOutput } from '../screen.ts'
import { explainHint, firstOf, isoTime, timeText, urlsOf } from '../text.ts'

export const get: Command = {
  name: 'get',
  usage: 'URL',
  what: 'print a page as it was collected',
  more: 'Prints the body of the latest capture that has the page (of a page that is gone or moved now, as it was), or of the one that was current at --at TIME, decoded as a browser would: decompressed, and text converted to UTF-8. With --headers the status line and headers come first. With --raw the body is printed as it was sent. With --json it prints where the capture is stored instead of the body.',
  examples: {
    'orbweaver get https://www.example.org/': 'Print the page.',
    'orbweaver get https://www.example.org/ --at 2026-05-01 -o page.html':
      'Write the page as it was on that day to a file.',
    'orbweaver get www.example.org --headers': 'Print it with its headers.',
  },
  async run(call) {
    const { settings, screen } = call
    const urls = urlsOf(call.args[0])
    const content = await withReader(call, (reader) => firstOf(urls, (url) => reader.content(url, settings.at)))
    if (content === undefined) {
      const when = settings.at === undefined ? '' : ` at or before ${timeText(settings.at)} UTC`
      throw new Problem(
        'not-found',
        `${urls[0]} was not collected${when}; ${explainHint(urls[0], settings.collection)}`,
      )
    }
    if (settings.json) return { json: contentJson(content), text: undefined }
    const output = openOutput(settings.output, screen)
    for (const bytes of parts(content, settings)) await output.write(bytes)
    await output.close()
    return EXIT.done
  },
}

/** The text was converted to UTF-8, but the page still names its old charset. A byte order mark overrides that name. */
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
    ...pick(content, 'status', 'mediaType'),
    charset: content.charset === '' ? null : content.charset,
    bytes: content.payload.length,
    decodedBytes: content.body.length,
    ...pick(content, 'volume', 'offset'),
  }
}
