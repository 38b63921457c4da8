/** Traps and honest sites that were made after the detectors, to see whether those had only learnt the others by heart. */
import { each, hex, MENU, MONTHS, page, randomOf, range, siteWith, slug, withTrap, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const LOWER_MONTHS = MONTHS.map((name) => name.toLowerCase())

/** Traps, with the most requests inside each. */
export const OTHER_TRAPS: Record<string, Site> = {
  'iso weeks, with navigation': withTrap(['/plan?week=2031-W14'], {
    '/plan?week=#-W#': (year, week) =>
      page(`Week ${week}`, `Week ${week} of ${year}: no bookings. Rooms are free.`, [
        ...MENU,
        [`/plan?week=${year}-W${week + 1}`, 'next week'],
        [`/plan?week=${year}-W${Math.max(1, week - 1)}`, 'last week'],
      ]),
  }),
  'dates with month names': withTrap(['/archive/2031/april/12'], {
    '/archive/#/*/#': (year, month, day) => {
      const next = LOWER_MONTHS[(LOWER_MONTHS.indexOf(month) + 1) % 12]
      return page(`${day} ${month} ${year}`, `Nothing was published on ${day} ${month} ${year}.`, [
        ...MENU,
        [`/archive/${year}/${month}/${day + 1}`, 'next day'],
        [`/archive/${year}/${next}/${day}`, 'next month'],
        [`/archive/${year + 1}/${month}/${day}`, 'next year'],
      ])
    },
  }),
  'offset beyond the end': withTrap(['/items?offset=0'], {
    '/items?offset=#': (at) => {
      const text = at < 60 ? words(`o${at}`, 70) : 'no more items'
      return page('Items', text, [...MENU, [`/items?offset=${at + 10}`, 'more']])
    },
  }),
  'reply to comment': withTrap(
    range(12).map((i) => `/post/${slug(`p${i}`)}`),
    {
      '/post/*[?replytocom=#]': (name) => {
        const replies = range(25).map((i) => [`/post/${name}?replytocom=${1000 + i}`, 'reply'] as const)
        return page(name, words(name, 120), [...MENU, ...replies])
      },
    },
  ),
  'login with next': withTrap(each(80, '/login?next=/x/#'), (path) => {
    const text = 'Please enter your name and password to go on to this page'
    return path.startsWith('/login') ? page('Log in', text, MENU) : undefined
  }),
  'return urls grow': withTrap(['/sso?return=/'], (path) => {
    const next = [`/sso?return=${encodeURIComponent(path)}`, 'sign in'] as const
    const text = 'Sign in with your account to see this page'
    return path.startsWith('/sso?') ? page('Sign in', text, [next, '/']) : undefined
  }),
  'maze word/number': withTrap(['/t/start/1'], (path) => {
    const next = range(6).map((i) => `/t/${words(path + i, 1)}/${randomOf(path + i).integer(9000)}`)
    return path.startsWith('/t/') ? page(words(path, 3), words(path, 150), next) : undefined
  }),
  'maze in parameters': withTrap(['/go?p=abc'], (path) => {
    const next = range(6).map((i) => `/go?p=${hex(path + i)}`)
    return path.startsWith('/go?') ? page(words(path, 3), words(path, 150), next) : undefined
  }),
  'two calendars in folders': withTrap(['/room1/cal/2031-1', '/room2/cal/2031-1'], {
    '/room#/cal/#-#': (room, year, month) =>
      page('Cal', `Room ${room} is free in ${month}/${year}`, [
        [`/room${room}/cal/${year}-${month + 1}`, 'next'],
        [`/room${room}/cal/${year + 1}-${month}`, 'year'],
        ...MENU,
      ]),
  }),
}

const menu = ['/', '/a.html', '/b.html']
const around = siteWith(menu)

export const OTHER_HONEST: Record<string, Site> = {
  'people of a family tree': around(['/person/I0'], {
    '/person/I#': (n) => {
      const family = [2 * n + 1, 2 * n + 2, Math.floor((n - 1) / 2)].filter((k) => k >= 0 && k < 600)
      const life = `born ${1700 + (n % 300)} in ${words(`pl${n % 40}`, 1)} died ${1760 + (n % 300)}`
      const links = family.map((k) => [`/person/I${k}`, words(`n${k}`, 2)] as const)
      return page(`I${n}`, `${words(`n${n}`, 2)} ${life}`, [...menu, ...links])
    },
  }),
  'timetables, listed': around(each(25, '/line/#'), {
    '/line/#': (line) => {
      const stops = range(20).map((stop) => [`/line/${line}/stop/${stop}`, words(`stop ${line} ${stop}`, 2)] as const)
      return page(`Line ${line}`, words(`line${line}`, 6), [...menu, ...stops])
    },
    '/line/#/stop/#': (line, stop) => {
      const text = `Line ${line} stop ${words(`stop ${line} ${stop}`, 2)} departures 6:10 6:30 7:10 8:0${stop}`
      return page('Stop', text, [...menu, [`/line/${line}`, 'line']])
    },
  }),
  'weather stations, numbers, listed': around(['/stations'], {
    '/stations': () =>
      page('Stations', 'all', [...menu, ...range(150).map((i) => [`/station/${i}`, `station ${i}`] as const)]),
    '/station/#': (i) => page(`Station ${i}`, `Temperature ${i % 30} wind ${i}`, menu),
  }),
  'slides, chain, one picture each': around(['/talk/slide1.html'], {
    '/talk/slide#.html': (n) => {
      if (n > 80) return undefined
      const { html } = page(`Slide ${n}`, '', [
        [`slide${n + 1}.html`, 'next'],
        [`slide${Math.max(1, n - 1)}.html`, 'back'],
      ])
      return { html: html!.replace('<p>', `<p><img src="slide${n}.png">`) }
    },
  }),
  'poems, chain': around(['/poem/1'], {
    '/poem/#': (n) => {
      if (n > 200) return undefined
      return page(words(`t${n}`, 3), words(`poem${n}`, 30), [
        [`/poem/${n + 1}`, 'next poem'],
        [`/poem/${Math.max(1, n - 1)}`, 'poem before'],
        ...menu,
      ])
    },
  }),
  'shop ids in query, related': around(['/item.asp?id=1'], {
    '/item.asp?id=#': (id) => {
      const random = randomOf(`s${id}`)
      const brand = words(`brand${random.integer(9)}`, 1)
      const colour = words(`col${random.integer(8)}`, 1)
      const text = `${brand} ${words(`m${id}`, 1)} ${colour} price ${random.integer(99)} in stock`
      const others = range(5).map(() => random.integer(400))
      return page('Item', text, [...menu, ...others.map((k) => [`/item.asp?id=${k}`, words(`m${k}`, 1)] as const)])
    },
  }),
  'bibliography, a page a year and letter': around(['/bib?letter=a&year=2000'], {
    '/bib?letter=*&year=#': (letter, year) =>
      page(`${letter} ${year}`, words(`${letter}${year}`, 25), [
        ...menu,
        ...'abcdef'.split('').map((other) => `/bib?letter=${other}&year=${year}`),
        ...range(15).map((at) => `/bib?letter=${letter}&year=${2000 + at}`),
      ]),
  }),
  'mail archive by thread': around(['/mail/0.html'], {
    '/mail/#.html': (n) => {
      const others = [n - 1, n + 1].filter((k) => k >= 0 && k < 900)
      const links = others.map((k) => [`/mail/${k}.html`, k < n ? 'previous by date' : 'next by date'] as const)
      return page(`Re: ${words(`sub${Math.floor(n / 7)}`, 3)}`, words(`mail${n}`, 25), [...menu, ...links])
    },
  }),
}

/** Three hundred recipes, each also for the printer, with this query. */
export const recipesWith = (query: string): Site =>
  around(['/recipe/1', '/recipe/2'], {
    '/recipe/#[?print][=1]': (n) => {
      const random = randomOf(`r${n}`)
      const others = range(4).map(() => `/recipe/${random.integer(300)}`)
      return page('Recipe', words(`rec${n}`, 60), [...menu, `/recipe/${n}?${query}`, ...others])
    },
  })
export const RECIPES: Site = recipesWith('print=1')
