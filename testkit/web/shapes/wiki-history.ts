/**
 * A wiki without a robots.txt: two dozen articles, each with hundreds of old versions, differences between any two of them,
 * forms to edit it, lists of what links to it, and links to articles that nobody has written.
 */
import { Draws, draw } from '../chance.ts'
import type { Shape, ShapePage } from './shape.ts'
import { choice, madeUpWord, readNumber, readPath, realSheet, type Sheet, sheet, slug } from './sheet.ts'

const ARTICLES = 24
const REVISIONS = 400
const PER_PAGE = 20

export const wikiHistory: Shape = {
  entries: (seed) => [article(seed, 0)],
  page(asked, bound, seed) {
    const number = Array.from({ length: ARTICLES }, (_, i) => i).find((i) => asked === article(seed, i))
    if (number !== undefined) {
      return realSheet(seed, asked, title(seed, number), (pen) => {
        text(pen, seed, number, REVISIONS)
        tabs(pen, seed, number)
      })
    }
    const what = /^\/wiki\/Special:(WhatLinksHere|RecentChangesLinked)\/([\w-]+)$/.exec(asked)
    if (what !== null) return linking(asked, seed, what[1], what[2])
    const { file, parameters } = readPath(asked)
    if (file !== '/w/index.php' || parameters[0]?.[0] !== 'title') return undefined
    return script(asked, bound, seed, parameters)
  },
}

const title = (seed: number, number: number) => {
  const name = slug(seed, number, 2).replace('-', '_')
  return name.charAt(0).toUpperCase() + name.slice(1)
}
const article = (seed: number, number: number) => `/wiki/${title(seed, number)}`

/** An article as it was: some paragraphs of the last version stand already, others are still different. */
function text(pen: Sheet, seed: number, number: number, revision: number): void {
  for (let part = 0; part < 5; part++) {
    const since = draw(seed, number, part, 0x3e) % REVISIONS
    pen.prose(revision >= since ? `${number} ${part}` : `${number} ${part} ${Math.floor(revision / 40)}`, 1)
  }
  for (let other = 1; other <= 4; other++) pen.link(article(seed, (number * 3 + other) % ARTICLES))
}

function tabs(pen: Sheet, seed: number, number: number): void {
  const own = `/w/index.php?title=${title(seed, number)}`
  for (const action of ['edit', 'history', 'info', 'raw']) pen.link(`${own}&action=${action}`, action)
  pen.link(`${own}&printable=yes`, 'Printable version')
  pen.link(`${own}&oldid=${number * 1000 + REVISIONS}`, 'Permanent link')
  pen.link(`/wiki/Special:WhatLinksHere/${title(seed, number)}`, 'What links here')
  pen.link(`/wiki/Special:RecentChangesLinked/${title(seed, number)}`, 'Related changes')
  const red = madeUpWord(new Draws(draw(seed, number, 0x4ed)))
  pen.link(`/w/index.php?title=${red}&action=edit&redlink=1`, red)
}

function linking(asked: string, seed: number, kind: string, name: string): ShapePage | undefined {
  const number = Array.from({ length: ARTICLES }, (_, i) => i).find((i) => name === title(seed, i))
  if (number === undefined) return undefined
  return sheet(seed, asked, `${kind}: ${name}`, (pen) => {
    for (let other = 0; other < 6; other++) {
      const from = (number * 5 + other) % ARTICLES
      pen.link(article(seed, from))
      pen.link(`/wiki/Special:WhatLinksHere/${title(seed, from)}`, 'links')
      pen.link(`/w/index.php?title=${title(seed, from)}&action=edit`, 'edit')
    }
  })
}

function script(asked: string, bound: number, seed: number, parameters: [string, string][]): ShapePage | undefined {
  const [[, name], ...rest] = parameters
  const has = new Map(rest)
  if (has.size !== rest.length) return undefined
  const number = Array.from({ length: ARTICLES }, (_, i) => i).find((i) => name === title(seed, i))
  const own = `/w/index.php?title=${name}`
  const action = has.get('action')
  if (number === undefined || action === 'edit') {
    if (action !== 'edit' || !/^\w{1,60}$/.test(name)) return undefined
    return sheet(seed, asked, `Editing ${name}`, (pen) => {
      pen.put(`<p>${pen.line('forbidden', 16)}</p><textarea name="wpTextbox1"></textarea>`)
      const red = madeUpWord(new Draws(draw(seed, name.length, choice(seed, name.charCodeAt(0), 4096))))
      if (bound === Number.POSITIVE_INFINITY)
        pen.link(`/w/index.php?title=${red}${name.slice(0, 20)}&action=edit&redlink=1`, red)
    })
  }
  const max = Math.min(REVISIONS, Math.ceil(bound / ARTICLES))
  const id = (revision: number) => number * 1000 + revision
  if (action === 'history') {
    const from = readNumber(has.get('offset') ?? '0', max)
    if (from === undefined) return undefined
    return sheet(seed, asked, `${name}: history`, (pen) => {
      for (let i = from; i < Math.min(from + PER_PAGE, max); i++) {
        const revision = REVISIONS - i
        pen.put(`<li>${pen.line(`summary ${id(revision)}`, 5)}`)
        pen.link(`${own}&oldid=${id(revision)}`, `version ${revision}`)
        pen.link(`${own}&diff=${id(REVISIONS)}&oldid=${id(revision)}`, 'cur')
        pen.link(`${own}&diff=${id(revision)}&oldid=${id(revision - 1)}`, 'prev')
        pen.put('</li>')
      }
      if (from + PER_PAGE < max) pen.link(`${own}&action=history&offset=${from + PER_PAGE}`, 'older')
    })
  }
  if (action === 'info' || action === 'raw' || has.has('printable')) {
    const page = sheet(seed, asked, `${name}: ${action ?? 'print'}`, (pen) => text(pen, seed, number, REVISIONS))
    return action === undefined ? { ...page, shows: article(seed, number) } : page
  }
  const old = readNumber(has.get('oldid'), 1e6)
  if (action !== undefined || old === undefined) return undefined
  const revision = old - id(0)
  if (revision < 0 || revision > REVISIONS) return undefined
  return sheet(seed, asked, `${name}: ${has.has('diff') ? 'difference' : 'version'} ${old}`, (pen) => {
    text(pen, seed, number, revision)
    if (REVISIONS - revision >= max) return
    pen.link(`${own}&oldid=${Math.max(id(0), old - 1)}`, 'older')
    pen.link(`${own}&diff=prev&oldid=${old}`, 'difference')
    pen.link(`${own}&action=edit&oldid=${old}`, 'edit')
  })
}
