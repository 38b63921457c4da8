import type { ServeHandle } from '../../composition/serve.ts'
import type { Settings } from '../../config/keys.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command, Invocation } from '../command.ts'
import { watchCrawl } from '../progress.ts'
import {
  attend,
  dashboardNote,
  ENDED,
  isStuck,
  journalOption,
  keepSettings,
  noteContact,
  seedNotes,
  viewOptions,
} from '../run-crawl.ts'
import { shellWord, some } from '../text.ts'

export const serve: Command = {
  name: 'serve',
  usage: '[SEED…]',
  what: 'run a server that hands out a crawl to workers on other machines',
  more:
    'Answers workers over HTTP (orbweaver worker --server URL): hands them sites to visit, keeps the pauses across all of them, and stores what they report. With --database postgres://… any number of servers share one crawl, and any server can take over from another; without it the server keeps everything in the folder of the collection.\n' +
    "New workers need the server's --join-secret; without one, only workers on the same machine may join. Ctrl-C stops the server; workers finish what they have, keep their reports and deliver them when a server is back. Exit codes: 0 complete (with --until-done), 1 no seed led to a document, 2 wrong flag or seed, 3 disk full, 4 database unreachable, 11 stopped, 14, 15 or 16 page, time or size limit reached.",
  examples: {
    'ORBWEAVER_JOIN_SECRET=… orbweaver serve https://www.example.org/ --host 0.0.0.0 -c news':
      'One server, with everything in ./news.',
    'ORBWEAVER_DATABASE=postgres://… orbweaver serve --seeds sites.txt --join-secret @/etc/orbweaver/join':
      'One of several servers on PostgreSQL.',
  },
  async run(call) {
    const { settings, screen, version, services, given } = call
    const seeds = await readSeeds({ args: call.args, file: settings.seeds, mayBeEmpty: true })
    noteContact(call)
    const server = await services.startServer(settings, {
      ...{ seeds, version, given, restarts: call.heart.restarts },
      ...journalOption(call),
    })
    await keepSettings(call)
    const view = watchCrawl(() => server.snapshot(), viewOptions(call))
    const ended = async ({ why, exit, documents, seeds }: Awaited<ServeHandle['done']>) => {
      if (why === 'complete') for (const line of seedNotes(seeds, settings.collection)) screen.say(line)
      if (settings.json) screen.printJson({ ended: why, documents, collection: settings.collection })
      else if (!settings.quiet) screen.say(`${ENDED[why]}: ${some(documents, 'document')}.`)
      return exit
    }
    const attended = attend(call, server, view, STOPPING, ended, () => isStuck(server.snapshot()))
    // Who reads this may stop the server at once.
    announce(call, server)
    return attended
  },
}

const STOPPING = 'orbweaver: stopping; workers keep what they have not delivered and deliver it when a server is back'

function announce({ settings, screen }: Invocation, server: ServeHandle): void {
  screen.say(`orbweaver: serving at ${server.url}; start a worker with: ${workerCommand(server, settings)}`)
  if (settings.joinSecret === undefined && server.publicUrl !== server.url)
    screen.say(
      `orbweaver: note: without --join-secret only workers on this machine can join, with --server ${server.url}`,
    )
  screen.say(dashboardNote(`${server.url}${settings.basePath}`, settings))
  if (server.snapshot().urls.known === 0)
    screen.say(
      'orbweaver: note: there are no seeds, so there is nothing to hand out; give some at the start, or add them with orbweaver seed (with --database also while servers run)',
    )
}

/**
 * Without a join secret only workers on this machine may join, so the public URL is of use only if the user gave it. They need a folder
 * beside the server's.
 */
function workerCommand(server: ServeHandle, { joinSecret, publicUrl }: Settings): string {
  const isLocal = joinSecret === undefined && publicUrl === undefined
  const url = shellWord(isLocal ? server.url : server.publicUrl)
  const more = joinSecret === undefined ? (isLocal ? ' -c worker' : '') : ' --join-secret @FILE'
  return `orbweaver worker --server ${url}${more}`
}
