/** Shows a worker at work: one line, redrawn on a terminal, told now and then elsewhere. */

import type { Clock, Millis } from '../../base/clock.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { WorkerSnapshot } from '../../cluster/worker/run-threads.ts'
import type { Watching } from './live-view.ts'
import { clip, plain } from './progress.ts'
import type { Screen } from './screen.ts'
import { some } from './words.ts'

const REDRAW_MS = 500

export function watchWorker(
  snapshot: () => WorkerSnapshot,
  { screen, clock, quiet, lineEvery }: { screen: Screen; clock: Clock; quiet: boolean; lineEvery: Millis },
): Watching {
  if (quiet) return { stop() {} }
  const begun = clock.elapsed()
  let cancel = () => {}
  const show = () => {
    const line = workerLine(snapshot(), clock.elapsed() - begun)
    if (screen.isTerminal) screen.draw([clip(line, screen.width() - 1)])
    else if (clock.elapsed() - begun >= lineEvery) screen.say(line)
    cancel = clock.after(screen.isTerminal ? REDRAW_MS : lineEvery, show)
  }
  show()
  return {
    stop() {
      cancel()
      screen.draw([])
    },
  }
}

export function workerLine(now: WorkerSnapshot, tookMs: Millis): string {
  const rate = tookMs === 0 ? 0 : now.pages / (tookMs / 1000)
  const kept = now.undelivered === 0 ? '' : `; ${some(now.undelivered, 'report')} kept until a server is back`
  const lost = now.lostMs === undefined ? '' : `; no server has answered for ${formatDuration(Math.round(now.lostMs))}`
  const slow = now.slow[0] === undefined ? '' : `; slow: ${plain(now.slow[0].site)} (${plain(now.slow[0].why)})`
  return `${formatDuration(Math.round(tookMs / 1000) * 1000)}: ${some(now.visits, 'site')}, ${some(now.pages, 'page')}, ${formatSize(now.bytes)}, ${rate.toFixed(1)}/s${kept}${lost}${slow}`
}

/** What a worker came to when it ended. */
export function workerSummary(
  why: 'complete' | 'interrupted',
  { pages, bytes }: WorkerSnapshot,
  tookMs: Millis,
): string {
  const sum = `${some(pages, 'page')}, ${formatSize(bytes)}, in ${formatDuration(Math.round(tookMs / 1000) * 1000)}`
  return why === 'complete'
    ? `Complete: ${sum}. The crawl is over.`
    : `Stopped: ${sum}. The same command in the same folder makes it the same worker.`
}
