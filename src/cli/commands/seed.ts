import { EXIT, Problem } from '../../base/errors.ts'
import { readSeeds } from '../../config/seeds.ts'
import { grouped } from '../../report/text-table.ts'
import type { Command } from '../command.ts'
import { collectionFlag } from '../words.ts'

export const seed: Command = {
  name: 'seed',
  usage: '[SEED…]',
  what: 'add seeds to a collection without crawling',
  more: 'Adds URLs to what a collection will begin with. A URL that is known already is not added again. The collection must not be in use by a running crawl.',
  examples: [
    { line: 'orbweaver seed https://www.example.org/ -c news', does: 'One more site.' },
    { line: 'cat names.txt | orbweaver seed --seeds - -c news', does: 'A list from standard input.' },
  ],
  words: { least: 0, most: Number.POSITIVE_INFINITY },
  async run(call) {
    const { settings, screen, doors, version } = call
    const seeds = readSeeds({ words: call.words, file: settings.seeds })
    if (seeds.length === 0) throw new Problem('no-seeds', 'name seeds, or a file of seeds with --seeds FILE')
    const { added, known } = await doors.addSeeds(settings, { seeds, version })
    if (settings.json) screen.print(JSON.stringify({ collection: settings.collection, added, known }, undefined, 2))
    else if (!settings.quiet)
      screen.print(
        `${grouped(added)} seeds added, ${grouped(known)} were known. Collect them with: orbweaver crawl${collectionFlag(settings.collection)}`,
      )
    return EXIT.done
  },
}
