/** Traps, each behind a link of an honest site. */
import { hex, honestSite, MONTHS, monthAfter, page, randomOf, site, slug, withTrap, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const COLOURS = ['red', 'green', 'blue', 'black']
const SIZES = ['s', 'm', 'l', 'xl']
const SORTS = ['price', 'name', 'newest', 'rating']
const BRANDS = ['acme', 'globex', 'initech']

function monthGrid(days: number): string {
  return Array.from({ length: days }, (_, at) => at + 1).join(' ')
}

function calendar(url: (year: number, month: number) => string, form: RegExp): Site {
  return site([
    [
      form,
      ([y, m]) => {
        const [year, month] = [Number(y), Number(m)]
        const name = MONTHS[month - 1] ?? '?'
        const before = monthAfter(year, month, -1)
        const after = monthAfter(year, month, 1)
        const body = `Events in ${name} ${year} Mon Tue Wed Thu Fri Sat Sun ${monthGrid(28 + (month % 4))} no events in this month`
        return page(`Calendar ${name} ${year}`, body, [
          [url(...before), `previous ${MONTHS[before[1] - 1]}`],
          [url(...after), `next ${MONTHS[after[1] - 1]}`],
          ['/', 'home'],
        ])
      },
    ],
  ])
}

/** `/shop?a=…&b=…`: every page links to every change of one parameter. */
function facets(
  base: string,
  values: Record<string, readonly string[]>,
  body: (chosen: Record<string, string>) => string,
  links: (chosen: Record<string, string>) => string[] = () => [],
): Site {
  return (path) => {
    const [place, query = ''] = path.split('?')
    if (place !== base) return undefined
    const chosen = Object.fromEntries(new URLSearchParams(query))
    const to: (readonly [string, string])[] = []
    for (const [name, all] of Object.entries(values)) {
      for (const value of all) {
        const next = new URLSearchParams(Object.entries({ ...chosen, [name]: value }).sort())
        to.push([`${base}?${next}`, `${name} ${value}`])
      }
    }
    return page('Shop', body(chosen), [...to, ...links(chosen), '/'])
  }
}

const ITEMS = Array.from({ length: 60 }, (_, at) => words(`item ${at}`, 6))

function sorted(items: readonly string[], by: string): string {
  const random = randomOf(by)
  return items
    .map((item) => ({ item, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
    .join(' ')
}

function maze(
  prefix: string,
  name: (seed: string) => string,
  nested: boolean,
  home: readonly string[] = [],
  links = 8,
): Site {
  return (path) => {
    if (!path.startsWith(prefix)) return undefined
    const base = nested ? path.replace(/\/$/, '') + '/' : prefix
    const to = Array.from({ length: links }, (_, at) => `${base}${name(`${path} ${at}`)}${nested ? '/' : ''}`)
    return page(words(path, 4), words(path, 200), [...to, ...home])
  }
}

const MENU = ['/', '/about.html', '/news.html', '/contact.html']

/** Each page leads into the next form, the last into the first. */
function mazeOfForms(forms: readonly ((seed: string) => string)[], links: number): Site {
  return (path) => {
    const at = forms.findIndex((form) => form('').split('/')[1] === path.split('/')[1])
    if (at < 0) return undefined
    const next = forms[(at + 1) % forms.length]
    return page(words(path, 4), words(path, 300), [
      ...MENU,
      ...Array.from({ length: links }, (_, link) => next(`${path} ${link}`)),
    ])
  }
}

const notFound = (path: string, body: string, links: readonly string[]) => page('Sorry', `${body} ${path}`, links)

export const TRAPS: Record<string, Site> = {
  'calendar, path': withTrap(
    ['/cal/2024/5'],
    calendar((y, m) => `/cal/${y}/${m}`, /^\/cal\/(\d+)\/(\d+)$/),
  ),
  'calendar, query': withTrap(
    ['/events.php?month=5&year=2024'],
    calendar((y, m) => `/events.php?month=${m}&year=${y}`, /^\/events\.php\?month=(\d+)&year=(\d+)$/),
  ),
  'calendar, on every page': withTrap(
    [],
    calendar((y, m) => `/agenda/${y}-${m}`, /^\/agenda\/(\d+)-(\d+)$/),
    ['/agenda/2024-5'],
  ),
  'calendar of months and days': withTrap(
    ['/cal/2024/5'],
    site([
      [
        /^\/cal\/(\d+)\/(\d+)$/,
        ([y, m]) => {
          const after = monthAfter(Number(y), Number(m), 1)
          const days = Array.from({ length: 30 }, (_, at) => [`/cal/${y}/${m}/${at + 1}`, String(at + 1)] as const)
          return page(`${MONTHS[Number(m) - 1]} ${y}`, 'choose a day', [
            ...days,
            [`/cal/${after.join('/')}`, 'next'],
            '/',
          ])
        },
      ],
      [
        /^\/cal\/(\d+)\/(\d+)\/(\d+)$/,
        ([y, m, d]) =>
          page(`${d} ${MONTHS[Number(m) - 1]} ${y}`, 'nothing happens on this day', [
            [`/cal/${y}/${m}/${Number(d) + 1}`, 'next day'],
            [`/cal/${y}/${m}`, 'the month'],
          ]),
      ],
    ]),
  ),
  'numbers without end': withTrap(
    ['/item?id=1'],
    site([
      [
        /^\/item\?id=(\d+)$/,
        ([id]) =>
          page(`Item ${id}`, `this is item number ${id} of our collection`, [
            [`/item?id=${Number(id) + 1}`, 'next item'],
            [`/item?id=${Number(id) * 2}`, 'skip'],
            '/',
          ]),
      ],
    ]),
  ),
  'numbers falling': withTrap(
    ['/log/100000'],
    site([
      [
        /^\/log\/(\d+)$/,
        ([id]) => page(`Log ${id}`, 'the log of the machine has no entries', [[`/log/${Number(id) - 1}`, 'older']]),
      ],
    ]),
  ),
  'relative links, soft': withTrap(['/x/'], (path) =>
    path.startsWith('/x/') ? page('Docs', words('docs', 60), ['x/', 'guide/', '/']) : undefined,
  ),
  'relative links, a/b': withTrap(['/a/b/'], (path) =>
    /^\/(a\/b\/)+$/.test(path) ? page('Docs', words(path, 60), ['a/b/']) : undefined,
  ),
  'growing query': withTrap(['/find?q=a'], (path) =>
    path.startsWith('/find?')
      ? page('Find', 'no results for your words try to add more', [[`${path}+b`, 'more'], '/'])
      : undefined,
  ),
  'growing path, new text': withTrap(['/deep/a'], (path) =>
    path.startsWith('/deep/') ? page(words(path, 3), words(path, 100), [`${path}/${words(`w${path}`, 1)}`]) : undefined,
  ),
  'growing path, two ways': withTrap(['/tree/a'], (path) =>
    path.startsWith('/tree/')
      ? page('Tree', 'go left or go right my friend', [
          [`${path}/left`, 'left'],
          [`${path}/right`, 'right'],
        ])
      : undefined,
  ),
  'sort and view': withTrap(
    ['/list'],
    facets('/list', { sort: SORTS, view: ['grid', 'rows', 'tiles'], dir: ['up', 'down'] }, (c) =>
      sorted(ITEMS.slice(0, 30), JSON.stringify(c)),
    ),
  ),
  'sort and view beside pages': withTrap(
    ['/list'],
    facets(
      '/list',
      { sort: SORTS, view: ['grid', 'rows', 'tiles'], order: ['up', 'down'] },
      (c) => sorted(ITEMS.slice(Number(c['page'] ?? 1) * 5, Number(c['page'] ?? 1) * 5 + 20), JSON.stringify(c)),
      () => ['/list?page=2'],
    ),
  ),
  'filters, other subsets': withTrap(
    ['/shop'],
    facets('/shop', { brand: BRANDS, color: COLOURS, size: SIZES, sort: SORTS }, (c) => {
      const { sort = '', ...rest } = c
      const random = randomOf(JSON.stringify(rest))
      return sorted(
        ITEMS.filter(() => random.next() < 0.7 / (1 + Object.keys(rest).length)),
        sort,
      )
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
  'random parameters': withTrap(['/r?k1=1'], (path) =>
    path.startsWith('/r?')
      ? page('Here', 'you are here and nowhere else my dear', [
          [`/r?${hex(path).slice(0, 4)}=1`, 'here'],
          [`/r?${hex(path).slice(3, 8)}=2`, 'there'],
        ])
      : undefined,
  ),
  'soft-404, dead links': (() => {
    const dead = Array.from({ length: 60 }, (_, at) => `/old/${slug(`dead ${at}`)}.html`)
    return withTrap(dead, (path) =>
      notFound(path, 'the page you look for is not here please go back to the beginning of the site', [
        '/',
        'more/',
        'help.html',
      ]),
    )
  })(),
  'error pages for a catalogue': (() => {
    const goods = Array.from({ length: 120 }, (_, at) => `/product.php?id=${at}`)
    return withTrap(goods, (path) =>
      path.startsWith('/product')
        ? page('Error', 'Could not connect to the database, please try again later', ['/'])
        : undefined,
    )
  })(),
  'redirects without end': withTrap(['/go/1'], (path) => {
    const match = /^\/go\/(\d+)$/.exec(path)
    return match === null ? undefined : { location: `/go/${Number(match[1]) + 1}` }
  }),
  'drip feed': withTrap(['/slow/1'], (path) => {
    const match = /^\/slow\/(\d+)$/.exec(path)
    if (match === null) return undefined
    return {
      ...page(
        'Slow',
        words(path, 100),
        [1, 2, 3].map((at) => `/slow/${Number(match[1]) * 3 + at}`),
      ),
      tookMs: 30_000,
    }
  }),
  'maze, random names': withTrap(['/maze/start'], maze('/maze/', hex, false)),
  'maze, words': withTrap(['/maze/start'], maze('/maze/', slug, false)),
  'maze, words, link home': withTrap(['/maze/start'], maze('/maze/', slug, false, ['/'])),
  'maze, nested words': withTrap(
    ['/babble/start/'],
    maze('/babble/', (seed) => words(seed, 1), true),
  ),
  'maze, nested, few links': withTrap(
    ['/babble/start/'],
    maze('/babble/', (seed) => words(seed, 1), true, ['/'], 3),
  ),
  'maze, random, with navigation': withTrap(
    ['/maze/start'],
    maze('/maze/', hex, false, ['/', '/about.html', '/news.html']),
  ),
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
  'maze of one to three names, with navigation': withTrap(['/babble/'], (path) => {
    if (!path.startsWith('/babble/')) return undefined
    const names = (seed: string) =>
      Array.from({ length: 1 + randomOf(seed).integer(3) }, (_, at) => slug(`${seed} ${at}`))
    const to = Array.from({ length: 8 }, (_, at) => `/babble/${names(`${path} ${at}`).join('/')}/`)
    return page(words(path, 4), words(path, 300), [...MENU, ...to])
  }),
  'maze at the top, words': withTrap(['/start.html'], (path) =>
    /^\/[a-z]+-[a-z]+-[a-z]+\.html$|^\/start.html$/.test(path)
      ? maze('/', (seed) => `${slug(seed)}.html`, false)(path)
      : undefined,
  ),
  'list that goes on after its end': withTrap(['/list?page=1'], (path) => {
    const match = /^\/list\?page=(\d+)$/.exec(path)
    if (match === null) return undefined
    const at = Number(match[1])
    const body = at <= 12 ? words(`items ${at}`, 60) : 'nothing here, please go back'
    return page(`List ${at}`, body, [
      [`/list?page=${at + 1}`, 'next'],
      [`/list?page=${Math.max(1, at - 1)}`, 'back'],
      ['/', 'home'],
    ])
  }),
  'aliases by a parameter': (() => {
    const honest = honestSite([])
    return (path) => {
      const { html } = honest(path.split('?')[0]) ?? {}
      if (html === undefined) return undefined
      let at = 0
      return { html: html.replaceAll(/href="([^"]*)"/g, (_, to) => `href="${to}?from=${words(path + at++, 1)}"`) }
    }
  })(),
  'aliases by a folder': (() => {
    const honest = honestSite([])
    return (path) => {
      const match = /^(?:\/s[a-z]+)?(\/.*)$/.exec(path)
      const { html } = honest(/^\/s-\w+\//.test(path) ? path.replace(/^\/s-\w+/, '') : (match?.[1] ?? path)) ?? {}
      return html === undefined ? undefined : { html: html.replaceAll(/href="/g, `href="/s-${hex(path).slice(0, 6)}`) }
    }
  })(),
  'maze at the top, random': withTrap(['/ab12cd34ef'], (path) =>
    /^\/[0-9a-f]{10}$/.test(path) ? maze('/', hex, false)(path) : undefined,
  ),
  'maze with html names': withTrap(
    ['/p/x1.html'],
    maze('/p/', (seed) => `${hex(seed)}.html`, false),
  ),
}
