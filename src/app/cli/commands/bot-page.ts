import { replaceFile } from '../../../base/disk.ts'
import { realDisk } from '../../../base/real-disk.ts'
import { botPage as pageOf } from '../../../dashboard/bot-page.ts'
import { userAgentOf } from '../../composition/worker-tools.ts'
import type { Command } from '../command.ts'
import { noteContact } from '../run-crawl.ts'

export const botPage: Command = {
  name: 'bot-page',
  usage: '',
  what: 'write a web page that explains this crawler to the webmasters it visits',
  more: "Writes a page with the crawler's name, contact and pauses, how to slow it down, how to keep it out, and how to learn what it asked of a site: from the settings of the collection, or those given here. Put it at the URL that --contact names. A server (orbweaver serve) shows the same page at /bot, to everyone.",
  examples: {
    'orbweaver bot-page -c news -o crawler.html': 'For the crawl in ./news.',
    'orbweaver bot-page --contact crawler@example.org --pause 5s': 'Print the page for a crawl that is still to come.',
  },
  async run(call) {
    const { settings, version } = call
    noteContact(call)
    const page = pageOf(settings, userAgentOf(settings, version))
    const { output = '-' } = settings
    if (output !== '-') await replaceFile(realDisk, output, page)
    const isPrinted = output === '-'
    return { json: { page, file: isPrinted ? null : output }, text: isPrinted ? page.trimEnd() : undefined }
  },
}
