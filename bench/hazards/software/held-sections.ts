/** Versions, page states, sections and labels, as software makes them. No rule is tuned on these: they were written before any was crawled. */
import {
  ARTICLES,
  a,
  all,
  articlePage,
  articlesIn,
  count,
  key,
  libraryAt,
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
import { draw, SENTENCES, WORDS } from './text.ts'

/** Every page has its versions, any two of which can be compared, and opens the tree of all pages at any of its branches. */
export const dokuwiki: Software = {
  name: 'DokuWiki',
  honest: ARTICLES,
  answer({ path, query, href }) {
    const id = path === '/' ? 'start' : path.slice(1)
    const act = (more: Record<string, string>) => withQuery(path, more)
    const tools = ['edit', 'revisions', 'backlink', 'recent', 'login', 'index', 'media']
      .map((one) =>
        one === 'login'
          ? a(act({ do: one, sectok: key(href) }), one)
          : one === 'media'
            ? a(act({ do: one, ns: SECTION_NAMES[draw(id, 12)] }), one)
            : a(act({ do: one }), one),
      )
      .join(' ')
    const n = Number(/-(\d+)$/.exec(path)?.[1] ?? -1)
    const section = SECTION_NAMES.indexOf(id)
    if (id !== 'start' && section < 0 && (n < 0 || n >= ARTICLES)) return missing
    const versions = 4 + draw(id, 12)
    const tree = SECTION_NAMES.map((name) => `<li>${a(withQuery(path, { idx: name }), name)}`).join('')
    const open = SECTION_NAMES.indexOf(query.get('idx') ?? '')
    if (open >= 0 || query.get('do') === 'index') {
      const inside = open < 0 ? [] : articlesIn(open).map((one) => `<li>${a(`/${slugOf(one)}`, slugOf(one))}`)
      return { html: page('Sitemap', '<h1>Sitemap</h1>', `<ul>${tree}</ul>`, ...inside, tools) }
    }
    const stamp = (nth: number) => `${1_700_000_000 + draw(`${id}${nth}`, 90_000_000)}`
    switch (query.get('do')) {
      case 'edit':
      case 'login':
        return { html: page('Login', '<h1>Permission Denied</h1><p>Perhaps you forgot to login?</p>', tools) }
      case 'backlink':
        return {
          html: page(
            `Backlinks ${id}`,
            '<h1>Backlinks</h1>',
            all(3, (nth) => a(`/${slugOf(draw(`${id}b${nth}`, ARTICLES))}`, 'page')),
            tools,
          ),
        }
      case 'media':
        return {
          html: page(
            'Media Manager',
            '<h1>Media Manager</h1>',
            ...SECTION_NAMES.map((ns) => a(act({ do: 'media', ns }), ns)),
            ...['name', 'date'].map((sort) => a(act({ do: 'media', ns: query.get('ns') ?? '', sort }), sort)),
            'Nothing was found',
          ),
        }
      case 'recent': {
        const first = Number(query.get('first') ?? 0)
        const rows = count(20, (nth) => slugOf(draw(first + nth, ARTICLES)))
        const older = first < 200 ? a(act({ do: 'recent', first: `${first + 20}` }), 'less recent') : ''
        return { html: page('Recent Changes', ...rows.map((one) => a(`/${one}`, one)), older, tools) }
      }
      case 'revisions':
        return {
          html: page(
            `Old revisions ${id}`,
            '<h1>Old Revisions</h1>',
            all(
              versions,
              (nth) =>
                `${a(act({ rev: stamp(nth) }), stamp(nth))} ${a(act({ do: 'diff', rev: stamp(nth) }), 'Show differences')} ${WORDS[draw(`${id}/${nth}`, 300)]}`,
            ),
            tools,
          ),
        }
      case 'diff': {
        const pair = [query.get('rev2[0]') ?? query.get('rev') ?? '', query.get('rev2[1]') ?? stamp(0)]
        const step = (from: string, to: string) =>
          a(act({ do: 'diff', 'rev2[0]': from, 'rev2[1]': to, difftype: 'sidebyside' }), 'diff')
        const others = all(versions, (nth) => `${step(stamp(nth), pair[1])} ${step(pair[0], stamp(nth))}`)
        return {
          html: page(
            `Differences ${id}`,
            `<ins>${SENTENCES[draw(pair[0] + pair[1], SENTENCES.length)]}</ins>`,
            `<del>${SENTENCES[draw(pair[1] + pair[0], SENTENCES.length)]}</del>`,
            others,
            tools,
          ),
        }
      }
    }
    const menu = all(12, (nth) => a(`/${SECTION_NAMES[nth]}`, SECTION_NAMES[nth]))
    if (id === 'start') return { html: page('Start', '<h1>Wiki</h1>', menu, tools) }
    if (section >= 0)
      return { html: page(id, menu, ...articlesIn(section).map((one) => a(`/${slugOf(one)}`, titleOf(one))), tools) }
    const rev = query.get('rev')
    return articlePage(
      n,
      { menu, article: (one) => `/${slugOf(one)}`, onArticle: () => tools, link: (to) => to.replace(/(.)\/$/, '$1') },
      rev === null ? undefined : 3 + draw(rev, 7),
    )
  },
}

/** Every request for a page redirects to the next version of its state, and actions carry that in their address. */
export const wicket: Software = {
  name: 'Wicket',
  honest: ARTICLES,
  answer({ path, href }) {
    const state = /\?(\d+)(-\d+\.[\w-]+)?$/.exec(href)
    if (state === null || state[2] !== undefined) {
      if (libraryAt(path, {}) === undefined) return missing
      return { to: `${path}?${states++}` }
    }
    const menu = ['header-login', 'header-toggle', 'panel-next']
      .map((one, nth) => a(`${path}?${state[1]}-1.ILinkListener-${one}-${nth}`, one))
      .join(' ')
    return libraryAt(path, { menu }) ?? missing
  },
}
let states = 0

/** Each picture in every section that has it: album, labels that combine, days, and the most visited, each in pages. */
export const piwigo: Software = {
  name: 'Piwigo',
  honest: ARTICLES,
  answer({ href }) {
    const [, script = '/', section = ''] = /^(\/(?:index\.php|picture\.php)?)\??(.*)$/.exec(href) ?? []
    const parts = section.split('/').filter((one) => one !== '')
    const labelsOf = (n: number) => count(4, (nth) => 10 + draw(`${n}t${nth}`, 30))
    const label = (one: number) => `${one}-${WORDS[one]}`
    const dayOf = (n: number) => `2019-${1 + draw(`d${n}`, 12)}-${1 + draw(`e${n}`, 28)}`
    const inSection = ([kind, ...rest]: string[]): number[] => {
      if (kind === 'category') return articlesIn(Number(rest[0]) % 12)
      if (kind === 'tags') {
        const chosen = rest.filter((one) => /^\d+-/.test(one)).map((one) => Number.parseInt(one, 10))
        return count(ARTICLES, (n) => n).filter((n) => chosen.every((one) => labelsOf(n).includes(one)))
      }
      const day = kind?.startsWith('posted-monthly-list-') ? kind.slice(20) : undefined
      return count(ARTICLES, (n) => n).filter((n) => day === undefined || dayOf(n).startsWith(day))
    }
    const menu = [
      ...SECTION_NAMES.map((name, nth) => a(`/index.php?/category/${nth}`, name)),
      ...['most_visited', 'best_rated', 'recent_pics', 'posted-monthly-list-2019'].map((one) =>
        a(`/index.php?/${one}`, one),
      ),
    ].join(' ')
    if (script === '/picture.php') {
      const n = Number(parts[0])
      if (!(n < ARTICLES)) return missing
      const where = parts.slice(1)
      const all = inSection(where)
      const at = all.indexOf(n)
      const beside = [all[at - 1], all[at + 1]].filter((one) => one !== undefined)
      const to = (one: number) => `/picture.php?/${[one, ...where].join('/')}`
      return {
        html: page(
          titleOf(n),
          menu,
          prose(n),
          ...beside.map((one) => a(to(one), titleOf(one))),
          ...labelsOf(n).map((one) => a(`/index.php?/tags/${label(one)}`, label(one))),
          a(`/index.php?/posted-monthly-list-${dayOf(n)}`, dayOf(n)),
          a(`${to(n)}&action=add_to_favorites`, 'Favourite'),
          a(`${to(n)}&metadata`, 'EXIF'),
          a(`${to(n)}&slideshow=`, 'Slideshow'),
        ),
        honest: `article ${n}`,
      }
    }
    if (parts.length === 0) return { html: page('Gallery', menu, '<h1>Pictures of the club</h1>') }
    const start = Number(/^start-(\d+)$/.exec(parts.at(-1) ?? '')?.[1] ?? 0)
    const where = start > 0 ? parts.slice(0, -1) : parts
    const all = inSection(where)
    const related = [...new Set(all.slice(0, 40).flatMap(labelsOf))].filter((one) => !where.includes(label(one)))
    const narrower =
      where[0] === 'tags' ? related.map((one) => a(`/index.php?/${[...where, label(one)].join('/')}`, '+')) : []
    return {
      html: page(
        where.join(' '),
        menu,
        ...all.slice(start, start + 15).map((n) => a(`/picture.php?/${[n, ...where].join('/')}`, titleOf(n))),
        ...narrower,
        start + 15 < all.length ? a(`/index.php?/${where.join('/')}/start-${start + 15}`, 'Next') : '',
        ...['date', 'name', 'hits'].map((one, nth) => a(`/index.php?/${where.join('/')}&image_order=${nth}`, one)),
      ),
    }
  },
}

/** Labels that are added to one another in the path, in any order. */
export const confluence: Software = {
  name: 'Confluence labels',
  honest: ARTICLES,
  answer({ path }) {
    const labelsOf = (n: number) => count(5, (nth) => WORDS[draw(`${n}l${nth}`, 40)])
    const onArticle = (n: number) =>
      labelsOf(n)
        .map((one) => a(`/label/${one}`, one))
        .join(' ')
    const menu = `${a('/', 'Dashboard')} ${a('/label/', 'Labels')}`
    if (path === '/label/')
      return {
        html: page(
          'Labels',
          menu,
          all(40, (nth) => a(`/label/${WORDS[nth]}`, WORDS[nth])),
        ),
      }
    if (!path.startsWith('/label/')) return libraryAt(path, { menu, onArticle }) ?? missing
    const chosen = path.slice(7).split('+')
    const found = count(ARTICLES, (n) => n).filter((n) => chosen.every((one) => labelsOf(n).includes(one)))
    const related = [...new Set(found.slice(0, 30).flatMap(labelsOf)), ...WORDS.slice(0, 6)].filter(
      (one) => !chosen.includes(one),
    )
    return {
      html: page(
        `Content labelled ${chosen.join(' ')}`,
        menu,
        `<h1>${chosen.join(', ')}</h1>`,
        found.length === 0
          ? 'There is no content with the labels that you chose.'
          : found.map((n) => `<li>${a(`/${SECTION_NAMES[sectionOf(n)]}/${slugOf(n)}.html`, titleOf(n))}`).join(''),
        '<h2>Related labels</h2>',
        ...related.map((one) => `${a(`/label/${[...chosen, one].join('+')}`, '+')} ${a(`/label/${one}`, one)}`),
        ...chosen.map((one) => a(`/label/${chosen.filter((other) => other !== one).join('+')}`, `- ${one}`)),
      ),
    }
  },
}

const RELEASES = count(18, (nth) => `2.6.${nth}`)
/** A source tree in every release and for every processor, which each link carries on; identifiers are looked up in each. */
export const lxr: Software = {
  name: 'LXR',
  honest: ARTICLES,
  answer({ path, href }) {
    const chosen = Object.fromEntries(
      (/\?(.*)$/.exec(href)?.[1] ?? '').split(';').map((one) => one.split('=', 2) as [string, string]),
    )
    const { v = '2.6.17', a: arch = 'i386', i } = chosen
    const query = (more: Record<string, string>) =>
      `?${Object.entries({ v, a: arch, ...more })
        .map(([name, value]) => `${name}=${value}`)
        .join(';')}`
    const link = (to: string) => `${to}${query({})}`
    const menu = [
      ...RELEASES.map((one) => a(`${path}${query({ v: one, ...(i ? { i } : {}) })}`, one)),
      ...['i386', 'alpha', 'arm', 'mips'].map((one) => a(`${path}${query({ a: one, ...(i ? { i } : {}) })}`, one)),
      a(link('/ident'), 'identifier search'),
    ].join(' ')
    const uses = (seed: string) =>
      count(8, (nth) => WORDS[draw(`${seed}${nth}`, 500)])
        .map((one) => a(`/ident${query({ i: one })}`, one))
        .join(' ')
    if (path === '/ident')
      return {
        html: page(
          `identifier ${i ?? ''}`,
          menu,
          i === undefined
            ? 'Type the full name of an identifier.'
            : `<h1>${i}</h1> defined in release ${v}, line ${draw(i + v, 900)}`,
          i === undefined
            ? ''
            : all(3, (nth) => {
                const n = draw(`${i}${nth}`, ARTICLES)
                return a(link(`/${SECTION_NAMES[sectionOf(n)]}/${slugOf(n)}.html`), `line ${draw(i + v + nth, 900)}`)
              }),
        ),
      }
    const n = Number(/-(\d+)\.html$/.exec(path)?.[1] ?? -1)
    const changed = n >= 0 && draw(`${n}${v}`, 4) === 0 ? 4 + draw(`${n}${v}s`, 6) : undefined
    if (n >= 0 && n < ARTICLES && libraryAt(path, {}) !== undefined) {
      const reply = articlePage(n, { link, menu, onArticle: () => uses(`${n}`) }, changed)
      return { ...reply, honest: `article ${n}` }
    }
    return libraryAt(path, { link, menu }) ?? missing
  },
}
