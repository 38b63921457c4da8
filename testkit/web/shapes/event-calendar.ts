/**
 * The calendar of an association: a page for every day, week and month that ever was or will be, each with a grid of the
 * month to click on. A dozen events are real and have pages of their own; all other days say that there is nothing.
 */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, type Sheet, sheet, slug } from './sheet.ts'

const DAY = 86_400_000
const TODAY = Date.UTC(2026, 2, 14)
/** Events lie within so many days of today. */
const NEAR = 40
/** Further away no server counts. */
const FAR = 300_000

type View = 'day' | 'week' | 'month'
const VIEWS: readonly View[] = ['day', 'week', 'month']

interface Spelling {
  path(view: View, date: string): string
  read: RegExp
}

const SPELLINGS: readonly Spelling[] = [
  // As a plugin of WordPress does it.
  {
    path: (view, date) => (view === 'month' ? `/events/month/${date.slice(0, 7)}/` : `/events/${view}/${date}/`),
    read: /^\/events\/(day|week|month)\/(\d{4}-\d\d(?:-\d\d)?)\/(\?ical=1)?$/,
  },
  {
    path: (view, date) => `/calendar.php?mode=${view}&date=${date.replaceAll('-', '')}`,
    read: /^\/calendar\.php\?mode=(day|week|month)&date=(\d{8})(&export=ics)?$/,
  },
  // As modules of Drupal do it.
  {
    path: (view, date) => `/calendar/${view}/${date.replaceAll('-', '/')}`,
    read: /^\/calendar\/(day|week|month)\/(\d{4}\/\d\d\/\d\d)(\/ical)?$/,
  },
]
const EXPORTS = ['?ical=1', '&export=ics', '/ical']

const dateOf = (offset: number) => new Date(TODAY + offset * DAY).toISOString().slice(0, 10)

export const eventCalendar: Shape = {
  entries: () => ['/whats-on/'],
  page(asked, bound, seed) {
    const kind = choice(seed, 1, SPELLINGS.length)
    const { path, read } = SPELLINGS[kind]
    const days = eventDays(seed)
    const end = Math.min(FAR, bound / 8)
    const event = (day: number) => `/event/${days.indexOf(day) + 1}-${slug(seed, day)}`
    if (asked === '/whats-on/') {
      return realSheet(seed, asked, 'What is on', (pen) => {
        for (const day of days) pen.link(event(day), dateOf(day))
        pen.prose(asked, 2)
        pen.link(path('month', dateOf(0)), 'Calendar')
      })
    }
    const number = readNumber(/^\/event\/(\d+)-/.exec(asked)?.[1], days.length)
    if (number !== undefined && number > 0 && asked === event(days[number - 1])) {
      return realSheet(seed, asked, `Event ${number}`, (pen) => {
        pen.put(`<p>${dateOf(days[number - 1])}</p>`)
        pen.prose(asked, 3)
        if (Math.abs(days[number - 1]) <= end) pen.link(path('day', dateOf(days[number - 1])), 'That day')
      })
    }
    const match = read.exec(asked)
    if (match === null) return undefined
    const view = match[1] as View
    const offset = offsetOf(match[2])
    if (offset === undefined || path(view, dateOf(offset)) + (match[3] ?? '') !== asked) return undefined
    // A month is named by its first day, which may lie a little further.
    if (Math.abs(offset) > end + 31) return undefined
    const sort = Math.abs(offset) <= NEAR ? 'neither' : 'trap'
    if (match[3] !== undefined) {
      const body = `BEGIN:VCALENDAR\r\nX-WR-CALNAME:${dateOf(offset)}\r\nEND:VCALENDAR\r\n`
      return { targets: [], words: asked, body, contentType: 'text/calendar', sort }
    }
    const page = sheet(seed, asked, `Calendar: ${view} of ${dateOf(offset)}`, (pen) => {
      const turn = { day: 1, week: 7, month: 30 }[view]
      for (const other of [offset - turn, offset + turn])
        if (Math.abs(other) <= end) pen.link(path(view, dateOf(other)), other < offset ? 'Previous' : 'Next')
      for (const other of VIEWS)
        if (other !== view && Math.abs(offset) <= end) pen.link(path(other, dateOf(offset)), other)
      grid(pen, offset, end, (day) => path('day', dateOf(day)))
      const found = days.filter((day) => Math.abs(day - offset) < turn)
      if (found.length === 0) pen.put(`<p>${pen.line('nothing', 9)}</p><p>${dateOf(offset)}: 0</p>`)
      for (const day of found) pen.link(event(day), dateOf(day))
      pen.link(asked + EXPORTS[kind], 'Export')
    })
    return { ...page, sort }
  },
}

/** The days of the month round a day, as a table of links. */
function grid(pen: Sheet, offset: number, end: number, path: (day: number) => string): void {
  const first = offset - Number(dateOf(offset).slice(8)) + 1
  pen.put('<table class="month">')
  for (let day = first; day < first + 28; day++) {
    pen.put('<td>')
    if (Math.abs(day) <= end) pen.link(path(day), dateOf(day).slice(8))
    pen.put('</td>')
  }
  pen.put('</table>')
}

function eventDays(seed: number): number[] {
  const days = Array.from({ length: 12 }, (_, i) => (draw(seed, i, 0xe7e) % (2 * NEAR)) - NEAR)
  return [...new Set(days)].sort((a, b) => a - b)
}

function offsetOf(text: string): number | undefined {
  const [year, month, day = '01'] = /^\d{8}$/.test(text)
    ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
    : text.split(/[-/]/)
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day))
  return Number.isFinite(at) ? Math.round((at - TODAY) / DAY) : undefined
}
