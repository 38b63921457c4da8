/** Traps and honest sites that were made after the detectors, to see whether those had only learnt the others by heart. */
import { hex, page, randomOf, site, slug, withTrap, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const range = (count: number) => Array.from({ length: count }, (_, at) => at)
const nav = ['/', '/about.html', '/news.html', '/contact.html']
/** Traps, with the most requests inside each. */
export const OTHER_TRAPS: Record<string, Site> = {
  'iso weeks, with navigation': withTrap(['/plan?week=2031-W14'], (p) => {
    const m = /^\/plan\?week=(\d+)-W(\d+)$/.exec(p)
    if (m === null) return undefined
    const w = Number(m[2])
    return page(`Week ${w}`, `Week ${w} of ${m[1]}: no bookings. Rooms are free.`, [
      ...nav,
      [`/plan?week=${m[1]}-W${w + 1}`, 'next week'],
      [`/plan?week=${m[1]}-W${Math.max(1, w - 1)}`, 'last week'],
    ])
  }),
  'dates with month names': withTrap(['/archive/2031/april/12'], (p) => {
    const m = /^\/archive\/(\d+)\/(\w+)\/(\d+)$/.exec(p)
    if (m === null) return undefined
    const M = 'january february march april may june july august september october november december'.split(' ')
    const i = M.indexOf(m[2])
    return page(`${m[3]} ${m[2]} ${m[1]}`, `Nothing was published on ${m[3]} ${m[2]} ${m[1]}.`, [
      ...nav,
      [`/archive/${m[1]}/${m[2]}/${Number(m[3]) + 1}`, 'next day'],
      [`/archive/${m[1]}/${M[(i + 1) % 12]}/${m[3]}`, 'next month'],
      [`/archive/${Number(m[1]) + 1}/${m[2]}/${m[3]}`, 'next year'],
    ])
  }),
  'offset beyond the end': withTrap(['/items?offset=0'], (p) => {
    const m = /^\/items\?offset=(\d+)$/.exec(p)
    if (m === null) return undefined
    const o = Number(m[1])
    return page('Items', o < 60 ? words('o' + o, 70) : 'no more items', [...nav, [`/items?offset=${o + 10}`, 'more']])
  }),
  'reply to comment': withTrap(
    range(12).map((i) => `/post/${slug('p' + i)}`),
    (p) => {
      const m = /^\/post\/([\w-]+)(\?replytocom=\d+)?$/.exec(p)
      if (m === null) return undefined
      return page(m[1], words(m[1], 120), [
        ...nav,
        ...range(25).map((i) => [`/post/${m[1]}?replytocom=${1000 + i}`, 'reply'] as const),
      ])
    },
  ),
  'login with next': withTrap(
    range(80).map((i) => `/login?next=/x/${i}`),
    (p) =>
      p.startsWith('/login')
        ? page('Log in', 'Please enter your name and password to go on to this page', nav)
        : undefined,
  ),
  'return urls grow': withTrap(['/sso?return=/'], (p) =>
    p.startsWith('/sso?')
      ? page('Sign in', 'Sign in with your account to see this page', [
          [`/sso?return=${encodeURIComponent(p)}`, 'sign in'],
          '/',
        ])
      : undefined,
  ),
  'maze word/number': withTrap(['/t/start/1'], (p) =>
    p.startsWith('/t/')
      ? page(
          words(p, 3),
          words(p, 150),
          range(6).map((i) => `/t/${words(p + i, 1)}/${randomOf(p + i).integer(9000)}`),
        )
      : undefined,
  ),
  'maze in parameters': withTrap(['/go?p=abc'], (p) =>
    p.startsWith('/go?')
      ? page(
          words(p, 3),
          words(p, 150),
          range(6).map((i) => `/go?p=${hex(p + i)}`),
        )
      : undefined,
  ),
  'two calendars in folders': withTrap(['/room1/cal/2031-1', '/room2/cal/2031-1'], (p) => {
    const m = /^\/room(\d)\/cal\/(\d+)-(\d+)$/.exec(p)
    if (m === null) return undefined
    return page('Cal', `Room ${m[1]} is free in ${m[3]}/${m[2]}`, [
      [`/room${m[1]}/cal/${m[2]}-${Number(m[3]) + 1}`, 'next'],
      [`/room${m[1]}/cal/${Number(m[2]) + 1}-${m[3]}`, 'year'],
      ...nav,
    ])
  }),
}

const menu = ['/', '/a.html', '/b.html']
const around = (routes: Parameters<typeof site>[0], home: readonly string[]) =>
  site([
    [/^\/$/, () => page('Home', words('home', 60), [...menu, ...home])],
    [/^\/(a|b)\.html$/, ([n]) => page(n, words(n, 80), menu)],
    ...routes,
  ])
export const OTHER_HONEST: Record<string, Site> = {
  'people of a family tree': around(
    [
      [
        /^\/person\/I(\d+)$/,
        ([i]) => {
          const n = Number(i)
          return page(
            'I' + i,
            `${words('n' + i, 2)} born ${1700 + (n % 300)} in ${words('pl' + (n % 40), 1)} died ${1760 + (n % 300)}`,
            [
              ...menu,
              ...[2 * n + 1, 2 * n + 2, Math.floor((n - 1) / 2)]
                .filter((k) => k >= 0 && k < 600)
                .map((k) => [`/person/I${k}`, words('n' + k, 2)] as const),
            ],
          )
        },
      ],
    ],
    ['/person/I0'],
  ),
  'timetables, listed': around(
    [
      [
        /^\/line\/(\d+)$/,
        ([l]) =>
          page('Line ' + l, words('line' + l, 6), [
            ...menu,
            ...range(20).map((s) => [`/line/${l}/stop/${s}`, words(`stop ${l} ${s}`, 2)] as const),
          ]),
      ],
      [
        /^\/line\/(\d+)\/stop\/(\d+)$/,
        ([l, s]) =>
          page('Stop', `Line ${l} stop ${words(`stop ${l} ${s}`, 2)} departures 6:10 6:30 7:10 8:0${s}`, [
            ...menu,
            [`/line/${l}`, 'line'],
          ]),
      ],
    ],
    range(25).map((l) => `/line/${l}`),
  ),
  'weather stations, numbers, listed': around(
    [
      [
        /^\/stations$/,
        () => page('Stations', 'all', [...menu, ...range(150).map((i) => [`/station/${i}`, 'station ' + i] as const)]),
      ],
      [/^\/station\/(\d+)$/, ([i]) => page('Station ' + i, `Temperature ${Number(i) % 30} wind ${i}`, menu)],
    ],
    ['/stations'],
  ),
  'slides, chain, one picture each': around(
    [
      [
        /^\/talk\/slide(\d+)\.html$/,
        ([i]) => {
          const n = Number(i)
          if (n > 80) return undefined
          const { html } = page('Slide ' + n, '', [
            [`slide${n + 1}.html`, 'next'],
            [`slide${Math.max(1, n - 1)}.html`, 'back'],
          ])
          return { html: html!.replace('<p>', `<p><img src="slide${n}.png">`) }
        },
      ],
    ],
    ['/talk/slide1.html'],
  ),
  'poems, chain': around(
    [
      [
        /^\/poem\/(\d+)$/,
        ([i]) => {
          const n = Number(i)
          if (n > 200) return undefined
          return page(words('t' + n, 3), words('poem' + n, 30), [
            [`/poem/${n + 1}`, 'next poem'],
            [`/poem/${Math.max(1, n - 1)}`, 'poem before'],
            ...menu,
          ])
        },
      ],
    ],
    ['/poem/1'],
  ),
  'shop ids in query, related': around(
    [
      [
        /^\/item\.asp\?id=(\d+)$/,
        ([i]) => {
          const r = randomOf('s' + i)
          return page(
            'Item',
            `${words('brand' + r.integer(9), 1)} ${words('m' + i, 1)} ${words('col' + r.integer(8), 1)} price ${r.integer(99)} in stock`,
            [
              ...menu,
              ...range(5)
                .map(() => r.integer(400))
                .map((k) => [`/item.asp?id=${k}`, `${words('m' + k, 1)}`] as const),
            ],
          )
        },
      ],
    ],
    ['/item.asp?id=1'],
  ),
  'bibliography, a page a year and letter': around(
    [
      [
        /^\/bib\?letter=(\w)&year=(\d+)$/,
        ([l, y]) =>
          page(`${l} ${y}`, words(l + y, 25), [
            ...menu,
            ...'abcdef'.split('').map((k) => `/bib?letter=${k}&year=${y}`),
            ...range(15).map((k) => `/bib?letter=${l}&year=${2000 + k}`),
          ]),
      ],
    ],
    ['/bib?letter=a&year=2000'],
  ),
  'mail archive by thread': around(
    [
      [
        /^\/mail\/(\d+)\.html$/,
        ([i]) => {
          const n = Number(i)
          return page('Re: ' + words('sub' + Math.floor(n / 7), 3), words('mail' + n, 25), [
            ...menu,
            ...[n - 1, n + 1]
              .filter((k) => k >= 0 && k < 900)
              .map((k) => [`/mail/${k}.html`, k < n ? 'previous by date' : 'next by date'] as const),
          ])
        },
      ],
    ],
    ['/mail/0.html'],
  ),
}

/** Three hundred recipes, each also for the printer, with this query. */
export const recipesWith = (query: string): Site =>
  around(
    [
      [
        /^\/recipe\/(\d+)(\?print(=1)?)?$/,
        ([i]) => {
          const n = Number(i)
          const r = randomOf('r' + i)
          return page('Recipe', words('rec' + n, 60), [
            ...menu,
            `/recipe/${n}?${query}`,
            ...range(4).map(() => `/recipe/${r.integer(300)}`),
          ])
        },
      ],
    ],
    ['/recipe/1', '/recipe/2'],
  )
export const RECIPES: Site = recipesWith('print=1')
