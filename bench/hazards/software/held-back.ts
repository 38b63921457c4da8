/** More traps as software makes them, on which no rule is tuned: written before any of them was crawled. */

import { dspace, oscommerce, viewvc } from './held-lists.ts'
import {
  ARTICLES,
  a,
  all,
  articlePage,
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
  sectionOf,
  sectionPage,
  slugOf,
  titleOf,
  withQuery,
} from './server.ts'
import { draw, WORDS } from './text.ts'

/** A calendar by seconds since 1970 on every page, users behind a login, and a menu of languages. */
const moodle: Software = {
  name: 'Moodle',
  honest: ARTICLES,
  answer({ path, query, href }) {
    const time = Number(query.get('time') ?? 1_795_000_000)
    const calendar = (view: string, at: number, course = '1') =>
      `/calendar/view.php?view=${view}&course=${course}&time=${at}`
    const month = all(30, (day) => a(calendar('day', time - (time % 86_400) + 86_400 * day), `${day + 1}`))
    const block = `<table>${a(calendar('month', time - 30 * 86_400), 'Previous')} ${a(calendar('month', time + 30 * 86_400), 'Next')} ${month}</table>`
    const languages = ['en', 'de', 'fr']
      .map((lang) => a(`${href}${href.includes('?') ? '&' : '?'}lang=${lang}`, lang))
      .join(' ')
    const menu = `${a('/login/index.php', 'Log in')} ${languages}`
    if (path === '/calendar/view.php')
      return {
        html: page(
          'Calendar',
          menu,
          `<h1>${new Date(time * 1000).toISOString().slice(0, 10)}</h1><p>There are no upcoming events</p>`,
          block,
        ),
      }
    if (path === '/user/view.php') return { status: 303, to: '/login/index.php' }
    if (path === '/login/index.php')
      return { html: page('Login', menu, 'Returning to this web site? Log in using your username and password.') }
    const d = Number(query.get('d') ?? -1)
    const id = Number(query.get('id') ?? -1)
    if (path === '/mod/forum/discuss.php' && d >= 0 && d < ARTICLES)
      return {
        html: page(
          titleOf(d),
          menu,
          a(`/user/view.php?id=${d % 70}&course=${sectionOf(d)}`, 'by a user'),
          prose(d),
          a(`/mod/forum/discuss.php?d=${d}&mode=${1 + draw(href, 3)}`, 'Display nested'),
          a(`/mod/forum/discuss.php?d=${d}&parent=${5000 + d}`, 'Show parent'),
          block,
        ),
        honest: query.has('parent') ? undefined : `article ${d}`,
      }
    if (path === '/course/view.php' && id >= 0 && id < 12)
      return {
        html: page(
          SECTION_NAMES[id],
          menu,
          ...articlesIn(id).map((n) => a(`/mod/forum/discuss.php?d=${n}`, titleOf(n))),
          block,
        ),
      }
    return path === '/'
      ? {
          html: page(
            'Courses',
            menu,
            ...SECTION_NAMES.map((name, nth) => a(`/course/view.php?id=${nth}`, name)),
            block,
          ),
        }
      : missing
  },
}

const FACETS = ['type', 'tag', 'author', 'year'].flatMap((facet, nth) =>
  count(5, (value) => `${facet}:${SECTION_NAMES[(nth * 3 + value) % 12]}`),
)

/** Facets as `f[0]`, `f[1]` and so on, in the order in which they were chosen. */
const drupal: Software = {
  name: 'Drupal facets',
  honest: ARTICLES,
  answer({ path, query }) {
    const chosen = [...query].filter(([name]) => name.startsWith('f[')).map(([, value]) => value)
    const link = (facets: string[], pageNumber?: number) =>
      withQuery('/search', {
        ...Object.fromEntries(facets.map((one, nth) => [`f[${nth}]`, one])),
        page: pageNumber ? `${pageNumber}` : undefined,
      })
    const menu = `${a('/', 'Home')} ${a('/search', 'Search')} ${a(`/user/login?destination=${path.slice(1)}`, 'Log in')}`
    const onArticle = (n: number) =>
      `${a(`/node/${n}`, 'Permalink')} ${a(`/print/${n}`, 'Printer-friendly version')} ${a(`/comment/reply/${n}#comment-form`, 'Add new comment')}`
    const other = /^\/(node|print)\/(\d+)$/.exec(path)
    if (other !== null)
      return articlePage(Number(other[2]) % ARTICLES, { menu: other[1] === 'print' ? '' : menu, onArticle })
    if (path.startsWith('/comment/'))
      return { status: 403, html: page('Access denied', 'You are not authorized to access this page.') }
    if (path === '/user/login') return { html: page('User account', menu, 'Enter your username and your password.') }
    if (path !== '/search') return libraryAt(path, { menu, onArticle }) ?? missing
    const all = count(ARTICLES, (n) => n).filter((n) => chosen.every((one) => draw(`${n}${one}`, 3) === 0))
    const first = 10 * Number(query.get('page') ?? 0)
    const facets = FACETS.map((one) =>
      a(link(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]), one),
    )
    const found = all.slice(first, first + 10).map((n) => `<li>${a(`/node/${n}`, titleOf(n))} ${titleOf(n)}`)
    return {
      html: page(
        'Search',
        menu,
        ...facets,
        ...found,
        first + 10 < all.length ? a(link(chosen, first / 10 + 1), 'next') : '',
      ),
    }
  },
}

