/** Honest sites that look like traps. */
import {
  each,
  hex,
  honestSite,
  MONTHS,
  monthAfter,
  page,
  randomOf,
  range,
  siteWith,
  slug,
  words,
} from './sites.test-data.ts'
import type { Answer, Site } from './traces.test-data.ts'

const menu = ['/', '/about.html', '/help.html', '/list']
const around = siteWith(menu)

/** Thirty sections of twenty pages, each with its own folders. */
function manySections(entries: readonly string[]): Site {
  const sections = range(30).map((at) => `/${words(`section ${at}`, 1)}/`)
  const article = (section: string, at: number) =>
    `/${section}/${2010 + (at % 8)}/${slug(`${section} ${at}`)}-${at}.html`
  return around([...sections, ...entries], {
    '/*/': (section) => page(section, words(section, 20), [...menu, ...range(20).map((at) => article(section, at))]),
    '/*/#/*-#.html': (_section, _year, _name, _at, path) => page(slug(path), words(path, 90), [...menu, '../']),
    '/agenda/#': (at) => page(`Day ${at}`, 'nothing on this day', [[`/agenda/${at + 1}`, 'next']]),
  })
}

export const TRAP_AMONG_MANY = manySections(['/agenda/1'])

const picture = ({ html }: Answer, name: string): Answer => ({ html: html!.replace('<p>', `<p><img src="${name}">`) })

