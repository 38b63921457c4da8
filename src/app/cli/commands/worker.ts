import { EXIT, Problem } from '../../../base/errors.ts'
import type { Command } from '../command.ts'
import { eventLine } from '../event-line.ts'
import { some } from '../words.ts'
import { watchWorker, workerSummary } from '../worker-view.ts'

/** Who waits longer than this for a server should know for what. */
const PATIENT_MS = 5000

export const worker: Command = {
  name: 'worker',
  usage: '--server URL [--server URL…]',
  what: 'work for a server: visit the sites that it hands out',
  more:
    'Pulls sites from a server over plain HTTP, from behind any firewall, visits them with the same code and the same courtesy as crawl, and reports. What to collect is the server’s to say. Reports that cannot be delivered are kept in the folder of the worker (-c) and delivered when a server is back; the same folder again makes it the same worker.\n' +
    'Ctrl-C finishes what is in flight and gives back the rest.',
  examples: [
    { line: 'orbweaver worker --server http://127.0.0.1:8723', does: 'On the machine of the server.' },
    {
      line: 'orbweaver worker --server https://a.example.org --server https://b.example.org --join-secret @join -c work',
      does: 'Elsewhere, with two servers to choose from.',
    },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const { settings, screen, clock, version, services } = call
    const begun = clock.elapsed()
    if (settings.server.length === 0)
      throw new Problem('bad-flag', 'for whom? Name the server: orbweaver worker --server http://HOST:8723')
    const journal = settings.verbose
      ? (event: { kind: string }) => screen.say(eventLine(event, clock.now()))
      : undefined
    const answered = clock.after(PATIENT_MS, () =>
      screen.say(`orbweaver: waiting for an answer of ${settings.server.join(' or ')}; it is tried for a minute`),
    )
    const starting = services.startWorker(settings, { version, ...(journal && { journal }) })
    const handle = await starting.finally(answered)
    screen.say(`orbweaver: ${handle.name} works for ${settings.server.join(', ')}`)
    const view = watchWorker(() => handle.snapshot(), {
      screen,
      clock,
      quiet: settings.quiet || settings.verbose,
      lineEvery: settings.progressEvery,
    })
    const deaf = call.onInterrupt(() => {
      screen.say('orbweaver: finishing what is in flight; once more Ctrl-C stops at once (nothing is lost either way)')
      handle.stop()
    })
    try {
      const { why, undelivered } = await handle.done
      if (undelivered > 0)
        screen.say(
          `orbweaver: ${some(undelivered, 'report')} could not be delivered; what is left is kept in ${settings.collection}, and the same command brings it`,
        )
      if (!settings.quiet && !settings.json) screen.say(workerSummary(why, handle.snapshot(), clock.elapsed() - begun))
      if (settings.json) screen.print(JSON.stringify({ ended: why, ...handle.snapshot(), undelivered }, undefined, 2))
      return why === 'complete' ? EXIT.done : EXIT.interrupted
    } finally {
      deaf()
      view.stop()
    }
  },
}
