/** Shows a running crawl: redrawn on a terminal, a line now and then elsewhere, nothing when quiet. */

import type { CrawlSnapshot } from '../assemble/crawl-view.ts'
import type { Clock, Millis } from '../base/clock.ts'
import { type History, liveLines, progressLine, remember } from './progress.ts'
import type { Screen } from './screen.ts'

const REDRAW_MS = 500

export interface Watching {
  /** The last picture is taken away. */
  stop(): void
}

export function watchCrawl(
  snapshot: () => CrawlSnapshot,
  options: { screen: Screen; clock: Clock; quiet: boolean; lineEvery: Millis },
): Watching {
  const { screen, clock } = options
  if (options.quiet) return { stop() {} }
  let history: History = []
  let cancel = () => {}
  const every = screen.isTerminal ? REDRAW_MS : options.lineEvery
  const show = () => {
    history = remember(history, snapshot())
    if (screen.isTerminal) screen.draw(liveLines(history, { width: screen.width(), colour: screen.colour }))
    else if (history.length > 1) screen.say(progressLine(history))
    cancel = clock.after(every, show)
  }
  show()
  return {
    stop() {
      cancel()
      screen.draw([])
    },
  }
}
