/** Traps and honest sites that were made with the second half of the detectors: each trap has an honest site beside it. */
import {
  each,
  hex,
  MENU,
  page,
  type Routes,
  randomOf,
  range,
  site,
  siteWith,
  slug,
  withTrap,
  words,
} from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const more = range(12).map((at) => `/more/${words(`more ${at}`, 1)}.html`)

function around<Form extends string>(home: readonly string[], routes: Routes<Form>): Site {
  const others = siteWith(MENU)([...more, ...home], routes)
  const texts = site({ '/more/*.html': (name) => page(name, words(name, 90), MENU) })
  return (path) => texts(path) ?? others(path)
}

const TRADES = ['plumber', 'roofer', 'dentist', 'lawyer', 'florist', 'notary']
const town = (at: number) => `${words(`town ${at}`, 1)}-${at}`

function doorway(trade: string, place: string, path: string, url: (trade: string, town: string) => string) {
  const random = randomOf(path)
  const others = range(10).map(() => url(TRADES[random.integer(TRADES.length)], town(random.integer(5000))))
  const name = `${trade} in ${place}`
  const text = range(4).map((at) => `${words(`text ${at}`, 30)} ${name}. ${words(`more ${at}`, 20)}`)
  return page(name, text.join(' '), ['/', ...others])
}

const TITLES = range(20).map((at) => words(`title ${at}`, 2).replace(' ', '_'))

/** Twenty articles, each with tabs. */
const wiki: Site = (path) => {
  const plain = /^\/wiki\/(\w+)$/.exec(path)
  if (plain !== null) {
    const at = TITLES.indexOf(plain[1])
    if (at < 0) return undefined
    const others = range(4).map((by) => `/wiki/${TITLES[(at * 3 + by + 1) % 20]}`)
    const tabs = ['action=raw', 'action=info', 'oldid=900', 'printable=yes'].map(
      (tab) => `/w/index.php?${tab}&title=${plain[1]}`,
    )
    return page(plain[1], words(`wiki ${at}`, 200), ['/', ...others, ...tabs])
  }
  const tab = /^\/w\/index\.php\?.*title=(\w+)$/.exec(path)
  const at = TITLES.indexOf(tab?.[1] ?? '')
  if (at < 0) return undefined
  const old = Number(/oldid=(\d+)/.exec(path)?.[1] ?? '0')
  const older = old > 0 ? [[`/w/index.php?oldid=${old - 1}&title=${TITLES[at]}`, 'older'] as const] : []
  return page(`${TITLES[at]} ${/=(\w+)/.exec(path)?.[1]}`, words(`wiki ${at}`, 200), ['/', ...older])
}

/** A folder that is a link to the one above it. */
const inItself: Site = (path) => {
  const match = /^\/pub\/(?:current\/)*(?:(\w+)\/(?:([\w-]+)\.html)?)?$/.exec(path)
  if (match === null) return undefined
  const [, folder, file] = match
  if (file !== undefined) return page(file, words(`${folder} ${file}`, 80), [])
  const inside =
    folder === undefined ? [...each(3, 'f#/'), 'current/'] : range(5).map((at) => `${slug(`${folder} ${at}`)}.html`)
  return page(`Index of ${path}`, 'listing of files', ['../', ...inside])
}

/** Searches that propose longer ones. */
const spiral: Site = (path) => {
  const [, query] = /^\/search\?q=([a-z+]+)$/.exec(path) ?? []
  if (query === undefined) return undefined
  const random = randomOf(path)
  const own = query.split('+')
  const results = range(4).map(() => words(`result ${own[random.integer(own.length)]} ${random.integer(3)}`, 20))
  const longer = range(6).map(() => {
    const base = random.next() < 0.3 ? own.slice(1) : own
    return `/search?q=${[...base, words(`stock ${random.integer(30)}`, 1)].join('+')}`
  })
  return page(own.join(' '), results.join(' '), ['/', ...longer])
}

/** Months with made-up prose, before and after, and the same of the next year. */
const proseCalendar: Site = site({
  '/agenda?month=#&year=#': (m, y, path) => {
    const at = y * 12 + m - 1
    const url = (month: number) => `/agenda?month=${(month % 12) + 1}&year=${Math.floor(month / 12)}`
    return page(path, words(path, 120), [url(at - 1), url(at + 1), url(at + 12)])
  },
})

/** Of each class a page, one that says who uses it, and a frame set that is one file whatever its query says. */
const CLASSES = range(60).map((at) => `${words(`class ${at}`, 1)}${at}`)
const frames = () => page('API', 'This document is designed to be viewed with frames', ['/api/overview.html'])

export const FRAME_SETS = around(['/api/overview.html', '/api/'], {
  '/api/overview.html': () =>
    page('Overview', words('overview', 60), [...MENU, ...CLASSES.map((name) => `/api/${name}.html`)]),
  '/api/*.html': (name) => page(name, words(name, 80), [...MENU, `/api/use/${name}.html`, `/api/?${name}.html`]),
  '/api/use/*.html': (name) =>
    page(`Uses of ${name}`, `No usage of ${name}`, [...MENU, `/api/${name}.html`, `/api/?use/${name}`]),
  '/api/[?*.html]': frames,
  '/api/?use/*': frames,
})

