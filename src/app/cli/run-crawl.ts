/** Runs one crawl from start to end, for `crawl` and `demo`, and phrases its notes and its result. */
import { join } from 'node:path'
import { replaceFile } from '../../base/disk.ts'
import { missingVectors } from '../../base/load-wasm.ts'
import { pick } from '../../base/pick.ts'
import { realDisk } from '../../base/real-disk.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { Event } from '../../contracts/events.ts'
import { grouped } from '../../report/text-table.ts'
import type { CrawlEnd } from '../composition/crawl.ts'
import type { CrawlEndReason, CrawlSnapshot } from '../composition/crawl-view.ts'
import type { Settings } from '../config/keys.ts'
import { COLLECTION_FILE } from '../config/load.ts'
import { writeSettingsFile } from '../config/settings-file.ts'
import type { Invocation } from './command.ts'
import { type Watching, watchCrawl } from './progress.ts'
import { emptySeedLine } from './seed-text.ts'
import { collectionFlag, eventLine, shellWord, some } from './text.ts'

export type CrawlResult = Awaited<ReturnType<typeof runCrawl>>

export const FINISHING =
  'orbweaver: finishing the requests in flight; press Ctrl-C again to stop at once (nothing is lost either way)'

export function noteContact({ settings, screen }: Invocation): void {
  if (settings.contact !== undefined) return
  screen.say(
    'orbweaver: note: no --contact given, so webmasters cannot find out who is crawling; give the URL of a page about your crawl, or an e-mail address',
  )
}

export function noteMissingVectors({ screen }: Pick<Invocation, 'screen'>): void {
  const missing = missingVectors()
  if (missing !== undefined) screen.say(`orbweaver: note: ${missing}`)
}

/** With `--verbose` every event is printed; otherwise a mail that could not be sent, if the one before could. */
export function journalOption({ settings, screen, clock }: Invocation): { journal?: (event: Event) => void } {
  if (settings.verbose) return { journal: (event) => screen.say(eventLine(event, clock.now())) }
  if (settings.mailTo.length === 0) return {}
  let isFailing = false
  const journal = (event: Event) => {
    if (event.kind !== 'mail') return
    const failed = event.result === 'failed'
    if (failed && !isFailing) screen.say(`orbweaver: note: ${event.what}`)
    isFailing = failed
  }
  return { journal }
}

export function viewOptions({ settings, screen, clock }: Invocation) {
  return { screen, clock, quiet: settings.quiet || settings.verbose, lineEvery: settings.progressEvery }
}

/** Writes `orbweaver.yaml` into a collection that has none. */
export async function keepSettings({ settings, given, version }: Invocation): Promise<void> {
  const path = join(settings.collection, COLLECTION_FILE)
  if (realDisk.size(path) === undefined) await replaceFile(realDisk, path, writeSettingsFile(given, version))
}

export async function runCrawl(call: Invocation, seeds: Parameters<Invocation['services']['startCrawl']>[1]['seeds']) {
  const { settings, given, clock, version, services } = call
  const begun = clock.elapsed()
  noteMissingVectors(call)
  const { restarts } = call.heart
  const handle = await services.startCrawl(settings, { seeds, version, given, restarts, ...journalOption(call) })
  await keepSettings(call)
  if (handle.dashboard !== undefined) call.screen.say(dashboardNote(handle.dashboard, settings))
  const first = handle.snapshot()
  const view = watchCrawl(() => handle.snapshot(), viewOptions(call))
  const ended = async (end: CrawlEnd) => ({ end, first, last: handle.snapshot(), tookMs: clock.elapsed() - begun })
  return attend(call, handle, view, FINISHING, ended, () => isStuck(handle.snapshot()))
}

export function dashboardNote(url: string, { viewerToken, operatorToken }: Settings): string {
  const local =
    viewerToken === undefined && operatorToken === undefined
      ? ' (only from this machine; --operator-token opens it to others)'
      : ''
  return `orbweaver: dashboard at ${url}/${local}`
}

