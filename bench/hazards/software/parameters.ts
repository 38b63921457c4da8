/** Traps of parameters: choices, dates, filters, orders, keys. */
import {
  ARTICLES,
  a,
  all,
  articlesIn,
  count,
  dayAfter,
  key,
  libraryAt,
  missing,
  page,
  prose,
  SECTION_NAMES,
  type Software,
  slugOf,
  titleOf,
  withQuery,
} from './server.ts'
import { draw, WORDS } from './text.ts'

/** A choice of language, font and theme, which every link carries on; only the menu is translated. */
const choiceSite = (name: string, usual: Record<string, string>): Software => ({
  name,
  honest: ARTICLES,
  answer({ path, query }) {
    const now = Object.fromEntries(['lang', 'font', 'theme'].map((one) => [one, query.get(one) ?? usual[one]]))
    const link = (to: string) => withQuery(to, now)
    const other = (one: string, values: string) =>
      values
        .split(' ')
        .map((value) => a(withQuery(path, { ...now, [one]: value }), value))
        .join(' ')
    const menu = [
      `<p>${now.lang === 'de' ? 'Startseite und Auswahl' : now.lang === 'fr' ? 'Accueil et choix' : 'Home and choices'}</p>`,
      other('lang', 'en de fr it'),
      other('font', 'small normal large'),
      other('theme', 'light dark contrast'),
    ].join('\n')
    return libraryAt(path, { link, menu }) ?? missing
  },
})

export const choices = choiceSite('language, font, theme', {})
/** Also for those who have chosen nothing. */
export const carried = choiceSite('the same on every link', { lang: 'en', font: 'normal', theme: 'light' })

/** Rooms to let: the dates looked for are on every link, and every page offers the weeks before and after. */
export const bookings: Software = {
  name: 'bookings by date',
  honest: ARTICLES,
  answer({ path, query }) {
    const from = query.get('from') ?? '2026-12-05'
    const dates = (days: number) => ({ from: dayAfter(from, days), to: dayAfter(from, days + 7) })
    const link = (to: string) => withQuery(to, dates(0))
    const menu = [-7, -1, 1, 7].map((days) => a(withQuery(path, dates(days)), `${days} days`)).join(' ')
    const onArticle = () =>
      `<p>From ${dates(0).from} to ${dates(0).to}: ${80 + draw(from, 90)} Euro a night, ${draw(path + from, 5)} rooms left.</p>`
    return libraryAt(path, { link, menu, onArticle }) ?? missing
  },
}

const FILTERS = {
  color: [1, 2, 3, 4, 5, 6],
  size: [11, 12, 13, 14],
  price: ['-50', '50-100', '100-'],
  brand: [21, 22, 23, 24, 25],
}

/** Filters, orders and modes of each list; baskets, wish lists and comparisons with a fresh form key in every link. */
export const magento: Software = {
  name: 'Magento',
  honest: ARTICLES,
  answer(ask) {
    const { path, query, href } = ask
    const menu = `${a('/checkout/cart/', 'My Cart')} ${a('/customer/account/login/', 'Log In')}`
    if (path === '/checkout/cart/') return { html: page('Cart', menu, 'You have no items in your shopping cart.') }
    if (path === '/customer/account/login/')
      return { html: page('Log in', menu, 'Registered customers and new ones, please log in.') }
    if (path.startsWith('/checkout/cart/add/')) return { to: '/checkout/cart/' }
    if (path.startsWith('/wishlist/index/add/')) return { to: '/customer/account/login/' }
    const uenc = /\/uenc\/([^/]+)/.exec(path)?.[1]
    if (uenc !== undefined) return { to: Buffer.from(uenc.replace(/,+$/, ''), 'base64url').toString() }
    const form = key(`${href}${served++}`)
    const back = `${Buffer.from(href).toString('base64url')},,`
    const buy = (n: number) =>
      [
        `/checkout/cart/add/uenc/${back}/product/${n}/form_key/${form}/`,
        `/wishlist/index/add/product/${n}/form_key/${form}/`,
        `/catalog/product_compare/add/product/${n}/uenc/${back}/form_key/${form}/`,
      ]
        .map((to, nth) => a(to, ['Add to Cart', 'Add to Wishlist', 'Compare'][nth]))
        .join(' ')
    const set = Object.fromEntries(query)
    const shown = (n: number) =>
      Object.entries(FILTERS).every(
        ([name, values]) =>
          !query.has(name) ||
          draw(`${n}${name}`, values.length) === values.findIndex((one) => `${one}` === query.get(name)),
      )
    const section = SECTION_NAMES.indexOf(path.slice(1, -5))
    if (section < 0)
      return (
        libraryAt(path, { menu, onArticle: buy, link: (to) => to.replace(/\/$/, '.html').replace(/^\.html$/, '/') }) ??
        missing
      )
    const narrower = Object.entries(FILTERS).flatMap(([name, values]) =>
      query.has(name)
        ? a(withQuery(path, { ...set, [name]: undefined }), 'Remove')
        : values.map((value) => a(withQuery(path, { ...set, [name]: `${value}` }), `${value}`)),
    )
    const bar = [
      { mode: 'list' },
      { mode: 'grid' },
      { dir: 'asc' },
      { dir: 'desc' },
      { order: 'name' },
      { order: 'price' },
      { limit: '12' },
      { limit: '24' },
    ].map((one) => a(withQuery(path, { ...set, ...one }), Object.values(one)[0]))
    const list = articlesIn(section)
      .filter(shown)
      .sort((x, y) => (query.get('dir') === 'desc' ? y - x : x - y))
    const items = list.map((n) => `<li>${a(`/${SECTION_NAMES[section]}/${slugOf(n)}.html`, titleOf(n))} ${buy(n)}`)
    return { html: page(SECTION_NAMES[section], menu, ...bar, ...narrower, `<ul>${items.join('\n')}</ul>`) }
  },
}
let served = 0

