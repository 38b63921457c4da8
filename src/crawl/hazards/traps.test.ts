import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HONEST, TRAP_AMONG_MANY } from './honest-sites.test-data.ts'
import { FRAME_SETS, LATE_HONEST, LATE_TRAPS, ONLY_WITH_A_PARAMETER, REAL_IN_TRAPS } from './late-sites.test-data.ts'
import { OTHER_HONEST, OTHER_TRAPS, RECIPES, recipesWith } from './other-sites.test-data.ts'
import { PLAIN_SITES } from './plain-sites.test-data.ts'
import { honestSite, isHonest, page, range, slug, withTrap, words } from './sites.test-data.ts'
import { crawl, NO_LIMITS, type Site } from './traces.test-data.ts'
import { TRAPS } from './trap-sites.test-data.ts'

/** Requests inside each trap until it is left alone, its trial and its samples included. */
const USUAL = 24
const DEARER: Record<string, number> = {
  // Its months list its days, as an honest album does: patience is the price.
  'calendar of months and days': 80,
  // Twelve of these pages are real.
  'list that goes on after its end': 34,
  // Its lists say something else in another order, so no parameter is blamed alone.
  'sort and view': 40,
  'sort and view beside pages': 32,
  'filters, other subsets': 36,
  'growing path, new text': 36,
  'maze, words': 52,
  'maze, words, link home': 82,
  'maze, nested words': 54,
  'maze, nested, few links': 195,
  // With the site's navigation only size tells a maze from a library: capture and recapture.
  'maze, random, with navigation': 52,
  // Among honest pages of the same form, the form cannot be stopped before its pages are outnumbered.
  // Each form is named by another one: only links that never meet, far from the home page, tell.
  'maze of three forms, with navigation': 2000,
  'maze of one to three names, with navigation': 1000,
  'maze at the top, words': 70,
  'maze at the top, random': 28,
  'maze word/number': 52,
  // Six, and twelve, of these pages are real.
  'offset beyond the end': 24,
  'reply to comment': 50,
  // URLs held back are asked for without the parameter, once each.
  'aliases by a parameter': 66,

  'calendar of made-up prose': 30,
  'every trade in every town': 72,
  // Six folders, each with a trial and samples of its own.
  'every trade in every town, in folders': 480,
  // Thirty, twenty and nineteen of these pages are real. The texts of the errors' links are chance words: those clear the
  // pattern twice, before its growth alone decides.
  'errors after the last article': 210,
  'a wiki with tabs': 100,
  'a folder in itself': 38,
  'searches of longer searches': 95,
  // 124 of these pages are real.
  'rows that open and close': 190,
  // Thirty of these pages are real, each with an id of its own.
  'session ids without a name': 120,
  // Session identifiers in folders are the work of `web/url`; here they are only bounded.
  'aliases by a folder': 4200,
}

test('mazes that lead from one family into the next are left before links are known never to meet', () => {
  const folders = ['alpha', 'beta', 'gamma']
  const maze: Site = (path) => {
    const at = folders.findIndex((folder) => path.startsWith(`/${folder}/`))
    if (at < 0) return undefined
    const next = folders[(at + 1) % folders.length]
    const links = range(3).map((nth) => `/${next}/${slug(path + nth)}.html`)
    return page(words(path, 4), words(path, 120), links)
  }
  const { fetched } = crawl(withTrap(['/alpha/first.html'], maze), 1000)
  const inside = [...fetched].filter((path) => !isHonest(path)).length
  assert.ok(inside <= 260, `${inside}`)
})

test('a maze among honest pages of its form is left, and the form goes on', () => {
  const honest = honestSite(['/texts/first.html'])
  const site: Site = (path) => {
    if (!path.startsWith('/texts/')) return honest(path)
    const next = range(3).map((at) => `/texts/${slug(path + at)}.html`)
    return honest(path) ?? page(words(path, 4), words(path, 120), next)
  }
  const { fetched } = crawl(site, 1000)
  assert.ok(fetched.size <= 300, `${fetched.size}`)
})

test('on a site that has shown a thousand pages, where quiet pages are hardly judged, traps cost as much', () => {
  for (const [name, site] of Object.entries({ ...TRAPS, ...OTHER_TRAPS, ...LATE_TRAPS })) {
    // Pages of one template are read while the site shows enough else.
    if (name.startsWith('every trade in every town')) continue
    const { fetched } = crawl(site, 6000, NO_LIMITS, { suspects: [], novel: [1000, 900, 800_000] })
    const inside = [...fetched].filter((path) => !isHonest(path)).length
    assert.ok(inside <= 2 * (DEARER[name] ?? USUAL), `${name}: ${inside}`)
  }
})