/** The work of every second was not done for a minute. After five more, the supervisor starts the process again. */
const STUCK_MS = 60_000
export const isStuck = ({ stuckMs }: CrawlSnapshot): boolean => stuckMs > STUCK_MS

/** Waits for the end of a crawl, server or worker, and for `ended`; the view stays until then. Ctrl-C asks it to stop. */
export async function attend<End, T>(
  call: Invocation,
  running: { done: Promise<End>; stop(): void },
  view: Watching,
  stopping: string,
  ended: (end: End) => Promise<T>,
  isStuck: () => boolean = () => false,
): Promise<T> {
  call.heart.running(isStuck)
  const stopListening = call.onInterrupt(() => {
    call.screen.say(stopping)
    running.stop()
  })
  try {
    return await ended(await running.done)
  } finally {
    stopListening()
    view.stop()
  }
}

export const ENDED: Readonly<Record<CrawlEndReason, string>> = {
  complete: 'Complete',
  interrupted: 'Stopped',
  pages: 'Stopped at --max-pages',
  time: 'Stopped at --max-time',
  size: 'Stopped at --max-size',
}

/** What the crawl collected, and what to do next. */
export function resultText({ end, last, tookMs }: CrawlResult, folder: string): string {
  const sum = `${some(end.documents, 'document')}, ${formatSize(last.bytes)}, ${grouped(last.sites.done)} of ${some(last.sites.total, 'site')} done${heldText(last)}, in ${formatDuration(tookMs)}`
  if (end.why === 'complete')
    return `${end.seeds.areAllEmpty ? 'Complete, but no seed led to a document' : 'Complete'}: ${sum}.\nCollection: ${folder}`
  const raise = end.why === 'pages' ? ' --max-pages MORE' : end.why === 'size' ? ' --max-size MORE' : ''
  return `${ENDED[end.why]}: ${sum}.\nResume with: orbweaver crawl${collectionFlag(folder)}${raise}`
}

/** At the end, sites that are held back are neither done nor waiting. */
function heldText({ sites: { total, ...others } }: CrawlSnapshot): string {
  const held = Object.values(others).reduce((rest, count) => rest - count, total)
  return held > 0 ? ` (${grouped(held)} held back: see orbweaver status)` : ''
}

/** Notes on seeds that led to no document: nobody would guess the reason from the totals. */
export function seedNotes({ looked, empty, examples, moved }: CrawlEnd['seeds'], folder: string): string[] {
  // Where a seed moved to is a text from the web, in a command to be copied into a shell.
  const lines = moved.map(
    ({ from, to }) =>
      `orbweaver: note: ${from} redirects to ${to}, which is out of scope; to add it: orbweaver crawl ${shellWord(to)}${collectionFlag(folder)}`,
  )
  lines.push(...examples.map(emptySeedLine))
  const more = empty - examples.length - moved.length
  if (more > 0) lines.push(`orbweaver: … and ${some(more, 'more seed')} led to no document`)
  if (more > 0 || (looked > empty && empty > 1))
    lines.push(`orbweaver: to see what became of each seed: orbweaver seed --list${collectionFlag(folder)}`)
  return lines
}

/** The list of mirrors may have been edited by hand, so a note reports each change. */
export function mirrorNotes({ end }: CrawlResult): string[] {
  const [first, ...more] = end.mirrorsLeft
  if (first === undefined) return []
  const others = more.length === 0 ? '' : ` and ${some(more.length, 'other')}`
  return [
    `orbweaver: note: removed from the list of mirrors: ${first.replica}, no longer a copy of ${first.original} (${first.why})${others}`,
  ]
}

/** The keys that docs/reference/json.md lists. */
export function crawlJson({ end, last, tookMs }: CrawlResult, folder: string): object {
  return {
    collection: folder,
    ended: end.why,
    exit: end.exit,
    documents: end.documents,
    movedSeeds: end.seeds.moved,
    emptySeeds: end.seeds.examples,
    mirrorsLeft: end.mirrorsLeft,
    ...pick(last, 'bytes', 'requests', 'failures', 'refused', 'urls', 'sites'),
    seconds: Math.round(tookMs) / 1000,
  }
}
