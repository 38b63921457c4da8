/** Traps, each behind a link of an honest site; and honest sites that look like traps. */
import { hex, honestSite, page, randomOf, site, slug, withTrap, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const COLOURS = ['red', 'green', 'blue', 'black']
const SIZES = ['s', 'm', 'l', 'xl']
const SORTS = ['price', 'name', 'newest', 'rating']
const BRANDS = ['acme', 'globex', 'initech']

function monthAfter(year: number, month: number, by: number): [number, number] {
  const all = year * 12 + month - 1 + by
  return [Math.floor(all / 12), (all % 12) + 1]
}

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

const range = (count: number) => Array.from({ length: count }, (_, at) => at)
const menu = ['/', '/about.html', '/help.html', '/list']

function around(routes: Parameters<typeof site>[0], home: readonly string[]): Site {
  return site([
    [/^\/$/, () => page('Home', words('home', 60), [...menu, ...home])],
    [/^\/(about|help)\.html$/, ([name]) => page(name, words(name, 80), menu)],
    ...routes,
  ])
}

export const HONEST: Record<string, Site> = {
  'listing of 500 pages': around(
    [
      [
        /^\/list(?:\?page=(\d+))?$/,
        ([number = '1']) => {
          const at = Number(number)
          if (at > 500) return undefined
          const items = range(10).map((i) => `/a/${slug(`a${at * 10 + i}`)}-${at * 10 + i}`)
          return page(`List ${at}`, 'our list', [
            ...menu,
            ...items,
            ...(at < 500 ? [`/list?page=${at + 1}`] : []),
            `/list?page=${Math.max(1, at - 1)}`,
          ])
        },
      ],
      [/^\/a\/.*-(\d+)$/, ([number]) => page(words(`a${number}`, 3), words(`text ${number}`, 30), menu)],
    ],
    [],
  ),
  'blog by date': around(
    [
      [
        /^\/(\d{4})\/(\d\d)\/(\d\d)\/(.+)-(\d+)$/,
        ([, , , , number]) => {
          const at = Number(number)
          return page(words(`post ${at}`, 5), words(`post text ${at}`, 60), [
            ...menu,
            ...(at < 800 ? [post(at + 1)] : []),
            ...(at > 0 ? [post(at - 1)] : []),
          ])
        },
      ],
    ],
    [post(0)],
  ),
  'gallery, chained, pictures only': around(
    [
      [
        /^\/photos\/(\d+)$/,
        ([number]) => {
          const at = Number(number)
          if (at > 300) return undefined
          const { html } = page(`Photo ${at}`, `Photo ${at} of 300`, [
            [`/photos/${at + 1}`, 'next'],
            [`/photos/${Math.max(1, at - 1)}`, 'back'],
            ...menu,
          ])
          return { html: html!.replace('<p>', `<p><img src="/img/${at}.jpg">`) }
        },
      ],
    ],
    ['/photos/1'],
  ),
  'gallery, indexed': around(
    [
      [/^\/albums\/(\d+)$/, ([album]) => thumbs(Number(album))],
      [
        /^\/photo\.php\?id=(\d+)$/,
        ([id]) => {
          const { html } = page('Photo', `Photo ${id}`, [
            [`/photo.php?id=${Math.min(599, Number(id) + 1)}`, 'next'],
            ...menu,
          ])
          return { html: html!.replace('<p>', `<p><img src="/img/${id}.jpg">`) }
        },
      ],
    ],
    range(12).map((at) => `/albums/${at}`),
  ),
  'catalogue, short descriptions': around(
    [
      [
        /^\/list(?:\?page=(\d+))?$/,
        ([number = '0']) =>
          page('Goods', 'all goods', [
            ...menu,
            ...range(20).map((i) => `/product/${Number(number) * 20 + i}`),
            ...(Number(number) < 25 ? [`/list?page=${Number(number) + 1}`] : []),
          ]),
      ],
      [
        /^\/product\/(\d+)$/,
        ([id]) => {
          const random = randomOf(id)
          const related = range(3).map(() => `/product/${random.integer(520)}`)
          return page(
            `Product ${id}`,
            `${words(`name ${id}`, 2)} Price ${random.integer(900)}.99 Add to basket Delivery within 3 days. Return within 30 days. All prices with tax.`,
            [...menu, ...related.map((to) => [to, `Product ${to.slice(9)}`] as const)],
          )
        },
      ],
    ],
    [],
  ),
  'catalogue, numbers only, listed': around(
    [
      [
        /^\/list$/,
        () => page('Parts', 'all parts', [...menu, ...range(200).map((i) => [`/part/${i}`, `part ${i}`] as const)]),
      ],
      [/^\/part\/(\d+)$/, ([id]) => page(`Part ${id}`, `Part number ${id}, price ${Number(id) * 3}`, menu)],
    ],
    [],
  ),
  dictionary: around(
    [
      [
        /^\/list$/,
        () => page('A to Z', 'letters', [...menu, ...range(26).map((i) => `/letter/${String.fromCharCode(97 + i)}`)]),
      ],
      [
        /^\/letter\/(\w)$/,
        ([letter]) =>
          page(letter, 'words', [
            ...menu,
            ...range(40).map((i) => `/word/${words(`${letter}${i}`, 1)}${words(`x${letter}${i}`, 1)}`),
          ]),
      ],
      [/^\/word\/(\w+)$/, ([word]) => page(word, `${word}: ${words(word, 6)}`, [...menu, `/letter/${word[0]}`])],
    ],
    [],
  ),
  forum: around(
    [
      [/^\/list$/, () => page('Boards', 'boards', [...menu, ...range(8).map((i) => `/viewforum.php?f=${i}`)])],
      [
        /^\/viewforum\.php\?f=(\d+)(?:&start=(\d+))?$/,
        ([f, start = '0']) =>
          page(`Board ${f}`, 'threads', [
            ...menu,
            ...range(20).map((i) => `/viewtopic.php?f=${f}&t=${Number(f) * 1000 + Number(start) + i}`),
            ...(Number(start) < 80 ? [`/viewforum.php?f=${f}&start=${Number(start) + 20}`] : []),
          ]),
      ],
      [
        /^\/viewtopic\.php\?f=(\d+)&(?:start=(\d+)&)?t=(\d+)$/,
        ([f, start = '0', t]) =>
          page(words(`t${t}`, 4), words(`posts ${t} ${start}`, 90), [
            ...menu,
            `/viewforum.php?f=${f}`,
            ...(Number(start) < Number(t) % 3 ? [`/viewtopic.php?f=${f}&start=${Number(start) + 1}&t=${t}`] : []),
          ]),
      ],
    ],
    [],
  ),
  wiki: around(
    [
      [
        /^\/index\.php\?(?:action=(\w+)&)?title=([\w-]+)$/,
        ([action, title]) => {
          const random = randomOf(title)
          const links = range(20).map(() => `/index.php?title=${wikiTitle(Math.floor(random.next() ** 2 * 3000))}`)
          const own = ['edit', 'history', 'info'].map((one) => `/index.php?action=${one}&title=${title}`)
          if (action === undefined) return page(title, words(`wiki ${title}`, 120), [...menu, ...links, ...own])
          return page(
            `${action} ${title}`,
            `${action} ${title} ${action === 'edit' ? words(`wiki ${title}`, 120) : words(`${action} ${title}`, 10)}`,
            menu,
          )
        },
      ],
    ],
    [`/index.php?title=${wikiTitle(0)}`],
  ),
  'wiki of 20,000, uniform links': around(
    [
      [
        /^\/wiki\/([\w-]+)-(\d+)$/,
        ([, id]) => {
          const random = randomOf(`w${id}`)
          const links = range(15).map(() => wikiPage(random.integer(20_000)))
          return page(wikiPage(Number(id)), words(`wiki ${id}`, 40), [...menu, ...links])
        },
      ],
    ],
    [wikiPage(0)],
  ),
  'archive of 20,000 articles': around(
    [
      [/^\/list$/, () => page('Archive', 'archive', [...menu, ...range(400).map((i) => `/archive/${i}`)])],
      [
        /^\/archive\/(\d+)$/,
        ([at]) => page(`Archive ${at}`, 'texts', [...range(50).map((i) => article(Number(at) * 50 + i))]),
      ],
      [
        /^\/article\/(.+)-(\d+)$/,
        ([, at]) =>
          page(words(`article ${at}`, 5), words(`text ${at}`, 40), [
            '/',
            article(Number(at) + 1),
            article(Math.max(0, Number(at) - 1)),
          ]),
      ],
    ],
    [],
  ),
  'directory tree': around(
    [
      [
        /^\/dir(\/[a-z]+){1,2}\/$/,
        (_, path) =>
          page(path, words(path, 10), [...menu, '../', ...range(12).map((i) => `${path}${words(`${path}${i}`, 1)}/`)]),
      ],
      [/^\/dir(\/[a-z]+){3}\/$/, (_, path) => page(path, words(path, 50), [...menu, '../'])],
    ],
    range(12).map((i) => `/dir/${words(`root${i}`, 1)}/`),
  ),
  'versions of a manual': around(
    [
      [
        /^\/v(\d+)\/([a-z-]+)\.html$/,
        ([version, name]) =>
          page(`${name} ${version}`, `version ${version} ${words(name, 80)}`, [
            ...menu,
            ...range(8).map((v) => `/v${v}/${name}.html`),
            ...range(20).map((i) => `/v${version}/${slug(`doc ${i}`)}.html`),
          ]),
      ],
    ],
    [`/v7/${slug('doc 0')}.html`],
  ),
  'versions of a manual, word by word the same': around(
    [
      [
        /^\/(v\d+)\/([a-z-]+)\.html$/,
        ([version, name]) => {
          const others = range(20).map((i) => [`/${version}/${slug(`doc ${i}`)}.html`, slug(`doc ${i}`)] as const)
          return page(name, words(name, 80), [...menu, ...others])
        },
      ],
    ],
    range(5).map((v) => `/v${v}/${slug('doc 0')}.html`),
  ),
  'calendar with events': around(
    [
      [
        /^\/events\/(\d+)-(\d+)$/,
        ([y, m]) => {
          const [year, month] = [Number(y), Number(m)]
          if (year < 2015 || year > 2024) return undefined
          const on = range(28).filter((d) => randomOf(`${y} ${m} ${d}`).next() < 0.15)
          const days = on.map((d) => `${d} ${words(`event ${y} ${m} ${d}`, 5)}`).join(' ')
          return page(`${MONTHS[month - 1]} ${y}`, days, [
            ...menu,
            `/events/${monthAfter(year, month, 1).join('-')}`,
            `/events/${monthAfter(year, month, -1).join('-')}`,
            ...on.map((d) => `/event/${y}-${m}-${d}`),
          ])
        },
      ],
      [/^\/event\/([\d-]+)$/, ([id]) => page(words(`event ${id}`, 5), words(`what ${id}`, 30), menu)],
    ],
    ['/events/2020-5'],
  ),
  'days, most without events': around(
    [
      [
        /^\/day\/(\d+)$/,
        ([number]) => {
          const at = Number(number)
          if (at > 200) return undefined
          const body = at % 6 === 2 ? words(`event ${at}`, 25) : 'no events on this day'
          return page(`Day ${at}`, body, [
            ...menu,
            [`/day/${at + 1}`, 'next day'],
            [`/day/${Math.max(0, at - 1)}`, 'day before'],
          ])
        },
      ],
    ],
    ['/day/0'],
  ),
  'shop of categories and pages': around(
    [
      [
        /^\/shop(?:\?(?:cat=(\w+))?&?(?:page=(\d+))?)?$/,
        ([cat, number = '1']) => {
          const at = Number(number)
          const items = range(12).map((i) => `/p/${slug(`${cat} ${at} ${i}`)}`)
          const next = at < 6 ? [`/shop?${cat === undefined ? '' : `cat=${cat}&`}page=${at + 1}`] : []
          return page(`${cat ?? 'All'} ${at}`, 'goods', [
            ...menu,
            ...items,
            ...next,
            ...['shoes', 'hats', 'bags', 'coats', 'belts'].map((one) => `/shop?cat=${one}`),
          ])
        },
      ],
      [/^\/p\/([\w-]+)$/, ([name]) => page(name, words(name, 25), [...menu, '/shop'])],
    ],
    ['/shop'],
  ),
  'videos with random names': around(
    [
      [
        /^\/watch\?v=(\w+)$/,
        ([id]) => {
          const at = videos.get(id)
          if (at === undefined) return undefined
          const random = randomOf(id)
          return page(words(`video ${id}`, 5), words(`about ${id}`, 15), [
            ...menu,
            ...range(12).map(() => `/watch?v=${hex(`video ${random.integer(3000)}`)}`),
          ])
        },
      ],
    ],
    range(10).map((at) => `/watch?v=${hex(`video ${at}`)}`),
  ),
  'slow reports': around(
    [
      [
        /^\/report\/(\d+)$/,
        ([id]) => ({ ...page(`Report ${id}`, words(id, 2000), menu), tookMs: 12_000, bytes: 15_000 }),
      ],
    ],
    range(40).map((at) => `/report/${at}`),
  ),
  'a slow site': (path) => {
    const answer = HONEST['dictionary'](path)
    return answer === undefined ? undefined : { ...answer, tookMs: 15_000, bytes: 900 }
  },
}

const videos = new Map(range(3000).map((at) => [hex(`video ${at}`), at]))

function post(at: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `/${2015 + Math.floor(at / 300)}/${two((Math.floor(at / 25) % 12) + 1)}/${two((at % 25) + 1)}/${slug(`post ${at}`)}-${at}`
}

function thumbs(album: number) {
  const photos = range(50).map((i) => album * 50 + i)
  const { html } = page(`Album ${album}`, 'photos', [
    ...menu,
    ...photos.map((id) => [`/photo.php?id=${id}`, String(id)] as const),
  ])
  return { html: html! + photos.map((id) => `<img src="/thumb/${id}.jpg">`).join('') }
}

function wikiTitle(at: number): string {
  return `${slug(`title ${at}`)}-${at}`
}

function wikiPage(at: number): string {
  return `/wiki/${slug(`page ${at}`)}-${at}`
}

function article(at: number): string {
  return `/article/${slug(`article ${at}`)}-${at}`
}
