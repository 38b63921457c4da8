/** Lists in every order, versions and sessions, as software makes them. No rule is tuned on these: they were written before any was crawled. */
import {
  ARTICLES,
  a,
  all,
  articlesIn,
  count,
  key,
  missing,
  page,
  prose,
  SECTION_NAMES,
  type Software,
  sectionOf,
  slugOf,
  titleOf,
  withQuery,
} from './server.ts'
import { draw, WORDS } from './text.ts'

const AUTHORS = 60
const authorOf = (n: number) => `${WORDS[draw(`a${n}`, AUTHORS)]}, ${WORDS[draw(`a${n}`, AUTHORS)].slice(0, 1)}.`
let served = 0

/** Browsing by title, author or subject, each list in every order and length, and a full record of each item. */
export const dspace: Software = {
  name: 'DSpace',
  honest: ARTICLES,
  answer({ path, query }) {
    const browse = (more: Record<string, string | undefined>) => withQuery('/browse', { type: 'title', ...more })
    const menu = ['title', 'author', 'subject', 'dateissued'].map((type) => a(browse({ type }), type)).join(' ')
    const item = Number(/^\/handle\/10986\/(\d+)$/.exec(path)?.[1] ?? -1)
    if (item >= 0 && item < ARTICLES) {
      const full = query.get('show') === 'full'
      const more = `${a(`/handle/10986/${item}?show=full`, 'Full item record')} ${a(browse({ type: 'author', value: authorOf(item) }), authorOf(item))} ${a(browse({ type: 'subject', value: SECTION_NAMES[sectionOf(item)] }), 'Subject')}`
      return {
        html: page(
          titleOf(item),
          menu,
          full ? `<pre>dc.title ${titleOf(item)} dc.contributor.author ${authorOf(item)}</pre>` : prose(item),
          more,
        ),
        honest: full ? undefined : `article ${item}`,
      }
    }
    if (path === '/') return { html: page('Repository', menu, '<h1>Repository of the university</h1>') }
    if (path !== '/browse') return missing
    const set = Object.fromEntries(query)
    const { type, value, offset = '0', rpp = '20' } = set
    const orders = [
      { sort_by: '1' },
      { sort_by: '2' },
      { sort_by: '3' },
      { order: 'ASC' },
      { order: 'DESC' },
      { rpp: '20' },
      { rpp: '40' },
      { rpp: '60' },
      { etal: '-1' },
      { etal: '5' },
    ].map((one) => a(browse({ ...set, ...one }), Object.values(one)[0]))
    const letters = 'abcdefghijklmnopqrstuvwxyz'
      .split('')
      .map((one) => a(browse({ ...set, starts_with: one.toUpperCase() }), one))
    if (type === 'author' && value === undefined)
      return {
        html: page(
          'Authors',
          menu,
          ...orders,
          all(AUTHORS, (nth) => a(browse({ type: 'author', value: authorOf(nth) }), authorOf(nth))),
        ),
      }
    const items = count(ARTICLES, (n) => n).filter(
      (n) => value === undefined || (type === 'subject' ? SECTION_NAMES[sectionOf(n)] : authorOf(n)) === value,
    )
    if (set.order === 'DESC') items.reverse()
    const shown = items.slice(Number(offset), Number(offset) + Number(rpp))
    const next = a(browse({ ...set, offset: `${Number(offset) + Number(rpp)}` }), 'Next')
    return {
      html: page(
        'Browsing',
        menu,
        ...orders,
        ...letters,
        ...shown.map((n) => `<li>${a(`/handle/10986/${n}`, titleOf(n))} ${authorOf(n)}`),
        Number(offset) + Number(rpp) < items.length ? next : '',
      ),
    }
  },
}

