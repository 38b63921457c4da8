import { existsSync } from 'node:fs'
import { allTables } from '../../../report/tables.ts'
import { printTable } from '../../../report/text-table.ts'
import { loadSettings } from '../../config/load.ts'
import { readSeeds } from '../../config/seeds.ts'
import type { Command, Invocation } from '../command.ts'
import type { ServedWeb } from '../demo-web.ts'
import { crawlJson, resultText, runCrawl } from '../run-crawl.ts'
import { collectionFlag, some } from '../text.ts'
import { pagesPerSite } from './simulate.ts'

export const demo: Command = {
  name: 'demo',
  usage: '',
  what: 'serve a small synthetic web on this machine and collect it',
  more: 'Serves a synthetic web on loopback (about thirty sites and over a thousand pages, with redirects, duplicates, robots.txt files, failing servers, mirrors, session ids and traps), collects it with the ordinary crawler, prints the results and shows where the collection is. Nothing leaves this machine. It takes less than a minute.',
  examples: {
    'orbweaver demo': 'Serve, collect and report. The collection goes to a new folder, ./demo-collection.',
    'orbweaver demo --sites 100 -c big': 'A larger web, collected into ./big.',
    'orbweaver demo --random-seed 7': 'A different web.',
  },
  async run(call) {
    const { settings, screen, services } = call
    const folder = call.given.has('collection') ? settings.collection : freshFolder()
    const web = await services.serveWeb({
      sites: settings.sites,
      pages: pagesPerSite(settings.pages),
      seed: settings.randomSeed,
    })
    try {
      const crawl = crawlCall(call, folder, web.resolve)
      if (!settings.quiet)
        screen.say(
          `Serving a synthetic web of ${some(web.sites, 'site')} and ${some(web.pages, 'page')} on this machine,\n` +
            `with ${some(web.failing, 'failing server')}, ${some(web.mirrors, 'mirror')} and ${some(web.traps, 'trap')}.\nCollecting it into ${folder}`,
        )
      const result = await runCrawl(crawl, await readSeeds({ args: web.seeds, file: undefined }))
      if (settings.json) screen.printJson(crawlJson(result, folder))
      else {
        screen.print(await tables(call, folder))
        screen.print(resultText(result, folder))
        if (result.end.why !== 'interrupted') screen.print(`\n${tryNext(folder, web)}`)
      }
      return result.end.exit
    } finally {
      await web.close()
    }
  },
}

/** The demo is the ordinary crawl with flags that any user could give. */
function crawlCall(call: Invocation, folder: string, resolve: readonly string[]): Invocation {
  const flags = ['--collection', folder, '--pause-for', '*.test=100ms']
  flags.push('--patience', '0.01', '--links', 'combined', '--scope', 'tld:test', '--progress-every', '2s')
  // One of the servers never answers.
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
  const commands: readonly (readonly [string, string])[] = [
    [`get ${seeds[0]}`, 'print a page as it was collected'],
    [`explain ${seeds[0]}`, 'show why a page is, or is not, in the collection'],
    ...(trap === undefined ? [] : [[`explain ${trap}`, 'show a site with a trap: what was stopped, and why'] as const]),
    ['mirrors', 'list sites that are copies of others'],
    ['verify', 'check every record and digest'],
  ]
  return [
    'Try next:',
    // Two lines each, to fit 80 columns.
    ...commands.flatMap(([command, what]) => [`  orbweaver ${command}${collectionFlag(folder)}`, `      ${what}`]),
    "(In a checkout, write 'npm start --silent --' instead of 'orbweaver'.)",
  ].join('\n')
}

/** A demo never adds to an existing collection. */
function freshFolder(): string {
  for (let i = 1; ; i++) {
    const folder = i === 1 ? './demo-collection' : `./demo-collection-${i}`
    if (!existsSync(folder)) return folder
  }
}