/** Articles under the number of each menu that leads there, for print, as PDF, and recommended by mail with a link in its own coding. */
const joomla: Software = {
  name: 'Joomla',
  honest: ARTICLES,
  answer({ path, query, href }) {
    const Itemid = query.get('Itemid') ?? '1'
    const content = (more: Record<string, string>) =>
      withQuery('/index.php', { option: 'com_content', ...more, Itemid: more.Itemid ?? Itemid })
    const menu = all(6, (nth) =>
      a(content({ view: 'category', id: `${2 * nth}`, Itemid: `${nth + 1}` }), `Menu ${nth + 1}`),
    )
    const category = Number.parseInt(query.get('id') ?? '', 10)
    if (path === '/component/mailto/')
      return { html: page('E-mail this link to a friend', 'Sender, your e-mail, subject') }
    if (path === '/') return { html: page('Welcome', menu) }
    if (path !== '/index.php') return missing
    if (query.get('view') === 'category') {
      const list = [...articlesIn(category % 12), ...articlesIn((category + 1) % 12)]
      const sorted = ['title', 'date', 'author', 'hits'].flatMap((one) =>
        ['asc', 'desc'].map((dir) =>
          a(
            content({ view: 'category', id: `${category}`, filter_order: one, filter_order_Dir: dir, limitstart: '0' }),
            one,
          ),
        ),
      )
      return {
        html: page(
          SECTION_NAMES[category % 12],
          menu,
          ...sorted,
          ...list.map((n) =>
            a(content({ view: 'article', id: `${n}:${slugOf(n)}`, catid: `${sectionOf(n)}` }), titleOf(n)),
          ),
        ),
      }
    }
    const n = category
    if (query.get('view') !== 'article' || !(n < ARTICLES)) return missing
    const own = { view: 'article', id: `${n}:${slugOf(n)}`, catid: `${sectionOf(n)}` }
    if (query.get('format') === 'pdf') return { type: 'application/pdf', html: '%PDF-1.4' }
    const tools = `${a(content({ ...own, tmpl: 'component', print: '1', layout: 'default', page: '' }), 'Print')} ${a(content({ ...own, format: 'pdf' }), 'PDF')} ${a(`/component/mailto/?tmpl=component&template=rhuk&link=${key(href)}${key(`${href}2`)}`, 'E-mail')}`
    const related = all(5, (nth) =>
      a(
        content({
          view: 'article',
          id: `${(n + 7 * nth + 1) % ARTICLES}:${slugOf((n + 7 * nth + 1) % ARTICLES)}`,
          catid: `${sectionOf((n + 7 * nth + 1) % ARTICLES)}`,
        }),
        'Related',
      ),
    )
    return {
      html: page(titleOf(n), query.has('tmpl') ? '' : menu, prose(n), query.has('tmpl') ? '' : tools, related),
      honest: `article ${n}`,
    }
  },
}

