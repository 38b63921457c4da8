import type { CrawlEndReason } from '../../composition/crawl-view.ts'
import type { ServeHandle } from '../../composition/serve.ts'
import type { Settings } from '../../config/keys.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command } from '../command.ts'
import { eventLine } from '../event-line.ts'
import { keepSettings } from '../keep-settings.ts'
import { watchCrawl } from '../live-view.ts'
import { emptyWords, movedWords, noteContact } from '../run-crawl.ts'
import { shellWord, some } from '../words.ts'

const ENDED: Readonly<Record<CrawlEndReason, string>> = {
  complete: 'Complete',
  interrupted: 'Stopped',
  pages: 'Stopped at --max-pages',
  time: 'Stopped at --max-time',
  size: 'Stopped at --max-size',
}

export const serve: Command = {
  name: 'serve',
  usage: '[SEED…]',
  what: 'hand out a crawl to workers on other machines, and take in what they bring',
  more:
    'Answers workers over HTTP (orbweaver worker --server URL): gives them sites to visit, keeps the courtesy over all of them together, and stores what they report. With --database postgres://… any number of servers share one crawl; without it the server keeps everything in the folder of the collection.\n' +
    'New workers need the --join-secret of the server; without one only workers of the same machine may join. Ctrl-C stops it; workers go on with what they have, keep their reports, and deliver them when a server is back. Exit codes: 0 complete (with --until-done), 1 no seed brought anything, 2 wrong flag or seed, 3 disk full, 4 database unreachable, 11 stopped, 14, 15, 16 page, time or size limit reached.',
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
  words: { min: 0, max: Number.POSITIVE_INFINITY },
  async run(call) {
    const { settings, screen, clock, version, services, given } = call
    const seeds = readSeeds({ words: call.words, file: settings.seeds, mayBeEmpty: true })
    noteContact(call)
    const journal = settings.verbose
      ? (event: { kind: string }) => screen.say(eventLine(event, clock.now()))
      : undefined
    const server = await services.startServer(settings, { seeds, version, given, ...(journal && { journal }) })
    await keepSettings(settings.collection, given, version)
    screen.say(`orbweaver: serving at ${server.url}; a worker joins with: ${joinLine(server, settings)}`)
    if (settings.joinSecret === undefined && server.publicUrl !== server.url)
      screen.say(
        `orbweaver: note: without --join-secret only workers on this machine can join, with --server ${server.url}`,
      )
    if (server.snapshot().urls.known === 0)
      screen.say(
        'orbweaver: note: there are no seeds, so nothing can be handed out; name some at the start, or add them with orbweaver seed (with --database also while servers run)',
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
      const { why, exit, documents, seeds } = await server.done
      const { collection: folder } = settings
      if (why === 'complete')
        for (const line of [...movedWords(seeds, folder), ...emptyWords(seeds, folder)]) screen.say(line)
      if (settings.json)
        screen.print(JSON.stringify({ ended: why, documents, collection: settings.collection }, undefined, 2))
      else if (!settings.quiet) screen.say(`${ENDED[why]}: ${some(documents, 'document')}.`)
      return exit
    } finally {
      deaf()
      view.stop()
    }
  },
}

/** Without a join secret nobody else's machine is let in, so its name is no help unless the operator gave it. */
function joinLine(server: ServeHandle, { joinSecret, publicUrl }: Settings): string {
  const url = joinSecret === undefined && publicUrl === undefined ? server.url : server.publicUrl
  return `orbweaver worker --server ${shellWord(url)}${joinSecret === undefined ? '' : ' --join-secret @FILE'}`
}
