import { EXIT, Problem } from '../../../base/errors.ts'
import type { Command } from '../command.ts'
import { watchWorker, workerSummary } from '../progress.ts'
import { attend, FINISHING, journalOption, noteMissingVectors, viewOptions } from '../run-crawl.ts'
import { some } from '../text.ts'

/** After this time without an answer the worker says what it is waiting for. */
const SILENT_MS = 5000

export const worker: Command = {
  name: 'worker',
  usage: '--server URL [--server URL…]',
  what: 'visit the sites that a server hands out',
  more:
    "Pulls sites from a server over HTTP, from behind any firewall, visits them exactly as politely as crawl does, and reports the results. The server's settings decide what is collected. The worker's folder (-c) must not be that of a collection or a server. Reports that cannot be delivered stay in it until a server is back; a worker restarted in the same folder keeps its identity.\n" +
    'Ctrl-C finishes the requests in flight and returns the remaining work.',
  examples: {
    'orbweaver worker --server http://127.0.0.1:8723 -c worker': "On the server's own machine, in a folder of its own.",
    'orbweaver worker --server https://a.example.org --server https://b.example.org --join-secret @join -c work':
      'On another machine, with two servers to choose from.',
  },
  async run(call) {
    const { settings, screen, clock, version, services } = call
    const begun = clock.elapsed()
    const servers = settings.server.join(' or ')
    if (servers === '') throw new Problem('bad-flag', 'no server given: orbweaver worker --server http://HOST:8723')
    const answered = clock.after(SILENT_MS, () =>
      screen.say(`orbweaver: waiting for ${servers} to answer; giving up after a minute`),
    )
    const handle = await services.startWorker(settings, { version, ...journalOption(call) }).finally(answered)
    screen.say(`orbweaver: ${handle.name} is working for ${servers}`)
    noteMissingVectors(call)
    const view = watchWorker(() => handle.snapshot(), viewOptions(call))
    return attend(call, handle, view, FINISHING, async ({ why, undelivered }) => {
      if (undelivered > 0)
        screen.say(
          `orbweaver: could not deliver ${some(undelivered, 'report')}; kept in ${settings.collection}, run the same command again to deliver`,
        )
      if (settings.json) screen.printJson({ ended: why, ...handle.snapshot(), undelivered })
      else if (!settings.quiet) screen.say(workerSummary(why, handle.snapshot(), clock.elapsed() - begun))
      return why === 'complete' ? EXIT.done : EXIT.interrupted
    })
  },
}