/** Topics whose every post has an address that shows the topic from there on, with who shared it. */
const discourse: Software = {
  name: 'Discourse',
  honest: ARTICLES,
  answer({ path, query }) {
    const menu = ['/latest', '/top', '/categories'].map((to) => a(to, to)).join(' ')
    const topic = (n: number) => `/t/${slugOf(n)}/${n}`
    const [, n, post] = /^\/t\/[a-z-]+-\d+\/(\d+)(?:\/(\d+))?$/.exec(path) ?? []
    if (n !== undefined && Number(n) < ARTICLES) {
      const posts = count(
        9,
        (nth) =>
          `${a(`${topic(Number(n))}/${nth + 1}`, `#${nth + 1}`)} ${a(`${topic(Number(n))}/${nth + 1}?u=${WORDS[draw(`${path}${nth}`, 90)]}`, 'share')} ${a(`/u/${WORDS[draw(`${n}${nth}`, 90)]}`, 'user')}`,
      )
      const suggested = all(5, (nth) => a(topic(draw(`${path}${nth}`, ARTICLES)), 'Suggested topic'))
      return {
        html: page(
          titleOf(Number(n)),
          menu,
          prose(Number(n)),
          ...posts.slice(Math.max(0, Number(post ?? 1) - 3)),
          suggested,
        ),
        honest: `article ${n}`,
      }
    }
    if (path.startsWith('/u/'))
      return {
        html: page(
          path.slice(3),
          menu,
          `<h1>${path.slice(3)}</h1><p>Profile, joined ${dayAfter('2020-01-01', draw(path, 2000))}</p>`,
          a(`${path}/summary`, 'Summary'),
          a(`${path}/activity`, 'Activity'),
        ),
      }
    if (path === '/categories')
      return { html: page('Categories', menu, ...SECTION_NAMES.map((name, nth) => a(`/c/${name}/${nth}`, name))) }
    const section = Number(/^\/c\/[a-z]+\/(\d+)/.exec(path)?.[1] ?? -1)
    if (section < 0 && !['/', '/latest', '/top'].includes(path)) return missing
    const list = section < 0 ? count(ARTICLES, (one) => one) : articlesIn(section % 12)
    const at = Number(query.get('page') ?? 0)
    const orders = ['posts', 'views', 'activity'].flatMap((order) =>
      ['true', 'false'].map((ascending) => a(withQuery(path, { order, ascending, page: `${at}` }), order)),
    )
    const rows = list
      .slice(20 * at, 20 * at + 20)
      .map((one) => `${a(topic(one), titleOf(one))} ${a(`${topic(one)}/9`, 'last')}`)
    return {
      html: page(
        'Topics',
        menu,
        ...orders,
        ...rows,
        20 * (at + 1) < list.length ? a(withQuery(path, { page: `${at + 1}` }), 'next page') : '',
      ),
    }
  },
}

/** A blog with a calendar of events that knows no end, answers to each comment, and links to share each post. */
const wordpress: Software = {
  name: 'The Events Calendar',
  honest: ARTICLES,
  answer({ path, query }) {
    const menu = `${a('/', 'Blog')} ${a('/events/', 'Events')}`
    const onArticle = (n: number) =>
      [
        ...count(draw(n, 5), (nth) => `?replytocom=${10 * n + nth}`),
        '?share=facebook',
        '?share=twitter',
        '?print=print',
      ]
        .map((one) => a(`/${SECTION_NAMES[sectionOf(n)]}/${slugOf(n)}.html${one}`, 'Reply'))
        .join(' ')
    const [, view, date] = /^\/events\/(?:(month|week|day)\/)?(?:(\d{4}-\d\d(?:-\d\d)?)\/)?$/.exec(path) ?? []
    if (!path.startsWith('/events/')) {
      if (query.has('share')) return { to: `https://elsewhere.example/share?${query.get('share')}` }
      const section = SECTION_NAMES.indexOf(path.slice(1, -1))
      return section >= 0 ? sectionPage(section, { menu }) : (libraryAt(path, { menu, onArticle }) ?? missing)
    }
    const at = (date ?? '2026-11').padEnd(10, '-01')
    if (Number.isNaN(Date.parse(at))) return missing
    const step = view === 'day' ? 1 : view === 'week' ? 7 : 31
    const month = all(28, (day) => a(`/events/day/${dayAfter(at, day)}/`, `${day + 1}`))
    const links = [
      a(`/events/${view ?? 'month'}/${dayAfter(at, step).slice(0, view ? 10 : 7)}/`, 'Next'),
      a(`/events/${view ?? 'month'}/${dayAfter(at, -step).slice(0, view ? 10 : 7)}/`, 'Previous'),
      a(`${path}?ical=1`, 'Export'),
      a(`${path}?tribe-bar-date=${at}&eventDisplay=past`, 'Past'),
      a(`/events/week/${at}/`, 'Week'),
    ]
    return {
      html: page(
        `Events for ${at}`,
        menu,
        `<h1>Events for ${at}</h1><p>There were no results found.</p>`,
        ...links,
        view === 'day' ? '' : month,
      ),
    }
  },
}

export const HELD_BACK: readonly Software[] = [dspace, oscommerce, viewvc, moodle, drupal, joomla, discourse, wordpress]
