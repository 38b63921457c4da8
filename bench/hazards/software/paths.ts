/** Traps of paths, versions, searches, sitemaps and cookies, after the documentation of the software that makes them and what crawlers meet. */
import {
  ARTICLES,
  a,
  all,
  articlePage,
  count,
  dayAfter,
  homePage,
  libraryAt,
  missing,
  page,
  prose,
  type Reply,
  robots,
  SECTION_NAMES,
  type Software,
  sectionOf,
  sectionPage,
  sitemapindex,
  slugOf,
  titleOf,
  urlset,
} from './server.ts'
import { draw, fluent, SENTENCES, WORDS } from './text.ts'

/** Zope looks for each name of a path also in the folders above it; relative menus make use of that. */
export const acquisition: Software = {
  name: "Zope's acquisition",
  honest: ARTICLES,
  answer({ path }) {
    const segments = path.split('/').filter((one) => one !== '')
    const last = segments.at(-1) ?? ''
    if (!segments.slice(0, -1).every((one) => SECTION_NAMES.includes(one))) return missing
    const menu = SECTION_NAMES.map((name) => a(`${name}/`, name)).join(' ')
    const library = {
      menu,
      link: (to: string) => (to === '/' ? '/' : to.endsWith('/') ? to.slice(1) : to.slice(to.lastIndexOf('/') + 1)),
    }
    if (path === '/') return homePage(library)
    if (path.endsWith('/'))
      return SECTION_NAMES.includes(last) ? sectionPage(SECTION_NAMES.indexOf(last), library) : missing
    const n = Number(/-(\d+)\.html$/.exec(last)?.[1] ?? -1)
    return slugOf(n < 0 || n >= ARTICLES ? 0 : n) === last.slice(0, -5) ? articlePage(n, library) : missing
  },
}

/** Each page of the wiki and each file has its versions, differences and annotations; the timeline goes back day by day. */
export const trac: Software = {
  name: "Trac's versions",
  honest: ARTICLES,
  answer({ path, query }) {
    const menu = `${a('/', 'Wiki')} ${a('/timeline', 'Timeline')} ${a('/browser/', 'Browse Source')}`
    const version = Number(query.get('version') ?? 0)
    const action = query.get('action')
    const onArticle = (n: number) =>
      [
        a(`${tracPath(n)}?action=history`, 'History'),
        a(`${tracPath(n)}?action=diff`, 'Last Change'),
        a(`${tracPath(n)}?format=txt`, 'Plain Text'),
      ].join(' ')
    const library = { menu, article: tracPath, onArticle }
    const changes = (from: number) =>
      all(
        8,
        (nth) =>
          `<dt>${a(`/changeset/${from - nth}`, `[${from - nth}]`)} ${SENTENCES[draw(from - nth, SENTENCES.length)]}`,
      )
    if (path === '/timeline') {
      const from = query.get('from') ?? '2026-11-01'
      return {
        html: page(
          'Timeline',
          menu,
          `<h1>${from}</h1>`,
          changes(draw(from, 9000)),
          a(`/timeline?from=${dayAfter(from, -7)}&daysback=7`, 'Previous Period'),
        ),
      }
    }
    const set = /^\/changeset\/(\d+)$/.exec(path)?.[1]
    if (set !== undefined)
      return {
        html: page(
          `Changeset ${set}`,
          menu,
          `<p>${SENTENCES[draw(Number(set), SENTENCES.length)]}</p>`,
          a(`/changeset/${Number(set) - 1}`, 'Previous'),
          a(`/browser/?rev=${set}`, 'View'),
          a(`/log/?rev=${set}`, 'Log'),
        ),
      }
    if (path === '/browser/' || path === '/log/') {
      const rev = query.get('rev') ?? '9000'
      const sorted = all(3, (nth) => a(`${path}?rev=${rev}&order=${['name', 'size', 'date'][nth]}&desc=1`, 'sort'))
      return {
        html: page(
          path,
          menu,
          `<h1>Revision ${rev}</h1>`,
          sorted,
          changes(Number(rev)),
          a(`${path}?rev=${Number(rev) - 8}`, 'Older'),
        ),
      }
    }
    const n = Number(/^\/wiki\/.*-(\d+)$/.exec(path)?.[1] ?? -1)
    if (n < 0 || n >= ARTICLES) return libraryAt(path, library) ?? missing
    const versions = 6 + draw(n, 20)
    if (action === 'history')
      return {
        html: page(
          titleOf(n),
          menu,
          all(
            versions,
            (nth) =>
              `${a(`${tracPath(n)}?version=${nth + 1}`, `${nth + 1}`)} ${a(`${tracPath(n)}?action=diff&version=${nth + 1}`, 'diff')} edited by ${WORDS[draw(`${n}/${nth}`, 300)]}`,
          ),
        ),
      }
    if (action === 'diff')
      return {
        html: page(
          `Changes of ${titleOf(n)}`,
          menu,
          `<del>${SENTENCES[draw(`${n}.${version}`, SENTENCES.length)]}</del>`,
          a(`${tracPath(n)}?action=diff&version=${Math.max(1, version - 1)}`, 'Previous Change'),
        ),
      }
    if (query.has('format')) return { type: 'text/plain', html: prose(n) }
    return articlePage(n, library, version > 0 && version < versions ? 3 + (version % 7) : undefined)
  },
}
const tracPath = (n: number) => `/wiki/${slugOf(n)}`