/** Every link has an id after the question mark, another one for each page that names it. */
const bareIds: Site = (path) => {
  const [place, id] = path.split('?')
  const goods = /^\/shop\/(\d+)$/.exec(place)
  if (goods === null || id === undefined) return undefined
  const others = range(5).map((by) => `/shop/${(Number(goods[1]) * 7 + by * 5) % 30}`)
  const links = ['/shop/0', ...others].map((to) => `${to}?${hex(path + to)}`)
  return page(`Article ${goods[1]}`, words(`goods ${goods[1]}`, 80), [...MENU, ...links])
}

const documentAt = (at: number) => `/news.nsf/byDate/${hex(`document ${at}`)}?OpenDocument`
const DOCUMENTS = 120

/** A view in pages of thirty. Each row can be opened and closed, which shows the same rows: those links name the page, too. */
const rowsThatOpen: Site = (path) => {
  const [place, query = ''] = path.split('?')
  if (query === 'OpenDocument') {
    const at = range(DOCUMENTS).find((one) => documentAt(one) === path)
    return at === undefined
      ? undefined
      : page(`Document ${at}`, words(`document ${at}`, 150), ['/news.nsf/byDate?OpenView'])
  }
  if (place !== '/news.nsf/byDate') return undefined
  const first = Math.floor(Number(/Start=([\d.]+)/.exec(query)?.[1] ?? 1))
  const to = (more: string, start: number | string = first) => `${place}?Count=30&${more}OpenView&Start=${start}`
  const rows = range(30)
    .map((at) => first - 1 + at)
    .filter((at) => at < DOCUMENTS)
  const open = rows.flatMap((at) => [to(`Expand=${at + 1}&`), to(`Collapse=${at + 1}&`, `${first}.${(at % 5) + 1}`)])
  const next = to('', first + 30)
  return page('View', `from ${first}`, ['/', ...rows.map(documentAt), ...open, next])
}

export const LATE_TRAPS: Record<string, Site> = {
  'rows that open and close': withTrap(['/news.nsf/byDate?OpenView'], rowsThatOpen),
  'session ids without a name': withTrap([`/shop/0?${hex('shop')}`], bareIds),
  'calendar of made-up prose': withTrap(['/agenda?month=1&year=2026'], proseCalendar),
  'every trade in every town': withTrap([`/plumber-in-${town(0)}.html`], {
    '/*-in-*.html': (trade, place, path) => doorway(trade, place, path, (one, there) => `/${one}-in-${there}.html`),
  }),
  'every trade in every town, in folders': withTrap([`/plumber/${town(0)}/`], {
    '/*/*/': (trade, place, path) => doorway(trade, place, path, (one, there) => `/${one}/${there}/`),
  }),
  'errors after the last article': withTrap(['/article.php?id=1'], {
    '/article.php?id=#': (at) => {
      const next = [`/article.php?id=${at + 1}`, words(`link ${at}`, 2)] as const
      if (at <= 30) return page(`Article ${at}`, words(`article ${at}`, 220), ['/', next])
      const jump = [`/article.php?id=${at + 10}`, words(`jump ${at}`, 2)] as const
      return page(`Article ${at}`, 'Internal error, please try again later or write to us about it', [next, jump])
    },
  }),
  'a wiki with tabs': withTrap([`/wiki/${TITLES[0]}`], wiki),
  'a folder in itself': withTrap(['/pub/'], inItself),
  'searches of longer searches': withTrap([`/search?q=${words('stock 0', 1)}`], spiral),
}

/** What in them is real, and must be read all the same. */
export const REAL_IN_TRAPS: Record<string, string[]> = {
  'rows that open and close': range(DOCUMENTS).map(documentAt),
  'errors after the last article': range(30).map((at) => `/article.php?id=${at + 1}`),
  'a wiki with tabs': TITLES.map((title) => `/wiki/${title}`),
  'a folder in itself': range(3).flatMap((folder) => [
    `/pub/f${folder}/`,
    ...range(5).map((at) => `/pub/f${folder}/${slug(`f${folder} ${at}`)}.html`),
  ]),
}

