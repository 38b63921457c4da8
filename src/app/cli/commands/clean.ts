import { EXIT } from '../../../base/errors.ts'
import { cleanLines } from '../clean-words.ts'
import type { Command } from '../command.ts'
import { plain } from '../progress.ts'

export const clean: Command = {
  name: 'clean',
  usage: '',
  what: 'list what nobody owns any more, and remove it with --remove',
  more:
    'Lists orphans: leases of workers that are gone, parts of reports that cannot be applied or whose visit nobody knows, volumes in which no capture lies and of which no report can come any more, beginnings of volumes that are complete elsewhere, files that were never finished, volumes that should be here and are not, workers and servers that were silent for long (--older-than), calls that are not to be kept (--keep-calls). It changes nothing without --remove.\n' +
    'With --remove a collection in a folder must not be in use. A shared database (--database) is cleaned while its servers run; the files of a server are looked at when that server is stopped (-c names its folder). In the folder of a worker its outbox is looked at. ' +
    'Volumes in other folders (dir:) and in stores (s3:) are looked at as far as they can be reached from here, and it is said which were not; what the collection does not know of stays there. ' +
    'What a capture of the catalogue names is never removed, nor a volume that holds the only copy of a payload to which a revisit refers, nor a worker that was barred.',
  examples: [
    { line: 'orbweaver clean', does: 'What there is to clean in ./collection.' },
    { line: 'orbweaver clean -c news --remove', does: 'Remove it.' },
    { line: 'orbweaver clean --database @db.txt --older-than 90d', does: 'Of a shared database, less eagerly.' },
  ],
  words: { min: 0, max: 0 },
  async run({ settings, screen, services, version }) {
    const { orphans, notes } = await services.clean(settings, version)
    if (settings.json) {
      const all = orphans.map(({ kind, name, why, bytes = null, count = 1, removed }) => {
        return { kind, name, why, bytes, count, removed }
      })
      const answer = { collection: settings.collection, remove: settings.remove, orphans: all, notes }
      screen.print(JSON.stringify(answer, undefined, 2))
      return EXIT.done
    }
    if (!settings.quiet) for (const note of notes) screen.say(`note: ${plain(note)}`)
    screen.print(cleanLines(orphans, settings.remove).join('\n'))
    return EXIT.done
  },
}