/** Generated text with the site's menu on every page, in three forms of addresses that name one another; those of one word do meet. */
export const fluentText: Software = {
  name: 'fluent text',
  honest: ARTICLES,
  answer({ path }) {
    const menu = ['/', '/tag/start', ...SECTION_NAMES.map((name) => `/${name}/`)].map((to) => a(to, to)).join(' ')
    if (!/^\/(?:tag|posts|people)\//.test(path)) return libraryAt(path, { menu }) ?? missing
    const to = (nth: number) => {
      const words = count(1 + draw(`${path}#${nth}`, 3), (one) => WORDS[draw(`${path}${nth}/${one}`, WORDS.length)])
      return `/${['tag', 'posts', 'people'][words.length - 1]}/${words.join('-')}`
    }
    const links = all(8, (nth) => a(to(nth), to(nth).split('/')[2].replaceAll('-', ' ')))
    return { html: page(path.split('/')[2], menu, `<p>${fluent(path, 9)}</p>`, links) }
  },
}

/** A name that does not exist is searched for, and what people searched for as well. */
export const searches: Software = {
  name: 'searches for missing names',
  honest: ARTICLES,
  answer({ path }) {
    const menu = a('/search/popular', 'Search')
    const known = libraryAt(path, { menu })
    if (known !== undefined) return known
    const words = path.split('/').pop()!.replaceAll('-', ' ')
    const hits = count(6, (nth) => draw(`${path}/${nth}`, ARTICLES))
    const found = hits.map(
      (n) => `<li>${a(`/${SECTION_NAMES[sectionOf(n)]}/${slugOf(n)}.html`, titleOf(n))} ${SENTENCES[n * 10 + 1]}`,
    )
    const others = count(
      6,
      (nth) => `${WORDS[draw(`${path}a${nth}`, WORDS.length)]}-${WORDS[draw(`${path}b${nth}`, WORDS.length)]}`,
    )
    return {
      html: page(
        `${words} - search`,
        menu,
        `<h1>Results for ${words}</h1><ul>${found.join('\n')}</ul>`,
        '<p>Others searched for</p>',
        ...others.map((one) => a(`/search/${one}`, one.replace('-', ' '))),
      ),
    }
  },
}

/** One of very many pages made from a number. */
export const stub = (path: string): Reply => ({
  html: page(
    `Offer ${path.split('/').pop()}`,
    `<p>Offer number ${path.split('/').pop()} is not available at the moment. Please look again tomorrow.</p>`,
    a('/', 'Home'),
  ),
})

/** Indexes of sitemaps that list more indexes and pages of no worth, without end. */
export const sitemapIndexes: Software = {
  name: 'sitemaps that list sitemaps',
  honest: ARTICLES,
  answer({ path }) {
    if (path === '/robots.txt') return robots('Sitemap: http://soft.test/index-1.xml\n')
    const index = Number(/^\/index-(\d+)\.xml$/.exec(path)?.[1] ?? 0)
    if (index > 0)
      return sitemapindex([
        ...count(9, (nth) => `/index-${index * 9 + nth}.xml`),
        ...count(9, (nth) => `/map-${index * 9 + nth}.xml`),
      ])
    const map = /^\/map-(\d+)\.xml$/.exec(path)?.[1]
    if (map !== undefined) return urlset(count(100, (nth) => `/offer/${map}${100 + nth}`))
    return path.startsWith('/offer/') ? stub(path) : (libraryAt(path, {}) ?? missing)
  },
}

/** A robots.txt of many megabytes that names 300,000 sitemaps. */
export const hugeRobots: Software = {
  name: 'robots.txt of 50 MB',
  honest: ARTICLES,
  answer({ path }) {
    if (path === '/robots.txt') return robots(HUGE)
    const map = /^\/maps\/(\d+)\.xml$/.exec(path)?.[1]
    if (map !== undefined) return urlset(count(50, (nth) => `/offer/${map}${100 + nth}`))
    return path.startsWith('/offer/') ? stub(path) : (libraryAt(path, {}) ?? missing)
  },
}
/** Only half a megabyte of it is read, so no more is made. */
const HUGE = `User-agent: *\nDisallow: /admin/\n${all(20_000, (nth) => `Sitemap: http://soft.test/maps/${nth}.xml`)}\n`

/** Without a cookie every page leads to a check, which sets it and leads back. */
export const cookieCheck: Software = {
  name: 'a check for cookies',
  honest: ARTICLES,
  answer({ path, query, href, cookie }) {
    if (path === '/robots.txt') return missing
    if (path === '/cookie-check') return { to: query.get('return') ?? '/', cookie: 'ok=1; Path=/' }
    if (!cookie.includes('ok=1')) return { to: `/cookie-check?return=${encodeURIComponent(href)}` }
    return libraryAt(path, {}) ?? missing
  },
}