export const HONEST: Record<string, Site> = {
  'fifty pages': honestSite([]),
  'many sections': manySections([]),
  'listing of 500 pages': around([], {
    '/list[?page=#]': (at = 1) => {
      if (at > 500) return undefined
      const items = range(10).map((i) => `/a/${slug(`a${at * 10 + i}`)}-${at * 10 + i}`)
      const next = at < 500 ? [`/list?page=${at + 1}`] : []
      return page(`List ${at}`, 'our list', [...menu, ...items, ...next, `/list?page=${Math.max(1, at - 1)}`])
    },
    '/a/*-#': (_, at) => page(words(`a${at}`, 3), words(`text ${at}`, 30), menu),
  }),
  'blog by date': around([post(0)], {
    '/#/#/#/*-#': (_year, _month, _day, _name, at) => {
      const others = [at + 1, at - 1].filter((other) => other >= 0 && other <= 800).map(post)
      return page(words(`post ${at}`, 5), words(`post text ${at}`, 60), [...menu, ...others])
    },
  }),
  'gallery, chained, pictures only': around(['/photos/1'], {
    '/photos/#': (at) => {
      if (at > 300) return undefined
      const photo = page(`Photo ${at}`, `Photo ${at} of 300`, [
        [`/photos/${at + 1}`, 'next'],
        [`/photos/${Math.max(1, at - 1)}`, 'back'],
        ...menu,
      ])
      return picture(photo, `/img/${at}.jpg`)
    },
  }),
  'gallery, indexed': around(each(12, '/albums/#'), {
    '/albums/#': thumbs,
    '/photo.php?id=#': (id) => {
      const next = [`/photo.php?id=${Math.min(599, id + 1)}`, 'next'] as const
      return picture(page('Photo', `Photo ${id}`, [next, ...menu]), `/img/${id}.jpg`)
    },
  }),
  'catalogue, short descriptions': around([], {
    '/list[?page=#]': (at = 0) => {
      const next = at < 25 ? [`/list?page=${at + 1}`] : []
      return page('Goods', 'all goods', [...menu, ...range(20).map((i) => `/product/${at * 20 + i}`), ...next])
    },
    '/product/#': (id) => {
      const random = randomOf(id)
      const related = range(3).map(() => random.integer(520))
      return page(
        `Product ${id}`,
        `${words(`name ${id}`, 2)} Price ${random.integer(900)}.99 Add to basket Delivery within 3 days. Return within 30 days. All prices with tax.`,
        [...menu, ...related.map((to) => [`/product/${to}`, `Product ${to}`] as const)],
      )
    },
  }),
  'catalogue, numbers only, listed': around([], {
    '/list': () =>
      page('Parts', 'all parts', [...menu, ...range(200).map((i) => [`/part/${i}`, `part ${i}`] as const)]),
    '/part/#': (id) => page(`Part ${id}`, `Part number ${id}, price ${id * 3}`, menu),
  }),
  dictionary: around([], {
    '/list': () =>
      page('A to Z', 'letters', [...menu, ...range(26).map((i) => `/letter/${String.fromCharCode(97 + i)}`)]),
    '/letter/*': (letter) => {
      const all = range(40).map((i) => `/word/${words(`${letter}${i}`, 1)}${words(`x${letter}${i}`, 1)}`)
      return page(letter, 'words', [...menu, ...all])
    },
    '/word/*': (word) => page(word, `${word}: ${words(word, 6)}`, [...menu, `/letter/${word[0]}`]),
  }),
  forum: around([], {
    '/list': () => page('Boards', 'boards', [...menu, ...each(8, '/viewforum.php?f=#')]),
    '/viewforum.php?f=#[&start=#]': (f, start = 0) => {
      const threads = range(20).map((i) => `/viewtopic.php?f=${f}&t=${f * 1000 + start + i}`)
      const next = start < 80 ? [`/viewforum.php?f=${f}&start=${start + 20}`] : []
      return page(`Board ${f}`, 'threads', [...menu, ...threads, ...next])
    },
    '/viewtopic.php?f=#&[start=#&]t=#': (f, start = 0, t) => {
      const next = start < t % 3 ? [`/viewtopic.php?f=${f}&start=${start + 1}&t=${t}`] : []
      return page(words(`t${t}`, 4), words(`posts ${t} ${start}`, 90), [...menu, `/viewforum.php?f=${f}`, ...next])
    },
  }),
  wiki: around([`/index.php?title=${wikiTitle(0)}`], {
    '/index.php?[action=(edit|history|info)&]title=*': (action, title) => {
      const random = randomOf(title)
      const links = range(20).map(() => `/index.php?title=${wikiTitle(Math.floor(random.next() ** 2 * 3000))}`)
      const own = ['edit', 'history', 'info'].map((one) => `/index.php?action=${one}&title=${title}`)
      if (action === undefined) return page(title, words(`wiki ${title}`, 120), [...menu, ...links, ...own])
      const text = action === 'edit' ? words(`wiki ${title}`, 120) : words(`${action} ${title}`, 10)
      return page(`${action} ${title}`, `${action} ${title} ${text}`, menu)
    },
  }),
  'wiki of 20,000, uniform links': wikiOf20000(menu, 15),
  'wiki of 20,000, only a link home': wikiOf20000(['/'], 8),
  'archive of 20,000 articles': around([], {
    '/list': () => page('Archive', 'archive', [...menu, ...each(400, '/archive/#')]),
    '/archive/#': (at) =>
      page(
        `Archive ${at}`,
        'texts',
        range(50).map((i) => article(at * 50 + i)),
      ),
    '/article/*-#': (_, at) =>
      page(words(`article ${at}`, 5), words(`text ${at}`, 40), ['/', article(at + 1), article(Math.max(0, at - 1))]),
  }),
  'directory tree': around(
    range(12).map((i) => `/dir/${words(`root${i}`, 1)}/`),
    {
      '/dir/*/[*/]': (_above, _folder, path) =>
        page(path, words(path, 10), [...menu, '../', ...range(12).map((i) => `${path}${words(`${path}${i}`, 1)}/`)]),
      '/dir/*/*/*/': (_above, _between, _folder, path) => page(path, words(path, 50), [...menu, '../']),
    },
  ),
  'versions of a manual': around([`/v7/${slug('doc 0')}.html`], {
    '/v#/*.html': (version, name) =>
      page(`${name} ${version}`, `version ${version} ${words(name, 80)}`, [
        ...menu,
        ...range(8).map((v) => `/v${v}/${name}.html`),
        ...range(20).map((i) => `/v${version}/${slug(`doc ${i}`)}.html`),
      ]),
  }),
  'versions of a manual, word by word the same': around(
    range(5).map((v) => `/v${v}/${slug('doc 0')}.html`),
    {
      '/v#/*.html': (version, name) => {
        const others = range(20).map((i) => [`/v${version}/${slug(`doc ${i}`)}.html`, slug(`doc ${i}`)] as const)
        return page(name, words(name, 80), [...menu, ...others])
      },
    },
  ),
  'calendar with events': around(['/events/2020-5'], {
    '/events/#-#': (y, m) => {
      if (y < 2015 || y > 2024) return undefined
      const on = range(28).filter((d) => randomOf(`${y} ${m} ${d}`).next() < 0.15)
      const days = on.map((d) => `${d} ${words(`event ${y} ${m} ${d}`, 5)}`).join(' ')
      const others = [1, -1].map((by) => `/events/${monthAfter(y, m, by).join('-')}`)
      return page(`${MONTHS[m - 1]} ${y}`, days, [...menu, ...others, ...on.map((d) => `/event/${y}-${m}-${d}`)])
    },
    '/event/*': (id) => page(words(`event ${id}`, 5), words(`what ${id}`, 30), menu),
  }),
  'days, most without events': around(['/day/0'], {
    '/day/#': (at) => {
      if (at > 200) return undefined
      return page(`Day ${at}`, at % 6 === 2 ? words(`event ${at}`, 25) : 'no events on this day', [
        ...menu,
        [`/day/${at + 1}`, 'next day'],
        [`/day/${Math.max(0, at - 1)}`, 'day before'],
      ])
    },
  }),
  'shop of categories and pages': around(['/shop'], {
    '/shop[?][cat=*][&][page=#]': (cat, at = 1) => {
      const items = range(12).map((i) => `/p/${slug(`${cat} ${at} ${i}`)}`)
      const next = at < 6 ? [`/shop?${cat === undefined ? '' : `cat=${cat}&`}page=${at + 1}`] : []
      const kinds = ['shoes', 'hats', 'bags', 'coats', 'belts'].map((one) => `/shop?cat=${one}`)
      return page(`${cat ?? 'All'} ${at}`, 'goods', [...menu, ...items, ...next, ...kinds])
    },
    '/p/*': (name) => page(name, words(name, 25), [...menu, '/shop']),
  }),
  'videos with random names': around(range(10).map(video), {
    '/watch?v=*': (id) => {
      if (!VIDEOS.has(id)) return undefined
      const random = randomOf(id)
      const others = range(12).map(() => video(random.integer(3000)))
      return page(words(`video ${id}`, 5), words(`about ${id}`, 15), [...menu, ...others])
    },
  }),
  'slow reports': around(each(40, '/report/#'), {
    '/report/#': (id) => ({ ...page(`Report ${id}`, words(id, 2000), menu), tookMs: 12_000, bytes: 15_000 }),
  }),
  'a slow site': (path) => {
    const answer = HONEST['dictionary'](path)
    return answer === undefined ? undefined : { ...answer, tookMs: 15_000, bytes: 900 }
  },
}

const VIDEOS = new Set(range(3000).map((at) => hex(`video ${at}`)))

function video(at: number): string {
  return `/watch?v=${hex(`video ${at}`)}`
}

function wikiOf20000(menu: readonly string[], links: number): Site {
  return around([wikiPage(0)], {
    '/wiki/*-#': (_, id) => {
      if (id >= 20_000) return undefined
      const random = randomOf(`w${id}`)
      const others = range(links).map(() => wikiPage(random.integer(20_000)))
      return page(wikiPage(id), words(`wiki ${id}`, 40), [...menu, ...others])
    },
  })
}

function post(at: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `/${2015 + Math.floor(at / 300)}/${two((Math.floor(at / 25) % 12) + 1)}/${two((at % 25) + 1)}/${slug(`post ${at}`)}-${at}`
}

function thumbs(album: number): Answer {
  const photos = range(50).map((i) => album * 50 + i)
  const links = photos.map((id) => [`/photo.php?id=${id}`, String(id)] as const)
  const { html } = page(`Album ${album}`, 'photos', [...menu, ...links])
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