/** A session on every link of a visitor without cookies, sorted columns, and an action that redirects to the basket. */
export const oscommerce: Software = {
  name: 'osCommerce',
  honest: ARTICLES,
  answer({ path, query, href, cookie }) {
    const osCsid = cookie.includes('osCsid') ? undefined : key(`os${served++}`) + key(`os${served}`)
    const to = (script: string, more: Record<string, string | undefined>) =>
      withQuery(`/${script}.php`, { ...more, osCsid })
    const menu = [
      a(to('shopping_cart', {}), 'Cart'),
      a(to('login', {}), 'Account'),
      ...['en', 'de', 'es'].map((language) =>
        a(to(path.slice(1, -4) || 'index', { ...Object.fromEntries(query), language }), language),
      ),
      ...['EUR', 'USD'].map((currency) =>
        a(to(path.slice(1, -4) || 'index', { ...Object.fromEntries(query), currency }), currency),
      ),
    ].join(' ')
    const action = query.get('action')
    if (action !== null) return { to: to(action === 'buy_now' ? 'shopping_cart' : 'login', {}) }
    if (path === '/shopping_cart.php') return { html: page('Cart', menu, 'Your shopping cart is empty!') }
    if (path === '/login.php') return { html: page('Login', menu, 'Welcome, please sign in.') }
    const n = Number(query.get('products_id') ?? -1)
    const buttons = (one: number) =>
      `${a(to(path.slice(1, -4) || 'index', { ...Object.fromEntries(query), action: 'buy_now', products_id: `${one}` }), 'Buy Now')} ${a(to('product_info', { products_id: `${one}`, action: 'notify' }), 'Notify')}`
    if (path === '/product_info.php' && n >= 0 && n < ARTICLES)
      return {
        html: page(
          titleOf(n),
          menu,
          prose(n),
          buttons(n),
          a(to('product_reviews', { products_id: `${n}` }), 'Reviews'),
        ),
        honest: `article ${n}`,
      }
    if (path === '/product_reviews.php')
      return {
        html: page(
          'Reviews',
          menu,
          'There are currently no product reviews.',
          a(to('product_info', { products_id: `${n}` }), 'Back'),
        ),
      }
    if (href === '/' || (path === '/index.php' && !query.has('cPath')))
      return {
        html: page('Shop', menu, ...SECTION_NAMES.map((name, nth) => a(to('index', { cPath: `${nth}` }), name))),
        cookie: undefined,
      }
    if (path !== '/index.php') return missing
    const cPath = query.get('cPath') ?? '0'
    const sort = query.get('sort') ?? '2a'
    const list = articlesIn(Number(cPath) % 12)
    if (sort.endsWith('d')) list.reverse()
    const first = 10 * (Number(query.get('page') ?? 1) - 1)
    const columns = ['1a', '1d', '2a', '2d', '3a', '3d'].map((one) =>
      a(to('index', { cPath, sort: one, page: query.get('page') ?? '1' }), one),
    )
    const rows = list
      .slice(first, first + 10)
      .map((one) => `<li>${a(to('product_info', { cPath, products_id: `${one}` }), titleOf(one))} ${buttons(one)}`)
    return {
      html: page(
        SECTION_NAMES[Number(cPath) % 12],
        menu,
        ...columns,
        ...rows,
        ...['1', '2'].map((one) => a(to('index', { cPath, sort, page: one }), one)),
      ),
    }
  },
}

/** Each file at each revision: marked up, annotated, compared with others, and the log of each as of each revision. */
export const viewvc: Software = {
  name: 'ViewVC',
  honest: ARTICLES,
  answer({ path, query }) {
    const n = Number(/-(\d+)\.txt$/.exec(path)?.[1] ?? -1)
    const pathrev = query.get('pathrev') ?? undefined
    const file = (one: number, more: Record<string, string | undefined>) =>
      withQuery(`/viewvc/${SECTION_NAMES[sectionOf(one)]}/${slugOf(one)}.txt`, {
        ...more,
        pathrev: more.pathrev ?? pathrev,
      })
    const folder = (name: string, more: Record<string, string | undefined> = {}) =>
      withQuery(name === '' ? '/' : `/viewvc/${name}/`, { ...more, pathrev: more.pathrev ?? pathrev })
    const menu = a(folder(''), '[root]')
    if (n >= 0 && n < ARTICLES) {
      const revisions = count(8, (nth) => `${1000 + 7 * n + 13 * nth}`)
      const view = query.get('view') ?? 'markup'
      if (query.has('r1'))
        return {
          html: page(
            'Diff',
            menu,
            `<pre>--- ${query.get('r1')} +++ ${query.get('r2')} ${WORDS[draw(`${n}${query.get('r1')}${query.get('r2')}`, 900)]}</pre>`,
            a(file(n, { r1: query.get('r2') ?? '', r2: query.get('r1') ?? '' }), 'Swap'),
          ),
        }
      if (query.has('annotate'))
        return {
          html: page(
            'Annotate',
            menu,
            ...prose(n)
              .split('. ')
              .map((line, nth) => `<p>${a(file(n, { revision: revisions[nth % 8] }), revisions[nth % 8])} ${line}</p>`),
          ),
        }
      if (view === 'log')
        return {
          html: page(
            'Log',
            menu,
            ...revisions.map((rev, nth) =>
              [
                a(file(n, { revision: rev, view: 'markup' }), 'view'),
                a(file(n, { annotate: rev }), 'annotate'),
                a(file(n, { view: 'log', pathrev: rev }), 'as of'),
                a(file(n, { r1: revisions[Math.max(0, nth - 1)], r2: rev }), 'diff'),
              ].join(' '),
            ),
          ),
        }
      return {
        html: page(
          titleOf(n),
          menu,
          prose(n, query.has('revision') ? 4 + draw(query.get('revision')!, 6) : undefined),
          a(file(n, { view: 'log' }), 'Log'),
          a(file(n, { annotate: revisions[7] }), 'Annotate'),
        ),
        honest: query.has('revision') ? undefined : `article ${n}`,
      }
    }
    const section = SECTION_NAMES.indexOf(/^\/viewvc\/([a-z]+)\/$/.exec(path)?.[1] ?? '')
    if (path === '/') return { html: page('Repository', ...SECTION_NAMES.map((name) => a(folder(name), name))) }
    if (section < 0) return missing
    const sorts = ['file', 'rev', 'date', 'author', 'log'].flatMap((one) => [
      a(folder(SECTION_NAMES[section], { sortby: one }), one),
      a(folder(SECTION_NAMES[section], { sortby: one, sortdir: 'down' }), one),
    ])
    const files = articlesIn(section).map(
      (one) => `<li>${a(file(one, {}), slugOf(one))} ${a(file(one, { view: 'log' }), `${1000 + 7 * one + 91}`)}`,
    )
    return { html: page(SECTION_NAMES[section], menu, ...sorts, ...files) }
  },
}
