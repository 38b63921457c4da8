/** Traps, each behind a link of an honest site. */
import {
  each,
  hex,
  honestSite,
  MENU,
  MONTHS,
  monthAfter,
  page,
  randomOf,
  range,
  slug,
  withTrap,
  words,
} from './sites.test-data.ts'
import type { Answer, Site } from './traces.test-data.ts'

const COLOURS = ['red', 'green', 'blue', 'black']
const SIZES = ['s', 'm', 'l', 'xl']
const SORTS = ['price', 'name', 'newest', 'rating']
const VIEWS = ['grid', 'rows', 'tiles']
const BRANDS = ['acme', 'globex', 'initech']

function monthPage(year: number, month: number, url: (year: number, month: number) => string): Answer {
  const name = MONTHS[month - 1] ?? '?'
  const [before, after] = [-1, 1].map((by) => monthAfter(year, month, by))
  const days = range(28 + (month % 4)).map((at) => at + 1)
  const body = `Events in ${name} ${year} Mon Tue Wed Thu Fri Sat Sun ${days.join(' ')} no events in this month`
  return page(`Calendar ${name} ${year}`, body, [
    [url(...before), `previous ${MONTHS[before[1] - 1]}`],
    [url(...after), `next ${MONTHS[after[1] - 1]}`],
    ['/', 'home'],
  ])
}

/** `/shop?a=…&b=…`: every page links to every change of one parameter. */
function facets(
  base: string,
  values: Record<string, readonly string[]>,
  body: (chosen: Record<string, string>) => string,
  links: readonly string[] = [],
): Site {
  return (path) => {
    const [place, query = ''] = path.split('?')
    if (place !== base) return undefined
    const chosen = Object.fromEntries(new URLSearchParams(query))
    const to = Object.entries(values).flatMap(([name, all]) =>
      all.map((value) => {
        const next = new URLSearchParams(Object.entries({ ...chosen, [name]: value }).sort())
        return [`${base}?${next}`, `${name} ${value}`] as const
      }),
    )
    return page('Shop', body(chosen), [...to, ...links, '/'])
  }
}

const ITEMS = range(60).map((at) => words(`item ${at}`, 6))

function sorted(items: readonly string[], by: string): string {
  const random = randomOf(by)
  const keyed = items.map((item) => ({ item, key: random.next() })).sort((a, b) => a.key - b.key)
  return keyed.map(({ item }) => item).join(' ')
}

/** The same for every path that begins so. */
const under =
  (prefix: string, answer: (path: string) => Answer): Site =>
  (path) =>
    path.startsWith(prefix) ? answer(path) : undefined

function maze(prefix: string, name: (seed: string) => string, home: readonly string[] = [], links = 8): Site {
  return under(prefix, (path) =>
    page(words(path, 4), words(path, 200), [...range(links).map((at) => `${prefix}${name(`${path} ${at}`)}`), ...home]),
  )
}

function nestedMaze(home: readonly string[] = [], links = 8): Site {
  return under('/babble/', (path) =>
    page(words(path, 4), words(path, 200), [
      ...range(links).map((at) => `${path.replace(/\/$/, '')}/${words(`${path} ${at}`, 1)}/`),
      ...home,
    ]),
  )
}

/** Each page leads into the next form, the last into the first. */
function mazeOfForms(forms: readonly ((seed: string) => string)[], links: number): Site {
  return (path) => {
    const at = forms.findIndex((form) => form('').split('/')[1] === path.split('/')[1])
    if (at < 0) return undefined
    const next = forms[(at + 1) % forms.length]
    return page(words(path, 4), words(path, 300), [...MENU, ...range(links).map((link) => next(`${path} ${link}`))])
  }
}

const honest = honestSite([])

