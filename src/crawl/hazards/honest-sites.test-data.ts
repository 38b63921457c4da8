/** Honest sites that look like traps. */
import { hex, honestSite, MONTHS, monthAfter, page, randomOf, site, slug, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

const range = (count: number) => Array.from({ length: count }, (_, at) => at)
const menu = ['/', '/about.html', '/help.html', '/list']

function around(routes: Parameters<typeof site>[0], home: readonly string[]): Site {
  return site([
    [/^\/$/, () => page('Home', words('home', 60), [...menu, ...home])],
    [/^\/(about|help)\.html$/, ([name]) => page(name, words(name, 80), menu)],
    ...routes,
  ])
}

/** Thirty sections of twenty pages, each with its own folders. */
function manySections(more: Site, entries: readonly string[]): Site {
  const sections = range(30).map((at) => words(`section ${at}`, 1))
  const article = (section: string, at: number) =>
    `/${section}/${2010 + (at % 8)}/${slug(`${section} ${at}`)}-${at}.html`
  const routes: Parameters<typeof site>[0] = [
    [
      /^\/(\w+)\/$/,
      ([section]) => page(section, words(section, 20), [...menu, ...range(20).map((at) => article(section, at))]),
    ],
    [/^\/\w+\/\d+\/.*-(\d+)\.html$/, (_, path) => page(slug(path), words(path, 90), [...menu, '../'])],
  ]
  const honest = around(routes, [...sections.map((section) => `/${section}/`), ...entries])
  return (path) => more(path) ?? honest(path)
}

export const TRAP_AMONG_MANY = manySections(
  (path) => {
    const match = /^\/agenda\/(\d+)$/.exec(path)
    return match === null
      ? undefined
      : page(`Day ${match[1]}`, 'nothing on this day', [[`/agenda/${Number(match[1]) + 1}`, 'next']])
  },
  ['/agenda/1'],
)

export const HONEST: Record<string, Site> = {
  'fifty pages': honestSite([]),
  'many sections': manySections(() => undefined, []),
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
  'wiki of 20,000, only a link home': around(
    [
      [
        /^\/wiki\/([\w-]+)-(\d+)$/,
        ([, id]) => {
          const random = randomOf(`w${id}`)
          return page(wikiPage(Number(id)), words(`wiki ${id}`, 40), [
            '/',
            ...range(8).map(() => wikiPage(random.integer(20_000))),
          ])
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