for (const [name, site] of Object.entries({ ...TRAPS, ...OTHER_TRAPS, ...LATE_TRAPS })) {
  test(`trap: ${name}`, () => {
    const { fetched, findings, largestMemory, memory } = crawl(site, 6000)
    const inside = [...fetched].filter((path) => !isHonest(path)).length
    const max = DEARER[name] ?? USUAL
    assert.ok(inside <= max, `${inside} requests inside, at most ${max} expected`)
    if (name !== 'aliases by a folder') {
      assert.ok([...fetched].filter((path) => isHonest(path)).length >= 50, 'all of the honest site was collected')
    }
    for (const path of REAL_IN_TRAPS[name] ?? []) assert.ok(fetched.has(path), path)
    assert.ok(findings.length > 0)
    for (const { rule, evidence, examples, withdrawn } of findings) {
      assert.match(evidence, /\d|name that cannot exist/, `${rule} has its numbers`)
      assert.ok(withdrawn ? examples.length === 0 : examples.length >= 1 && examples.length <= 3)
    }
    // Again only after it was withdrawn.
    const reported = new Map<string, number>()
    for (const { rule, pattern, withdrawn } of findings) {
      const key = `${rule} ${pattern}`
      reported.set(key, (reported.get(key) ?? 0) + (withdrawn ? -1 : 1))
      assert.ok(reported.get(key)! <= 1, `${key} is reported once`)
    }
    assert.ok(largestMemory <= 16_384)
    assert.ok((memory.traps?.suspects ?? []).every(({ refused }) => refused >= 0))
  })
}

for (const [name, site] of Object.entries({ ...HONEST, ...OTHER_HONEST, ...LATE_HONEST })) {
  test(`no trap: ${name}`, () => {
    const { refused, findings, largestMemory } = crawl(site, 6000)
    assert.deepEqual([...refused].slice(0, 3), [])
    assert.deepEqual(findings, [])
    assert.ok(largestMemory <= 16_384)
  })
}

for (const [name, [pages, site]] of Object.entries(PLAIN_SITES)) {
  test(`no trap: ${name}`, () => {
    const { fetched, refused, findings, largestMemory } = crawl(site, 6000)
    assert.deepEqual(findings, [])
    assert.deepEqual([...refused].slice(0, 3), [])
    assert.equal(fetched.size, pages)
    assert.ok(largestMemory <= 16_384)
  })
}

test('in a site of many sections the trap is not forgotten among them', () => {
  const { fetched, findings } = crawl(TRAP_AMONG_MANY)
  assert.deepEqual(
    findings.map(({ pattern }) => pattern),
    ['/agenda/#'],
  )
  assert.ok([...fetched].filter((path) => path.startsWith('/agenda/')).length <= 18)
  const honest = [...fetched].filter((path) => !path.startsWith('/agenda/')).length
  assert.equal(honest, 1 + 2 + 1 + 30 + 600, 'home, two pages, a dead link, sections, articles')
})

test('versions for the printer are left alone when they say nothing else, and every recipe is read', () => {
  const { fetched, refused, findings } = crawl(RECIPES)
  assert.deepEqual(
    findings.map(({ rule, pattern }) => `${rule} ${pattern}`),
    ['idle-parameter /recipe/#?print=*&**'],
  )
  assert.ok([...refused.keys()].every((path) => path.endsWith('?print=1')))
  assert.ok([...fetched].filter((path) => path.startsWith('/recipe/') && !path.includes('?')).length > 250)
})

test('the same without a value', () => {
  const { fetched, refused } = crawl(recipesWith('print'))
  assert.ok(refused.size > 100)
  assert.ok([...fetched].filter((path) => path.endsWith('?print')).length < 60)
})

test('what is only linked to with a parameter is read, though the parameter does nothing', () => {
  const { fetched } = crawl(ONLY_WITH_A_PARAMETER)
  const things = new Set([...fetched].flatMap((path) => /^\/thing\/(\d+)/.exec(path)?.[1] ?? []))
  assert.equal(things.size, 200)
})

test('frame sets that are one file, one for each page, are all read', () => {
  const { fetched, refused, findings } = crawl(FRAME_SETS)
  assert.deepEqual([...refused], [])
  assert.equal([...fetched].filter((path) => path.startsWith('/api/?')).length, 2 * 60)
  assert.deepEqual(
    findings.map(({ rule, pattern }) => [rule, pattern]),
    [['few-contents', undefined]],
    'a rule that stops nothing',
  )
})