export const TRAPS: Record<string, Site> = {
  'calendar, path': withTrap(['/cal/2024/5'], {
    '/cal/#/#': (year, month) => monthPage(year, month, (y, m) => `/cal/${y}/${m}`),
  }),
  'calendar, query': withTrap(['/events.php?month=5&year=2024'], {
    '/events.php?month=#&year=#': (month, year) => monthPage(year, month, (y, m) => `/events.php?month=${m}&year=${y}`),
  }),
  'calendar, on every page': withTrap(
    [],
    { '/agenda/#-#': (year, month) => monthPage(year, month, (y, m) => `/agenda/${y}-${m}`) },
    ['/agenda/2024-5'],
  ),
  'calendar of months and days': withTrap(['/cal/2024/5'], {
    '/cal/#/#': (y, m) => {
      const days = range(30).map((at) => [`/cal/${y}/${m}/${at + 1}`, String(at + 1)] as const)
      const after = `/cal/${monthAfter(y, m, 1).join('/')}`
      return page(`${MONTHS[m - 1]} ${y}`, 'choose a day', [...days, [after, 'next'], '/'])
    },
    '/cal/#/#/#': (y, m, d) =>
      page(`${d} ${MONTHS[m - 1]} ${y}`, 'nothing happens on this day', [
        [`/cal/${y}/${m}/${d + 1}`, 'next day'],
        [`/cal/${y}/${m}`, 'the month'],
      ]),
  }),
  'numbers without end': withTrap(['/item?id=1'], {
    '/item?id=#': (id) =>
      page(`Item ${id}`, `this is item number ${id} of our collection`, [
        [`/item?id=${id + 1}`, 'next item'],
        [`/item?id=${id * 2}`, 'skip'],
        '/',
      ]),
  }),
  'numbers falling': withTrap(['/log/100000'], {
    '/log/#': (id) => page(`Log ${id}`, 'the log of the machine has no entries', [[`/log/${id - 1}`, 'older']]),
  }),
  'relative links, soft': withTrap(
    ['/x/'],
    under('/x/', () => page('Docs', words('docs', 60), ['x/', 'guide/', '/'])),
  ),
  'relative links, a/b': withTrap(['/a/b/'], (path) =>
    /^\/(a\/b\/)+$/.test(path) ? page('Docs', words(path, 60), ['a/b/']) : undefined,
  ),
  'growing query': withTrap(
    ['/find?q=a'],
    under('/find?', (path) => page('Find', 'no results for your words try to add more', [[`${path}+b`, 'more'], '/'])),
  ),
  'growing path, new text': withTrap(
    ['/deep/a'],
    under('/deep/', (path) => page(words(path, 3), words(path, 100), [`${path}/${words(`w${path}`, 1)}`])),
  ),
  'growing path, two ways': withTrap(
    ['/tree/a'],
    under('/tree/', (path) => {
      const ways = ['left', 'right'].map((way) => [`${path}/${way}`, way] as const)
      return page('Tree', 'go left or go right my friend', ways)
    }),
  ),
  'sort and view': withTrap(
    ['/list'],
    facets('/list', { sort: SORTS, view: VIEWS, dir: ['up', 'down'] }, (c) =>
      sorted(ITEMS.slice(0, 30), JSON.stringify(c)),
    ),
  ),
  'sort and view beside pages': withTrap(
    ['/list'],
    facets(
      '/list',
      { sort: SORTS, view: VIEWS, order: ['up', 'down'] },
      (c) => {
        const from = Number(c['page'] ?? 1) * 5
        return sorted(ITEMS.slice(from, from + 20), JSON.stringify(c))
      },
      ['/list?page=2'],
    ),
  ),
  'filters, other subsets': withTrap(
    ['/shop'],
    facets('/shop', { brand: BRANDS, color: COLOURS, size: SIZES, sort: SORTS }, ({ sort = '', ...rest }) => {
      const random = randomOf(JSON.stringify(rest))
      const some = ITEMS.filter(() => random.next() < 0.7 / (1 + Object.keys(rest).length))
      return sorted(some, sort)
    }),
  ),
  'filters, the same list': withTrap(
    ['/shop'],
    facets(
      '/shop',
      { brand: BRANDS, color: COLOURS, size: SIZES },
      (c) => `your choice ${Object.values(c).join(' ')} ${ITEMS.slice(0, 20).join(' ')}`,
    ),
  ),
  'random parameters': withTrap(
    ['/r?k1=1'],
    under('/r?', (path) =>
      page('Here', 'you are here and nowhere else my dear', [
        [`/r?${hex(path).slice(0, 4)}=1`, 'here'],
        [`/r?${hex(path).slice(3, 8)}=2`, 'there'],
      ]),
    ),
  ),
  'soft-404, dead links': withTrap(
    range(60).map((at) => `/old/${slug(`dead ${at}`)}.html`),
    (path) => {
      const sorry = 'the page you look for is not here please go back to the beginning of the site'
      return page('Sorry', `${sorry} ${path}`, ['/', 'more/', 'help.html'])
    },
  ),
  'error pages for a catalogue': withTrap(
    each(120, '/product.php?id=#'),
    under('/product', () => page('Error', 'Could not connect to the database, please try again later', ['/'])),
  ),
  'redirects without end': withTrap(['/go/1'], { '/go/#': (at) => ({ location: `/go/${at + 1}` }) }),
  'drip feed': withTrap(['/slow/1'], {
    '/slow/#': (at, path) => {
      const next = [1, 2, 3].map((by) => `/slow/${at * 3 + by}`)
      return { ...page('Slow', words(path, 100), next), tookMs: 30_000 }
    },
  }),
  'maze, random names': withTrap(['/maze/start'], maze('/maze/', hex)),
  'maze, words': withTrap(['/maze/start'], maze('/maze/', slug)),
  'maze, words, link home': withTrap(['/maze/start'], maze('/maze/', slug, ['/'])),
  'maze, nested words': withTrap(['/babble/start/'], nestedMaze()),
  'maze, nested, few links': withTrap(['/babble/start/'], nestedMaze(['/'], 3)),
  'maze, random, with navigation': withTrap(['/maze/start'], maze('/maze/', hex, ['/', '/about.html', '/news.html'])),
  'maze of three forms, with navigation': withTrap(
    ['/wiki/Main_page'],
    mazeOfForms(
      [
        (seed) => `/wiki/${words(seed, 2).replace(' ', '_')}`,
        (seed) => `/shop/item/${randomOf(seed).integer(1e9)}`,
        (seed) => `/blog/${slug(seed)}.html`,
      ],
      6,
    ),
  ),
  'maze of one to three names, with navigation': withTrap(
    ['/babble/'],
    under('/babble/', (path) => {
      const names = (seed: string) => range(1 + randomOf(seed).integer(3)).map((at) => slug(`${seed} ${at}`))
      const to = range(8).map((at) => `/babble/${names(`${path} ${at}`).join('/')}/`)
      return page(words(path, 4), words(path, 300), [...MENU, ...to])
    }),
  ),
  'maze at the top, words': withTrap(['/start.html'], (path) =>
    /^\/[a-z]+-[a-z]+-[a-z]+\.html$|^\/start.html$/.test(path)
      ? maze('/', (seed) => `${slug(seed)}.html`)(path)
      : undefined,
  ),
  'list that goes on after its end': withTrap(['/list?page=1'], {
    '/list?page=#': (at) =>
      page(`List ${at}`, at <= 12 ? words(`items ${at}`, 60) : 'nothing here, please go back', [
        [`/list?page=${at + 1}`, 'next'],
        [`/list?page=${Math.max(1, at - 1)}`, 'back'],
        ['/', 'home'],
      ]),
  }),
  'aliases by a parameter': (path) => {
    const { html } = honest(path.split('?')[0]) ?? {}
    if (html === undefined) return undefined
    let at = 0
    return { html: html.replaceAll(/href="([^"]*)"/g, (_, to) => `href="${to}?from=${words(path + at++, 1)}"`) }
  },
  'aliases by a folder': (path) => {
    const match = /^(?:\/s[a-z]+)?(\/.*)$/.exec(path)
    const { html } = honest(/^\/s-\w+\//.test(path) ? path.replace(/^\/s-\w+/, '') : (match?.[1] ?? path)) ?? {}
    return html === undefined ? undefined : { html: html.replaceAll(/href="/g, `href="/s-${hex(path).slice(0, 6)}`) }
  },
  'maze at the top, random': withTrap(['/ab12cd34ef'], (path) =>
    /^\/[0-9a-f]{10}$/.test(path) ? maze('/', hex)(path) : undefined,
  ),
  'maze with html names': withTrap(
    ['/p/x1.html'],
    maze('/p/', (seed) => `${hex(seed)}.html`),
  ),
}
