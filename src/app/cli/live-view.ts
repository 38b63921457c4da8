/** Shows a running crawl: redrawn on a terminal, a line now and then elsewhere, nothing when quiet. */

import type { Clock, Millis } from '../../base/clock.ts'
import { formatDuration } from '../../base/units.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import { type History, liveLines, plain, progressLine, remember } from './progress.ts'
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
  const outage = tellOutages(snapshot, screen, clock)
  if (options.quiet) return outage
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
      outage.stop()
      cancel()
      screen.draw([])
    },
  }
}

/** Who goes without a database for so long should hear of it, quiet or not. */
const OUTAGE_MS = 3000
const LOOK_MS = 1000

function tellOutages(snapshot: () => CrawlSnapshot, screen: Screen, clock: Clock): Watching {
  let since: number | undefined
  let cancel = () => {}
  const view = () => {
    const { outage } = snapshot()
    if (outage !== undefined && since === undefined && outage.forMs >= OUTAGE_MS) {
      since = clock.elapsed() - outage.forMs
      screen.say(`orbweaver: ${plain(outage.what)}; it is waited for, and nothing is lost meanwhile`)
    } else if (outage === undefined && since !== undefined) {
      const away = formatDuration(Math.round((clock.elapsed() - since) / 1000) * 1000)
      screen.say(`orbweaver: the database is back after ${away}`)
      since = undefined
    }
    cancel = clock.after(LOOK_MS, view)
  }
  view()
  return { stop: () => cancel() }
}
