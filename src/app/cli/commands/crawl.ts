import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../../base/errors.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command } from '../command.ts'
import { crawlJson, emptyWords, lastWords, mirrorWords, movedWords, noteContact, runCrawl } from '../run-crawl.ts'

export const crawl: Command = {
  name: 'crawl',
  usage: '[SEED…]',
  what: 'collect sites; the same command again goes on where it stopped',
  more:
    'Collects what can be reached from the seeds and lies in the scope (by default: the hosts of the seeds), one request at a time to each site, with a pause after every answer, obeying robots.txt. Everything goes into the folder of the collection, as WARC files that web-archive tools open.\n' +
    'Ctrl-C stops politely (exit code 11); the same command goes on. Exit codes: 0 complete, 1 no seed brought anything, 2 wrong flag or seed, 3 disk full, 11 interrupted, 14, 15, 16 page, time or size limit reached.',
  examples: [
    {
      line: 'orbweaver crawl https://www.example.org/ --contact https://example.org/crawler',
      does: 'Collect one site.',
    },
    {
      line: 'orbweaver crawl --seeds sites.txt -c news --max-depth 3',
      does: 'Collect a list of sites, three levels deep, into ./news.',
    },
    {
      line: 'orbweaver crawl --seeds names.txt --scope tld:br --max-time 8h',
      does: 'Collect a national domain for a night.',
    },
    { line: 'orbweaver crawl -c news', does: 'Go on with a crawl that was stopped.' },
    {
      line: "orbweaver crawl http://site.test/ --resolve '*.test=127.0.0.1:8080' --pause-for '*.test=0s'",
      does: 'Collect from a server of your own, at full speed.',
    },
  ],
  words: { min: 0, max: Number.POSITIVE_INFINITY },
  async run(call) {
    const { settings, screen } = call
    const seeds = readSeeds({ words: call.words, file: settings.seeds })
    const isShared = settings.database !== undefined
    if (seeds.length === 0 && !isShared && !existsSync(join(settings.collection, 'collection.db')))
      throw new Problem(
        'no-seeds',
        `nothing to begin with: name a seed (orbweaver crawl https://www.example.org/) or a file of seeds (--seeds FILE); there is no collection in ${settings.collection} to go on with`,
      )
    noteContact(call)
    const ran = await runCrawl(call, seeds)
    const { collection: folder } = settings
    const notes = [...movedWords(ran.end.seeds, folder), ...emptyWords(ran.end.seeds, folder), ...mirrorWords(ran)]
    for (const line of notes) screen.say(line)
    if (settings.json) screen.print(JSON.stringify(crawlJson(ran, settings.collection), undefined, 2))
    else if (!settings.quiet || ran.end.why === 'interrupted') screen.say(lastWords(ran, settings.collection))
    return ran.end.exit
  },
}
