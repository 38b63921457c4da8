/** One crawl from start to end, as `crawl` and `demo` run it: view, signals, last words. */

import { formatDuration, formatSize } from '../../base/units.ts'
import { grouped } from '../../report/text-table.ts'
import type { CrawlEnd } from '../composition/crawl.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import type { Invocation } from './command.ts'
import { eventLine } from './event-line.ts'
import { keepSettings } from './keep-settings.ts'
import { watchCrawl } from './live-view.ts'
import { emptySeedLine } from './seed-words.ts'
import { collectionFlag, shellWord, some } from './words.ts'

type Seeds = Parameters<Invocation['services']['startCrawl']>[1]['seeds']

export interface Ran {
  end: CrawlEnd
  last: CrawlSnapshot
  tookMs: number
}

/** Who crawls without saying who they are should know that. */
export function noteContact({ settings, screen }: Invocation): void {
  if (settings.contact !== undefined) return
  screen.say(
    'orbweaver: note: no --contact is given, so webmasters cannot find out who crawls them; give the URL of a page that explains it, or an e-mail address',
  )
}

export async function runCrawl(call: Invocation, seeds: Seeds): Promise<Ran> {
  const { settings, screen, clock, version, services } = call
  const begun = clock.elapsed()
  const journal = settings.verbose ? (event: { kind: string }) => screen.say(eventLine(event, clock.now())) : undefined
  const handle = await services.startCrawl(settings, {
    seeds,
    version,
    given: call.given,
    ...(journal === undefined ? {} : { journal }),
  })
  await keepSettings(settings.collection, call.given, version)
  const view = watchCrawl(() => handle.snapshot(), {
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
    const end = await handle.done
    return { end, last: handle.snapshot(), tookMs: clock.elapsed() - begun }
  } finally {
    deaf()
    view.stop()
  }
}

/** What the crawl came to, and what can be done next. */
export function lastWords({ end, last, tookMs }: Ran, folder: string): string {
  const sum = `${some(end.documents, 'document')}, ${formatSize(last.bytes)}, ${grouped(last.sites.done)} of ${some(last.sites.total, 'site')} done${heldWords(last)}, in ${formatDuration(tookMs)}`
  const again = `orbweaver crawl${collectionFlag(folder)}`
  switch (end.why) {
    case 'complete':
      return `${end.seeds.areAllEmpty ? 'Complete, but no seed brought anything' : 'Complete'}: ${sum}.\nCollection: ${folder}`
    case 'interrupted':
      return `Stopped: ${sum}.\nGo on with: ${again}`
    case 'pages':
      return `Stopped at --max-pages: ${sum}.\nGo on with: ${again} --max-pages MORE`
    case 'time':
      return `Stopped at --max-time: ${sum}.\nGo on with: ${again}`
    case 'size':
      return `Stopped at --max-size: ${sum}.\nGo on with: ${again} --max-size MORE`
  }
}

/** Sites of a domain with too many that nobody vouches for: at the end they still wait, and the sum says so. */
function heldWords({ sites: { total, ...others } }: CrawlSnapshot): string {
  const held = Object.values(others).reduce((rest, count) => rest - count, total)
  return held > 0 ? ` (${grouped(held)} held: orbweaver status says why)` : ''
}

/**
 * `example.org` that lives at `www.example.org`: said, because little was collected and nobody would guess why. Where it
 * moved is a stranger's text in a line to be copied into a shell.
 */
export function movedWords({ moved }: CrawlEnd['seeds'], folder: string): string[] {
  return moved.map(
    ({ from, to }) =>
      `orbweaver: note: ${from} has moved to ${to}, which is not in the scope; orbweaver crawl ${shellWord(to)}${collectionFlag(folder)} adds it`,
  )
}

/** Seeds that brought nothing, and why: nobody would guess it from a sum. */
export function emptyWords({ looked, empty, examples, moved }: CrawlEnd['seeds'], folder: string): string[] {
  const lines = examples.map(emptySeedLine)
  const more = empty - examples.length - moved.length
  if (more > 0) lines.push(`orbweaver: … and ${some(more, 'more seed')} brought nothing`)
  if (more > 0 || (looked > empty && empty > 1))
    lines.push(`orbweaver: what became of each seed: orbweaver seed --list${collectionFlag(folder)}`)
  return lines
}

/** A list that somebody may have edited has changed: said, with where to look. */
export function mirrorWords({ end }: Ran): string[] {
  const [first, ...more] = end.mirrorsLeft
  if (first === undefined) return []
  const others = more.length === 0 ? '' : ` and ${some(more.length, 'other')}`
  return [
    `orbweaver: note: ${first.replica} is no mirror of ${first.original} any more (${first.why})${others}: the list of mirrors says so now`,
  ]
}

/** The keys that docs/reference/json.md lists. */
export function crawlJson({ end, last, tookMs }: Ran, folder: string): object {
  return {
    collection: folder,
    ended: end.why,
    exit: end.exit,
    documents: end.documents,
    movedSeeds: end.seeds.moved,
    emptySeeds: end.seeds.examples,
    mirrorsLeft: end.mirrorsLeft,
    bytes: last.bytes,
    requests: last.requests,
    failures: last.failures,
    refused: last.refused,
    urls: last.urls,
    sites: last.sites,
    seconds: Math.round(tookMs) / 1000,
  }
}
