/** Redirects that carry on where the reader came from, and where that came from: each address holds the one before it. */
import type { Shape, ShapePage } from './shape.ts'
import { choice, realSheet, sheet } from './sheet.ts'

const LONGEST = 8_000
const PAGES = 10

export const redirectGrowth: Shape = {
  entries: () => ['/members/'],
  page(asked, bound, seed) {
    if (asked.length > LONGEST) return undefined
    const way = choice(seed, 1, 3)
    if (asked === '/members/') {
      return realSheet(seed, asked, 'Members', (pen) => {
        pen.prose(asked, 2)
        for (let number = 1; number <= PAGES; number++) pen.link(`/members/${number}`)
      })
    }
    const number = /^\/members\/(\d{1,2})$/.exec(asked)?.[1]
    if (number !== undefined && Number(number) >= 1 && Number(number) <= PAGES) {
      if (way === 0) return moved(`/account/login?return=${encodeURIComponent(asked)}`, 'neither')
      return realSheet(seed, asked, `Member ${number}`, (pen) => {
        pen.prose(asked, 3)
        pen.link(way === 1 ? `/out?id=${number}` : `/switch?to=de&back=${encodeURIComponent(asked)}`, 'Next')
      })
    }
    return [login, out, language][way](asked, bound, seed)
  },
}

const moved = (to: string, sort: 'trap' | 'neither' = 'trap'): ShapePage => ({
  targets: [],
  words: 'moved',
  status: 302,
  to,
  sort,
})

/** Sign in or sign up, each remembering the other. */
function login(asked: string, bound: number, seed: number): ShapePage | undefined {
  const match = /^\/account\/(login|register)\?return=(%2F[\w%.~-]*)$/.exec(asked)
  if (match === null) return undefined
  // Each turn adds an address to the one that is carried: their number is the depth.
  const depth = match[2].split(/(?:25)*2Faccount/).length
  const other = match[1] === 'login' ? 'register' : 'login'
  return sheet(seed, asked, match[1], (pen) => {
    pen.put('<form method="post" action="/account/check"><input name="user"><input name="password"></form>')
    pen.put(`<p>${pen.line('account', 20)}</p>`)
    if (depth < bound) pen.link(`/account/${other}?return=${encodeURIComponent(asked)}`, other)
    pen.link('/members/', 'Back')
  })
}

/** A counter that adds a parameter at every hop. */
function out(asked: string, bound: number): ShapePage | undefined {
  const match = /^\/out\?id=(\d{1,2})((?:&hop=\d+)*)$/.exec(asked)
  if (match === null) return undefined
  const hops = match[2].split('&').length - 1
  return hops + 1 > bound ? moved('/members/') : moved(`${asked}&hop=${hops + 1}`)
}

/** A switch of languages that comes back to the page with one parameter more. */
function language(asked: string, bound: number, seed: number): ShapePage | undefined {
  const back = /^\/switch\?to=(de|en)&back=(%2F[\w%.~-]*)$/.exec(asked)
  if (back !== null) {
    const path = decodeURIComponent(back[2])
    return moved(`${path}${path.includes('?') ? '&' : '?'}lang=${back[1]}`)
  }
  const match = /^(\/members\/(\d{1,2}))\?lang=(?:de|en)((?:&lang=(?:de|en))*)$/.exec(asked)
  if (match === null) return undefined
  const turns = match[3].split('&').length
  const page = sheet(seed, asked, `Member ${match[2]}`, (pen) => {
    pen.prose(match[1], 3)
    const to = asked.endsWith('de') ? 'en' : 'de'
    if (turns < bound) pen.link(`/switch?to=${to}&back=${encodeURIComponent(asked)}`, to)
  })
  return { ...page, shows: match[1] }
}