/** A view of four categories shows its rows from `Start` on; each can be opened alone, and the list begins at any row. */
export const domino: Software = {
  name: 'Domino views',
  honest: ARTICLES,
  answer({ path, href }) {
    const id = /^\/lib\.nsf\/0\/[0-9a-f]{20}([0-9a-f]{12})$/.exec(path)?.[1]
    const document = id === undefined ? -1 : Number.parseInt(id, 16)
    if (document >= 0 && href.endsWith('?OpenDocument')) {
      const more = `${a(`${unid(document)}?EditDocument`, 'Edit')} ${a(`${unid(document)}?OpenDocument&ExpandSection=1`, 'Section')}`
      return {
        html: page(titleOf(document), prose(document), more, a(`${VIEW}?OpenView`, 'View')),
        honest: `article ${document}`,
      }
    }
    if (document >= 0 && href.includes('?OpenDocument&'))
      return { html: page(titleOf(document), prose(document)), honest: `article ${document}` }
    if (path === '/') return { html: page('Lotus', a(`${VIEW}?OpenView`, 'By category')) }
    if (path !== VIEW) return missing
    const start = Number(/[?&]Start=(\d+)/.exec(href)?.[1] ?? 1)
    const open = href.includes('ExpandView') ? -1 : Number(/[?&]Expand=(\d+)/.exec(href)?.[1] ?? 0)
    const opened = (category: number) => (category > 0 ? `&Expand=${category}` : '')
    const rows = count(4, (nth) => nth + 1).flatMap((category) => {
      const isOpen = open === category || open < 0
      const toggle = isOpen ? `&Collapse=${category}` : opened(category)
      const head = a(`${VIEW}?OpenView&Start=${start}&Count=30${toggle}#${category}`, SECTION_NAMES[category])
      const documents = count(60, (nth) => 60 * (category - 1) + nth)
      return [head, ...(isOpen ? documents.map((n) => a(`${unid(n)}?OpenDocument`, titleOf(n))) : [])]
    })
    const bar = [
      `Start=${Math.max(1, start - 29)}&Count=30${opened(open)}`,
      `Start=${start + 29}&Count=30${opened(open)}`,
    ]
    const links = [...bar, 'ExpandView', 'CollapseView'].map((one) => a(`${VIEW}?OpenView&${one}`, one))
    return { html: page('By category', ...links, ...rows.slice(start - 1, start + 29), ...links) }
  },
}
const VIEW = '/lib.nsf/ByCategory'
const unid = (n: number) => `/lib.nsf/0/85256b3a0047f2c1a9de${n.toString(16).padStart(12, '0')}`

const TOPICS = 80
/** Threads of three pages; every link has the forum, the number of its first post, and how posts are ordered. */
export const phpbb: Software = {
  name: 'phpBB',
  honest: ARTICLES,
  answer({ path, query }) {
    const sid = key(`sid${served++}`)
    const common = {
      st: query.get('st') ?? '0',
      sk: query.get('sk') ?? 't',
      sd: query.get('sd') ?? 'a',
      hilit: query.get('hilit') ?? 'x',
      sid,
    }
    const topic = (t: number, start: number, more = {}) =>
      withQuery('/viewtopic.php', { f: `${1 + (t % 4)}`, t: `${t}`, start: `${start}`, ...common, ...more })
    const forum = (f: number, start: number, more = {}) =>
      withQuery('/viewforum.php', { f: `${f}`, start: `${start}`, ...common, ...more })
    const sorted = (to: (more: object) => string) =>
      [{ sk: 'a' }, { sk: 's' }, { sd: 'd' }, { st: '7' }, { st: '30' }]
        .map((one) => a(to(one), Object.values(one)[0]))
        .join(' ')
    const bar = `${a('/', 'Board index')} ${a(`/ucp.php?mode=login&sid=${sid}`, 'Login')} ${a(`/search.php?search_id=active&sid=${sid}`, 'Active')}`
    if (path === '/')
      return {
        html: page(
          'Board',
          bar,
          all(4, (nth) => a(forum(nth + 1, 0), `Forum ${nth + 1}`)),
        ),
      }
    const start = Number(query.get('start') ?? 0)
    if (path === '/viewforum.php') {
      const f = Number(query.get('f'))
      const list = count(TOPICS, (t) => t)
        .filter((t) => 1 + (t % 4) === f)
        .slice(start, start + 10)
      const rows = list.map(
        (t) =>
          `<li>${a(topic(t, 0), titleOf(t))} by ${a(`/memberlist.php?mode=viewprofile&u=${t % 30}&sid=${sid}`, WORDS[t % 30])}`,
      )
      return {
        html: page(
          `Forum ${f}`,
          bar,
          `<ul>${rows.join('\n')}</ul>`,
          a(forum(f, start + 10 >= 20 ? 0 : start + 10), 'Next'),
          sorted((more) => forum(f, start, more)),
        ),
      }
    }
    if (path !== '/viewtopic.php')
      return { html: page('phpBB', bar, 'You are not authorised to do this. Please log in.') }
    const [t, nth] = [Number(query.get('t')), Math.floor(start / 15)]
    if (!(t < TOPICS) || nth > 2) return missing
    const posts = sorted((more) => topic(t, start, more))
    const pages = all(3, (one) => a(topic(t, 15 * one), `${one + 1}`))
    return {
      html: page(
        titleOf(t),
        bar,
        prose(t + TOPICS * nth),
        pages,
        posts,
        a(topic(t, start, { view: 'print' }), 'Print'),
      ),
      honest: `post ${t} ${nth}`,
    }
  },
}
