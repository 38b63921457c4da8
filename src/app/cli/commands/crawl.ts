import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../../base/errors.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command } from '../command.ts'
import { crawlJson, mirrorNotes, noteContact, resultText, runCrawl, seedNotes } from '../run-crawl.ts'

export const crawl: Command = {
  name: 'crawl',
  usage: '[SEED…]',
  what: 'collect sites; the same command resumes a stopped crawl',
  more:
    'Collects every page that links from the seeds lead to and that is in scope (by default: the hosts of the seeds). It sends one request at a time to each site, pauses after every response and obeys robots.txt. Everything is stored in the folder of the collection, as WARC files that web-archive tools can open.\n' +
    'Ctrl-C stops after the requests in flight (exit code 11); the same command resumes the crawl. The same works after a crash. Exit codes: 0 complete, 1 no seed led to a document, 2 wrong flag or seed, 3 disk full, 11 interrupted, 14, 15 or 16 page, time or size limit reached.',
  examples: {
    'orbweaver crawl https://www.example.org/ --contact https://example.org/crawler': 'Collect one site.',
    'orbweaver crawl --seeds sites.txt -c news --max-depth 3':
      'Collect a list of sites, three levels deep, into ./news.',
    'orbweaver crawl --seeds names.txt --scope tld:br --max-time 8h': 'Collect a national domain for eight hours.',
    'orbweaver crawl -c news': 'Resume a stopped crawl.',
    "orbweaver crawl http://site.test/ --resolve '*.test=127.0.0.1:8080' --pause-for '*.test=0s'":
      'Collect from your own server, at full speed.',
  },
  async run(call) {
    const { settings, screen } = call
    const { collection: folder } = settings
    const seeds = await readSeeds({ args: call.args, file: settings.seeds })
    if (seeds.length === 0 && settings.database === undefined && !existsSync(join(folder, 'collection.db')))
      throw new Problem(
        'no-seeds',
        `no seeds given, and there is no collection in ${folder} to resume; give a URL (orbweaver crawl https://www.example.org/) or a file of seeds (--seeds FILE)`,
      )
    noteContact(call)
    const result = await runCrawl(call, seeds)
    for (const line of [...seedNotes(result.end.seeds, folder), ...mirrorNotes(result)]) screen.say(line)
    if (settings.json) screen.printJson(crawlJson(result, folder))
    else if (!settings.quiet || result.end.why === 'interrupted') screen.say(resultText(result, folder))
    return result.end.exit
  },
}