test('what the operator trusts is not stopped', () => {
  const options = { ...NO_LIMITS, trusted: (rule: string) => rule === 'endless-sequence' }
  const { fetched, findings } = crawl(TRAPS['numbers falling'], 300, options)
  assert.equal(fetched.size, 300 - 1, 'all requests but the probe')
  assert.ok(findings.every(({ rule }) => rule !== 'endless-sequence'))
})

test('with one trap stopped the next is seen sooner', () => {
  const both: typeof TRAPS.x = (path) => {
    const home =
      path === '/'
        ? TRAPS['calendar, path']('/')!.html!.replace('</ul>', '<a href="/log/9999">log</a></ul>')
        : undefined
    return home === undefined ? (TRAPS['calendar, path'](path) ?? TRAPS['numbers falling'](path)) : { html: home }
  }
  const { findings, fetched } = crawl(both)
  assert.deepEqual(findings.map(({ pattern }) => pattern).sort(), ['/cal/#/#', '/log/#'])
  assert.ok([...fetched].filter((path) => path.startsWith('/log/')).length <= 14)
})

test('traps side by side are all stopped', () => {
  for (const count of [13, 16]) {
    const names = Array.from({ length: count }, (_, at) => `/c${'abcdefghijklmnopqrstuvwxyz'[at]}x`)
    const site: typeof TRAPS.x = (path) => {
      const [, name, number] = /^(\/c\wx)\/(\d+)$/.exec(path) ?? []
      if (name !== undefined)
        return {
          html: `<title>Day</title>No events on day ${number} <a href="${name}/${Number(number) + 1}">next</a> <a href="/">home</a>`,
        }
      const answer = TRAPS['numbers falling'](path)
      const entries = names.map((name) => `<a href="${name}/1">${name}</a>`).join(' ')
      return path === '/' ? { html: answer!.html!.replace('</ul>', `${entries}</ul>`) } : answer
    }
    const { requests, memory } = crawl(site, 4000)
    assert.ok(requests < 600, `${count} of them took ${requests} requests`)
    assert.ok(JSON.stringify(memory.traps).length <= 16_384)
  }
})

test('two pages and an empty calendar without end cost less than 300 requests', () => {
  const month = (path: string) => /^\/calendar\/(\d+)\/(\d+)$/.exec(path)
  const site: typeof TRAPS.x = (path) => {
    if (path === '/')
      return {
        html: '<title>Club</title>Welcome to our club <a href="/about">about</a> <a href="/calendar/2026/1">calendar</a>',
      }
    if (path === '/about')
      return { html: '<title>About</title>We meet on Tuesdays in the old town hall <a href="/">home</a>' }
    const found = month(path)
    if (found === null) return undefined
    const at = Number(found[1]) * 12 + Number(found[2])
    const next = `/calendar/${Math.floor(at / 12)}/${(at % 12) + 1}`
    return {
      html: `<title>${found[2]}/${found[1]}</title>No events in ${found[2]}/${found[1]} <a href="${next}">next</a> <a href="/">home</a>`,
    }
  }
  const { requests, findings } = crawl(site, 3000)
  assert.ok(requests <= 300, `${requests} requests`)
  assert.equal(findings.length, 1)
})

/** Families of pages that name one another: what `next` gives are the links of a page of the family. */
function families(names: readonly string[], next: (family: string, path: string) => string[], home: string[]): Site {
  const form = new RegExp(`^/(${names.join('|')})/`)
  return withTrap([`/${names[0]}/start`], (path) => {
    const family = form.exec(path)?.[1]
    return family === undefined ? undefined : page(words(path, 4), words(path, 200), [...next(family, path), ...home])
  })
}

const inTurn = (names: readonly string[]) => (family: string, path: string) =>
  Array.from({ length: 8 }, (_, at) => `/${names[(names.indexOf(family) + 1) % names.length]}/${slug(path + at)}`)

test('families that name one another do not vouch for one another for ever', () => {
  const week = 7 * 86_400_000
  const date = (at: number) => new Date(Date.UTC(2024, 0, 1) + at).toISOString().slice(0, 10)
  const calendar = withTrap(['/week/0'], {
    '/week/#': (at) => {
      const days = range(7).map((day) => [`/day/${date(at * week + (day * week) / 7)}`, `${day}`] as const)
      return page(`Week ${at}`, 'the week has no events', [...days, '/'])
    },
    '/day/*': (day) => {
      const at = Math.floor((Date.parse(day) - Date.UTC(2024, 0, 1)) / week)
      return page(`Day ${day}`, 'nothing on this day', [[`/week/${at + 1}`, 'next week'], '/'])
    },
  })
  const inside = (site: Site) => [...crawl(site, 2000).fetched].filter((path) => !isHonest(path)).length
  assert.ok(inside(calendar) <= 40)
  const two = ['red', 'blue']
  assert.ok(inside(families(two, inTurn(two), ['/'])) <= 200)
  const three = ['red', 'blue', 'green']
  assert.ok(inside(families(three, inTurn(three), [])) <= 700)
})

