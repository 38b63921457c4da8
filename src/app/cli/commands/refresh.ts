import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Problem } from '../../../base/errors.ts'
import { pick } from '../../../base/pick.ts'
import { formatDuration } from '../../../base/units.ts'
import { grouped } from '../../../report/text-table.ts'
import type { Command } from '../command.ts'
import { freshnessJson, freshnessText } from '../freshness-text.ts'
import { looksOf } from '../progress.ts'
import { type CrawlResult, noteContact, runCrawl } from '../run-crawl.ts'
import { collectionFlag, some } from '../text.ts'

export const refresh: Command = {
  name: 'refresh',
  usage: '',
  what: 'keep a collection fresh: look again at its pages where that is worth most',
  more:
    'Looks again at the pages of a collection, as often as each seems to change and as politeness permits, and learns from every look how often that is. Unchanged pages cost little: the server is asked whether they have changed. New pages that are found are collected, too. Progress shows how fresh the collection is expected to be, and the most that any program could reach at these pauses.\n' +
    'It runs until Ctrl-C, for a given time (--for), or looks once at every page (--once). Nothing is lost when it is stopped or killed; the same command goes on. Exit codes: 0 done (--once, --for), 1 there are no pages to refresh, 2 wrong flag, 3 disk full, 4 database unreachable, 11 interrupted.',
  examples: {
    'orbweaver refresh': 'Keep ./collection fresh until Ctrl-C.',
    'orbweaver refresh -c news --once': 'Look once at every page of ./news.',
    'orbweaver refresh -c news --for 24h --refresh-rate 5': 'For a day, with at most about five looks per second.',
    'orbweaver refresh -c news --refresh-weights weights.txt': 'Where some pages count more than others.',
  },
  async run(call) {
    const { settings: given, screen } = call
    const { collection: folder, once, for: forTime } = given
    if (once && forTime !== undefined)
      throw new Problem('bad-flag', '--once and --for contradict each other; give only one of them')
    if (given.database === undefined && !existsSync(join(folder, 'collection.db')))
      throw new Problem(
        'no-collection',
        `there is no collection in ${folder} to refresh; name another (-c DIR), or collect one first: orbweaver crawl https://www.example.org/${collectionFlag(folder)}`,
      )
    // Limits of a crawl end no refresh.
    const limits = { maxPages: undefined, maxSize: undefined, maxTime: forTime }
    const settings = { ...given, ...limits, refresh: true }
    noteContact(call)
    const result = await runCrawl({ ...call, settings }, [])
    const isSaid = !settings.json && (!settings.quiet || result.end.why === 'interrupted')
    if (isSaid) screen.say(refreshText(result, folder, once))
    const json = refreshJson(result, folder)
    return { json, text: undefined, exit: json.exit }
  },
}

export function refreshText({ end, first, last, tookMs }: CrawlResult, folder: string, once: boolean): string {
  const { performed, changed, unchanged, failed, moved, refused } = looksOf(first, last)
  const others = [
    [moved, 'moved'],
    [refused, 'no longer permitted or wanted'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`, ${grouped(Number(count))} ${what}`]))
  const sum = `${some(performed, 'look')} (${grouped(changed)} changed, ${grouped(unchanged)} unchanged, ${grouped(failed)} failed${others.join('')}), ${some(last.documents - first.documents, 'new page')}, in ${formatDuration(tookMs)}`
  const freshness = freshnessText(last.refresh?.freshness)
  const lines = [`${end.why === 'complete' || end.why === 'time' ? 'Done' : 'Stopped'}: ${sum}.`]
  if (freshness !== undefined) lines.push(`Expected ${freshness}.`)
  lines.push(
    end.why === 'interrupted'
      ? `Go on with: orbweaver refresh${once ? ' --once' : ''}${collectionFlag(folder)}`
      : `Collection: ${folder}`,
  )
  return lines.join('\n')
}

function refreshJson({ end, first, last, tookMs }: CrawlResult, folder: string) {
  return {
    collection: folder,
    ended: end.why,
    // The user asked for this time, so its end is no limit reached.
    exit: end.why === 'time' ? EXIT.done : end.exit,
    pages: last.refresh?.pages ?? 0,
    looks: looksOf(first, last),
    newPages: last.documents - first.documents,
    freshness: freshnessJson(last.refresh?.freshness),
    ...pick(last, 'urls', 'sites'),
    requests: last.requests - first.requests,
    seconds: Math.round(tookMs) / 1000,
  }
}
