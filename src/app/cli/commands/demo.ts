import { existsSync } from 'node:fs'
import { allTables } from '../../../report/tables.ts'
import { printTable } from '../../../report/text-table.ts'
import { loadSettings } from '../../config/load.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command, Invocation } from '../command.ts'
import { crawlJson, lastWords, runCrawl } from '../run-crawl.ts'
import type { ServedWeb } from '../services.ts'
import { collectionFlag, some } from '../words.ts'
import { pagesOfASite } from './simulate.ts'

export const demo: Command = {
  name: 'demo',
  usage: '',
  what: 'serve a small synthetic web on this machine and collect it',
  more: 'Serves a synthetic web (some thirty sites, over a thousand pages, with redirects, duplicates, robots files, servers that fail, mirrors, session ids and traps) on loopback, collects it with the ordinary crawler, prints what came of it and says where the collection is. Nothing leaves this machine. It takes less than a minute.',
  examples: [
    { line: 'orbweaver demo', does: 'Serve, collect, show. The collection goes to a new folder, ./demo-collection.' },
    { line: 'orbweaver demo --sites 100 -c big', does: 'A larger web, into ./big.' },
    { line: 'orbweaver demo --random-seed 7', does: 'Another web.' },
  ],
  words: { min: 0, max: 0 },
  async run(call) {
    const { screen, services } = call
    const folder = call.given.has('collection') ? call.settings.collection : freshFolder()
    const web = await services.serveWeb({
      sites: call.settings.sites,
      pages: pagesOfASite(call.settings.pages),
      seed: call.settings.randomSeed,
    })
    try {
      const crawl = crawlOf(call, folder, web.resolve)
      if (!call.settings.quiet)
        screen.say(
          `A synthetic web of ${some(web.sites, 'site')} and ${some(web.pages, 'page')} is served on this machine,\n` +
            `with ${some(web.failing, 'failing server')}, ${some(web.mirrors, 'mirror')} and ${some(web.traps, 'trap')}.\nCollecting it into ${folder}`,
        )
      const ran = await runCrawl(crawl, readSeeds({ words: web.seeds, file: undefined }))
      if (call.settings.json) screen.print(JSON.stringify(crawlJson(ran, folder), undefined, 2))
      else {
        screen.print(await tables(call, folder))
        screen.print(
          ran.end.why === 'interrupted'
            ? lastWords({ ...ran }, folder)
            : `${lastWords(ran, folder)}\n\n${tryNext(folder, web)}`,
        )
      }
      return ran.end.exit
    } finally {
      await web.close()
    }
  },
}

/** The demo is the ordinary crawl with flags that anybody could give. */
function crawlOf(call: Invocation, folder: string, resolve: readonly string[]): Invocation {
  const flags = ['--collection', folder, '--pause-for', '*.test=100ms']
  flags.push('--patience', '0.01', '--links', 'combined', '--scope', 'tld:test', '--progress-every', '2s')
  // One of its servers never answers.
  flags.push('--first-byte-timeout', '2s')
  for (const rule of resolve) flags.push('--resolve', rule)
  flags.push('--workers', String(call.settings.workers))
  if (call.settings.quiet) flags.push('--quiet')
  if (call.settings.verbose) flags.push('--verbose')
  const { settings, given } = loadSettings(flags, 'crawl', { env: {}, readFile: () => undefined })
  return { ...call, settings, given }
}

async function tables(call: Invocation, folder: string): Promise<string> {
  const reader = await call.services.openCollection(folder, undefined)
  try {
    return `${allTables(await reader.figures())
      .map(printTable)
      .join('\n\n')}\n`
  } finally {
    await reader.close()
  }
}

function tryNext(folder: string, { seeds, trap }: ServedWeb): string {
  const flag = collectionFlag(folder)
  const lines: [string, string][] = [
    [`get ${seeds[0]}`, 'a page as it was collected'],
    [`explain ${seeds[0]}`, 'why it is, or is not, in the collection'],
    ...(trap === undefined
      ? []
      : [[`explain ${trap}`, 'a site with a trap: what was stopped, and why'] as [string, string]]),
    ['mirrors', 'which sites are copies of others'],
    ['verify', 'whether every record and digest is right'],
  ]
  return [
    'Try next:',
    // Two lines each, so that they fit 80 columns.
    ...lines.flatMap(([command, what]) => [`  orbweaver ${command}${flag}`, `      ${what}`]),
    "(from a checkout, 'npm start --silent --' stands for 'orbweaver')",
  ].join('\n')
}

/** A demo never adds to a collection of yours. */
function freshFolder(): string {
  for (let i = 1; ; i++) {
    const folder = i === 1 ? './demo-collection' : `./demo-collection-${i}`
    if (!existsSync(folder)) return folder
  }
}