test('pages that differ in one word are read to their end', () => {
  const chain = withTrap(['/part/1'], (path) => {
    const at = Number(/^\/part\/(\d+)$/.exec(path)?.[1] ?? 0)
    if (at < 1 || at > 400) return undefined
    const next = [`/part/${at + 1}`, '/'].map((to) => [to, 'next'] as const)
    return page('Part', `The part of the catalogue is called ${words(`part ${at}`, 1)} and can be ordered`, next)
  })
  assert.ok(crawl(chain, 3000).fetched.has('/part/400'))
})

test('words in links do not clear errors that lead on, and piled up folders are known without them', () => {
  const errors = withTrap(['/item/1'], (path) => {
    const at = Number(/^\/item\/(\d+)$/.exec(path)?.[1] ?? 0)
    if (at < 1) return undefined
    const next = [1, 10].map((step) => [`/item/${at + step}`, words(`link ${at + step}`, 2)] as const)
    return page('Error', 'Internal error. Please try again later.', [...next, '/'])
  })
  const sections = ['news', 'about', 'products', 'team', 'contact']
  const piled = withTrap(['/web/index.php/'], (path) => {
    const match = /^\/web\/index\.php\/(?:(?:\w+\/index\.php\/)*(\w+)\/index\.php\/)?$/.exec(path)
    if (match === null) return undefined
    const menu = sections.map((section) => [`${path}${section}/index.php/`, section] as const)
    return page(match[1] ?? 'Start', `${path.replaceAll('/', ' ')} ${words(match[1] ?? 'start', 150)}`, menu)
  })
  const inside = (site: Site) => [...crawl(site, 2000).fetched].filter((path) => !isHonest(path)).length
  assert.ok(inside(errors) <= 40)
  const real = 1 + sections.length
  assert.ok(inside(piled) <= real + 15)
})

test('lists of lists without any navigation are read to their end', () => {
  const lists = (areas: number, volumes: number, papers: number): Site =>
    withTrap(
      // Of one paper the home page tells: its family is known before the lists are.
      ['/areas/', '/papers/new.html'],
      {
        '/areas/': () => page('Areas', words('areas', 50), ['/', ...range(areas).map((at) => `/area/${at}.html`)]),
        '/area/#.html': (area, path) => {
          const all = range(volumes).map((at) => `/volume/${area}-${at}.html`)
          return page(path, words(path, 40), all)
        },
        '/volume/*.html': (volume, path) => {
          const all = range(papers).map((at) => `/papers/${slug(`${volume} ${at}`)}.html`)
          return page(path, words(path, 40), all)
        },
        '/papers/*.html': (name, path) => page(slug(path), words(path, 200), name === 'new' ? ['/'] : []),
      },
    )
  for (const [areas, volumes, papers] of [
    [1, 100, 5],
    [12, 12, 3],
  ]) {
    const { fetched, findings } = crawl(lists(areas, volumes, papers), 3000)
    assert.deepEqual(findings, [])
    assert.equal([...fetched].filter((path) => path.startsWith('/papers/')).length, areas * volumes * papers + 1)
  }
})

test('calendars in a hundred folders are stopped one after the other, and the one that is real is read', () => {
  const folders = Array.from({ length: 100 }, (_, at) => `/${slug(`room ${at}`)}`)
  const calendars = withTrap([...folders.map((folder) => `${folder}/cal/2031-1`), '/real/cal/2001-1'], (path) => {
    const [, folder, year, month] = /^(\/[^/]+)\/cal\/(\d+)-(\d+)$/.exec(path) ?? []
    if (folder === undefined || (folder === '/real' && Number(month) > 100)) return undefined
    const next = [`${folder}/cal/${year}-${Number(month) + 1}`, '/', '/about.html']
    if (folder === '/real') return page('Calendar', words(path, 120), next)
    const text = `${folder.slice(1)} is free in ${month}/${year}`
    return page('Calendar', text, [...next, `${folder}/cal/${Number(year) + 1}-${month}`])
  })
  const { requests, fetched, largestMemory } = crawl(calendars, 6000)
  assert.ok(requests <= 2500, `${requests} requests`)
  assert.equal([...fetched].filter((path) => /^\/real\/cal\/2001-\d+$/.test(path)).length, 101)
  assert.ok(largestMemory <= 16_384, `${largestMemory} characters`)
})
