import { EXIT } from '../../base/errors.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command } from '../command.ts'
import { eventLine } from '../event-line.ts'
import { watchCrawl } from '../live-view.ts'
import { noteContact } from '../run-crawl.ts'
import { shellWord } from '../words.ts'

export const serve: Command = {
  name: 'serve',
  usage: '[SEED…]',
  what: 'hand out a crawl to workers on other machines, and take in what they bring',
  more:
    'Answers workers over HTTP (orbweaver worker --server URL): gives them sites to visit, keeps the courtesy over all of them together, and stores what they report. With --database postgres://… any number of servers share one crawl; without it the server keeps everything in the folder of the collection.\n' +
    'New workers need the --join-secret of the server; without one only workers of the same machine may join. Ctrl-C stops it; workers go on with what they have, keep their reports, and deliver them when a server is back.',
  examples: [
    {
      line: 'ORBWEAVER_JOIN_SECRET=… orbweaver serve https://www.example.org/ --host 0.0.0.0 -c news',
      does: 'One server, everything in ./news.',
    },
    {
      line: 'ORBWEAVER_DATABASE=postgres://… orbweaver serve --seeds sites.txt --join-secret @/etc/orbweaver/join',
      does: 'One of several servers over PostgreSQL.',
    },
  ],
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  async run(call) {
    const { settings, screen, clock, version, doors, given } = call
    const seeds = readSeeds({ words: call.words, file: settings.seeds })
    noteContact(call)
    const journal = settings.verbose
      ? (event: { kind: string }) => screen.say(eventLine(event, clock.now()))
      : undefined
    const server = await doors.startServer(settings, { seeds, version, given, ...(journal && { journal }) })
    const secret = settings.joinSecret === undefined ? '' : ' --join-secret @FILE'
    screen.say(
      `orbweaver: serving at ${server.url}; a worker joins with: orbweaver worker --server ${shellWord(server.url)}${secret}`,
    )
    const view = watchCrawl(() => server.snapshot(), {
      screen,
      clock,
      quiet: settings.quiet || settings.verbose,
      lineEvery: settings.progressEvery,
    })
    const deaf = call.onInterrupt(() => {
      screen.say('orbweaver: ending; what workers have not delivered yet they keep, and bring when a server is back')
      server.stop()
    })
    try {
      const { why, documents } = await server.done
      if (settings.json)
        screen.print(JSON.stringify({ ended: why, documents, collection: settings.collection }, undefined, 2))
      else if (!settings.quiet) screen.say(why === 'complete' ? `Complete: ${documents} documents.` : 'Stopped.')
      return why === 'complete' ? EXIT.done : EXIT.interrupted
    } finally {
      deaf()
      view.stop()
    }
  },
}