/** One script for everything, as content management systems have it. */
const portal: Site = (path) => {
  const [, query] = /^\/index\.php\?(.*)$/.exec(path) ?? []
  if (query === undefined) return cover(path)
  const random = randomOf(query)
  const next = range(3).map(() => {
    const other = random.integer(150)
    const kinds = [
      `option=content&view=article&id=${other}&Itemid=${other % 7}`,
      `option=content&view=article&id=${other}`,
      `option=content&view=category&id=${other % 20}&Itemid=${other % 7}`,
      `option=contact&view=person&id=${other % 30}&lang=en`,
      `option=content&view=article&id=${other}&lang=en`,
      `option=links&Itemid=${other % 7}`,
      `option=content&view=archive&year=${2000 + (other % 20)}`,
    ]
    return `/index.php?${kinds[random.integer(kinds.length)].split('&').sort().join('&')}`
  })
  const id = Number(new URLSearchParams(query).get('id') ?? '0')
  return page(words(`title ${query}`, 4), words(`text ${query} ${id}`, 90), [...MENU, ...next])
}
const cover = around(
  [1, 2].map((id) => `/index.php?id=${id}&option=content&view=article`),
  {},
)

/** Two hundred things; most are linked to only with a parameter that does nothing. */
export const ONLY_WITH_A_PARAMETER: Site = around(each(6, '/thing/#'), {
  '/thing/#[?ref=*]': (at) => {
    const others = [at + 1, at + 7, at * 2].filter((other) => other < 200)
    return page(words(`thing ${at}`, 3), words(`about ${at}`, 60), [
      ...MENU,
      ...range(3).map((one) => [`/thing/${one}`, 'best'] as const),
      ...others.map((other) => [`/thing/${other}?ref=related`, 'see also'] as const),
    ])
  },
})

export const LATE_HONEST: Record<string, Site> = {
  'a portal of one script': portal,
  'a table of years to come': around(['/eclipses'], {
    '/eclipses': () =>
      page('Eclipses', words('eclipses', 40), [...MENU, ...range(80).map((at) => `/eclipse/${2020 + at}`)]),
    '/eclipse/#': (year) => {
      const others = [year - 1, year + 1].filter((y) => y >= 2020 && y < 2100).map((y) => `/eclipse/${y}`)
      return page(`Eclipses of ${year}`, words(`eclipse ${year}`, 50), [...MENU, ...others])
    },
  }),
  'towns of a guide, listed by region': around(each(20, '/region/#'), {
    '/region/#': (region) => {
      const towns = range(20).map((at) => `/town/${town(region * 20 + at)}`)
      return page(`Region ${region}`, words(`region ${region}`, 30), [...MENU, ...towns])
    },
    '/town/*-#': (name, at) => {
      const near = range(6).map((by) => `/town/${town((at * 7 + by * 13) % 400)}`)
      const text = `${name} ${words('guide', 80)} ${at * 31} ${words('rest', 40)} ${words(`own ${at}`, 12)}`
      return page(name, text, [...MENU, ...near])
    },
  }),
  'goods by two parameters, much of a template': around(each(12, '/shop.php?cat=#'), {
    '/shop.php?cat=#': (cat) => {
      const goods = range(25).map((at) => `/shop.php?cat=${cat}&id=${cat * 25 + at}`)
      return page(`Goods ${cat}`, words(`cat ${cat}`, 20), [...MENU, ...goods])
    },
    '/shop.php?cat=#&id=#': (cat, id) =>
      page(words(`good ${id}`, 2), `${words(`good ${id}`, 6)} ${words('terms of sale', 130)}`, [
        ...MENU,
        `/shop.php?cat=${cat}`,
        `/shop.php?cat=${cat}&id=${Math.min(cat * 25 + 24, id + 1)}`,
      ]),
  }),
  'tags of one and of several words': around(
    range(5).map((at) => `/tag/${words(`tag word ${at}`, 1)}/`),
    {
      '/tag/*/': (tag) =>
        page(tag, words(`tag ${tag}`, 40), [...MENU, ...range(8).map((at) => `/post/${slug(`${tag} ${at}`)}`)]),
      '/post/*': (name) => {
        const random = randomOf(name)
        const tags = range(3).map(() => {
          const all = range(1 + random.integer(3)).map(() => words(`tag word ${random.integer(60)}`, 1))
          return `/tag/${all.join('-')}/`
        })
        return page(name, words(`post ${name}`, 80), [...MENU, ...(random.next() < 0.3 ? tags : [])])
      },
    },
  ),
  'a translation that is half done': around(['/doc/0'], {
    '/[(de)/]doc/#': (de, at) => {
      const translated = de !== undefined && at % 2 === 1
      const others = [at - 1, at + 1].filter((other) => other >= 0 && other < 60)
      return page(`Chapter ${at}`, words(`chapter ${at}${translated ? ' de' : ''}`, 90), [
        ...MENU,
        ...others.map((other) => [`/${de === undefined ? '' : 'de/'}doc/${other}`, 'next'] as const),
        [`/de/doc/${at}`, 'deutsch'],
      ])
    },
  }),
  'records named by chance': around([record(0)], {
    '/record?key=*': (key) =>
      page(words(key, 2), words(`record ${key}`, 60), [...MENU, record((indexOf.get(key) ?? 0) + 1)]),
  }),
}

function record(at: number): string {
  return `/record?key=${hex(`record ${at}`)}`
}

const indexOf = new Map(range(300).map((at) => [hex(`record ${at}`), at % 299]))
