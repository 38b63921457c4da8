/** Honest sites as test servers and beginners have them: no navigation, one kind of page, hardly a word. */
import { each, page, type Routes, randomOf, range, site, slug, words } from './sites.test-data.ts'
import type { Site } from './traces.test-data.ts'

/** `links` of a home page, and what is at all other paths. */
const plain = <Form extends string>(links: readonly string[], rest: Site | Routes<Form>): Site => {
  const others = typeof rest === 'function' ? rest : site(rest)
  return (path) => (path === '/' ? page('Home', 'welcome', links) : others(path))
}

/** Each with how many pages there are, home among them. */
export const PLAIN_SITES: Record<string, [pages: number, site: Site]> = {
  'a heap of numbers, random words, no navigation': [
    3000,
    plain(['/1', '/2'], {
      '/#': (at) => {
        const below = [2 * at + 1, 2 * at + 2].filter((to) => to < 3000).map((to) => `/${to}`)
        return at < 3000 ? page('', words(`noise ${at}`, 150), below) : undefined
      },
    }),
  ],
  'a chain, a number is all that differs': [
    901,
    plain(['/page/1'], {
      '/page/#': (at) => {
        const next = at < 900 ? [[`/page/${at + 1}`, 'next'] as const] : []
        return at <= 900 ? page(`Page ${at}`, `This is page ${at} of this chain.`, next) : undefined
      },
    }),
  ],
  'a home page that lists 200 pages of one text': [
    201,
    plain(each(200, '/p#.html'), { '/p#.html': () => page('Text', words('one', 60), []) }),
  ],
  '1,000 pages of the same 2,000 words, with links among them': [
    1001,
    plain(['/doc/0'], {
      '/doc/#': (at) => {
        const random = randomOf(`links of ${at}`)
        const others = range(40).map((k) => (k === 0 ? (at + 1) % 1000 : random.integer(1000)))
        const links = others.map((to) => [`/doc/${to}`, 'other'] as const)
        return page('Document', words('lorem', 2000), links)
      },
    }),
  ],
  'a tree of folders without links back': [
    1 + 5 + 25 + 125 + 625,
    plain(
      range(5).map((at) => `/${slug(`top ${at}`)}/`),
      (path) => {
        const depth = path.split('/').length - 2
        return page(path, words(path, 40), depth < 4 ? range(5).map((at) => `${path}${slug(`${path} ${at}`)}/`) : [])
      },
    ),
  ],
  'a tree of wide folders': [
    1 + 60 + 60 * 8,
    plain(
      range(60).map((at) => `/files/${slug(`folder ${at}`)}/`),
      (path) => {
        const files = path.endsWith('/') ? range(8).map((at) => `${path}${slug(`${path} ${at}`)}.html`) : []
        return page(path, words(path, path.endsWith('/') ? 30 : 80), files)
      },
    ),
  ],
  'a heap of numbers, where missing pages are said with status 200': [
    1 + 2000,
    plain(['/p1'], (path) => {
      const at = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? Infinity)
      if (at > 2000) return page('Sorry', 'There is no such page. Please go home.', ['/'])
      const below = [2 * at, 2 * at + 1].filter((to) => to <= 2000).map((to) => `/p${to}`)
      return page(`Number ${at}`, words(`number ${at}`, 100), below)
    }),
  ],
  'ids of the home page': [
    251,
    plain(
      range(10).map((at) => `/?id=${at + 1}`),
      {
        '/?id=#': (at) => page(`Number ${at}`, `You see number ${at}`, at <= 240 ? [[`/?id=${at + 10}`, 'more']] : []),
      },
    ),
  ],
  'pages that only say their number, from anywhere': [
    1501,
    plain(['/n/1'], {
      '/n/#': (at) => {
        const random = randomOf(`n ${at}`)
        const to = [at + 1, ...range(4).map(() => 1 + random.integer(1500))].filter((other) => other <= 1500)
        return at > 1500
          ? undefined
          : { html: `page ${at} ${to.map((other) => `<a href="/n/${other}">${other}</a>`).join(' ')}` }
      },
    }),
  ],
  'slow answers, and nothing else': [
    61,
    plain(each(60, '/slow/#'), {
      '/slow/#': (at) => ({ ...page('Slow', words(`slow ${at}`, 9), []), tookMs: 20_000 }),
    }),
  ],
  'twenty pages of words, each leading to two fresh ones': [
    1 + 254,
    plain(['/w0', '/w1'], (path) => page(path, words(path, 50), path.length < 9 ? [`${path}0`, `${path}1`] : [])),
  ],
}
