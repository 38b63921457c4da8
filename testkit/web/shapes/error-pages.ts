/** A newspaper whose database holds thirty articles and whose pages lead on to numbers that bring its error messages, with status 200. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readNumber, realSheet, sheet } from './sheet.ts'

const ARTICLES = 30

const MESSAGES = [
  '<h1>Error establishing a database connection</h1>',
  '<br />\n<b>Warning</b>:  mysql_fetch_array(): supplied argument is not a valid MySQL result resource in <b>/var/www/html/article.php</b> on line <b>47</b><br />\n',
  "<p>Microsoft OLE DB Provider for ODBC Drivers error '80004005'</p><p>[Microsoft][ODBC] Could not find file '(unknown)'.</p><p>/article.asp, line 12</p>",
  '<p>Internal error. Please try again later.</p>',
]

export const errorPages: Shape = {
  entries: () => ['/article.php?id=1'],
  page(asked, bound, seed) {
    const id = readNumber(/^\/article\.php\?id=(\d+)$/.exec(asked)?.[1], 1e8)
    if (id === undefined || id === 0 || id > ARTICLES + bound) return undefined
    const good = id <= ARTICLES
    const bare = choice(seed, 1, 2) === 0
    const links = [id + 1, ...(good ? [id - 1, 1 + (draw(seed, id) % ARTICLES)] : bare ? [] : [id + 10])]
    const targets = links
      .filter((other) => other > 0 && other <= ARTICLES + bound)
      .map((other) => `/article.php?id=${other}`)
    if (good) {
      return realSheet(seed, asked, `Article ${id}`, (pen) => {
        pen.prose(asked, 4)
        for (const target of targets) pen.link(target)
      })
    }
    const message = MESSAGES[choice(seed, 2, MESSAGES.length)]
    if (bare && !message.startsWith('<br')) {
      const links = targets.map((target) => `<a href="${target}">next</a>`).join(' ')
      return {
        targets,
        words: asked,
        body: `<html><head><title>Error</title></head><body>${message}${links}</body></html>`,
      }
    }
    return sheet(seed, asked, `Article ${id}`, (pen) => {
      pen.put(message)
      for (const target of targets) pen.link(target)
    })
  },
}
