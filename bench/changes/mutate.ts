/**
 * Known changes of real pages. `EDITS` are what a reader would call a change, `COSMETIC` what none would see, `VOLATILE` what
 * differs at every look and says nothing. Made with regular expressions, not with the crawler's tokenizer; undefined where a page
 * has no place for a change.
 */
import type { Random } from '../../src/base/random.ts'

export type Mutate = (html: string, random: Random) => string | undefined

interface Span {
  from: number
  to: number
}

const PARAGRAPH = /<(p|li|dd|td)\b[^>]*>((?:(?!<\/?(?:p|li|dd|td|ul|ol|dl|table|pre|div)\b)[\s\S]){40,2000}?)<\/\1>/gi

const plain = (html: string) => html.replace(/<[^>]*>|\s+/g, ' ').trim()

/** Elements with a text of their own, tags and all; or what is inside them. */
function paragraphs(html: string, part: 'outside' | 'inside' = 'outside'): Span[] {
  return [...html.matchAll(PARAGRAPH)]
    .filter(([, , inside]) => plain(inside).length > 20)
    .map((match) => {
      const inside = match.index + match[0].indexOf('>') + 1
      return part === 'outside'
        ? { from: match.index, to: match.index + match[0].length }
        : { from: inside, to: inside + match[2].length }
    })
}

/** Words of text in paragraphs: letters only, and none inside a tag or a reference. */
function words(html: string, pattern = /(?<=[\s>(])[A-Za-z]{4,}(?=[\s<.,;:)])/g): Span[] {
  return paragraphs(html, 'inside').flatMap(({ from, to }) =>
    [...html.slice(from, to).matchAll(/[^<>]+(?=<|$)/g)]
      .filter(({ index }) => html[from + index - 1] !== '<')
      .flatMap((text) =>
        [...text[0].matchAll(pattern)].map((word) => {
          const at = from + text.index + word.index
          return { from: at, to: at + word[0].length }
        }),
      )
      .filter(({ from: at }) => html.lastIndexOf('<', at) <= html.lastIndexOf('>', at)),
  )
}

export function pick<T>(list: readonly T[], random: Random): T | undefined {
  return list.length === 0 ? undefined : list[random.integer(list.length)]
}

function replaced(html: string, span: Span | undefined, by: (old: string) => string): string | undefined {
  if (span === undefined) return undefined
  const old = html.slice(span.from, span.to)
  const now = by(old)
  return now === old ? undefined : html.slice(0, span.from) + now + html.slice(span.to)
}

/** Two places that do not overlap, in order, with different text. */
function two(html: string, spans: readonly Span[], random: Random): [Span, Span] | undefined {
  for (let tries = 0; tries < 20 && spans.length > 1; tries++) {
    const [one, other] = [random.integer(spans.length), random.integer(spans.length)].sort((a, b) => a - b)
    const [first, second] = [spans[one], spans[other]]
    if (first.to > second.from) continue
    if (plain(html.slice(first.from, first.to)) !== plain(html.slice(second.from, second.to))) return [first, second]
  }
  return undefined
}

function swapped(html: string, pair: [Span, Span] | undefined): string | undefined {
  if (pair === undefined) return undefined
  const [a, b] = pair
  const part = (from: number, to?: number) => html.slice(from, to)
  return part(0, a.from) + part(b.from, b.to) + part(a.to, b.from) + part(a.from, a.to) + part(b.to)
}

const SENTENCES = [
  'This option was removed after a report about data loss.',
  'Since this release the default differs, and existing files must be converted.',
  'Administrators should restart the service once the change is complete.',
  'The limit applies to every connection, not to each user.',
]
const NOUNS = ['quorum', 'harbour', 'lantern', 'thistle', 'gravel', 'copper', 'meadow', 'falcon']

export const EDITS: Readonly<Record<string, Mutate>> = {
  'paragraph added': (html, random) =>
    replaced(html, pick(paragraphs(html), random), (old) => {
      const [tag] = /^<\w+/.exec(old) ?? ['<p']
      const name = tag.slice(1)
      return `${old}\n<${name}>${pick(SENTENCES, random)} ${pick(SENTENCES, random)}</${name}>`
    }),
  'sentence added': (html, random) =>
    replaced(html, pick(paragraphs(html, 'inside'), random), (old) => `${old} ${pick(SENTENCES, random)}`),
  'paragraph removed': (html, random) => replaced(html, pick(paragraphs(html), random), () => ''),
  'word removed': (html, random) => replaced(html, pick(words(html), random), () => ''),
  'word replaced': (html, random) => replaced(html, pick(words(html), random), () => pick(NOUNS, random) ?? ''),
  'number replaced': (html, random) =>
    replaced(
      html,
      pick(words(html, /(?<=\s)\d{1,5}(?=[\s.,;])/g), random),
      (old) => `${Number(old) + 1 + random.integer(90)}`,
    ),
  'paragraphs swapped': (html, random) => swapped(html, two(html, paragraphs(html), random)),
  'words swapped': (html, random) => swapped(html, two(html, words(html), random)),
}

export const LINK_EDITS: Readonly<Record<string, Mutate>> = {
  'link target': (html, random) =>
    replaced(
      html,
      pick(values(html, /(?<=<a\b[^>]*\shref=")[^"#]+(?=")/gi), random),
      () => `other-${random.integer(1000)}.html`,
    ),
}

function values(html: string, pattern: RegExp): Span[] {
  return [...html.matchAll(pattern)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }))
}

export const COSMETIC: Readonly<Record<string, Mutate>> = {
  'class attributes': (html, random) =>
    html.replace(/<(p|div|li|table|td|h\d|span|pre)(?=[\s>])/gi, (tag) => `${tag} data-v="${random.integer(1e6)}"`),
  'style added': (html) => html.replace(/<body\b/i, '<body style="margin: 1em"'),
  'white space': (html) => html.replace(/<(p|div|li|tr|h\d)(?=[\s>])/gi, '\n  $&'),
  'comment added': (html, random) =>
    html.replace(/<body\b[^>]*>/i, (body) => `${body}<!-- build ${random.integer(1e6)} -->`),
  'style sheet': (html, random) =>
    html.replace(/<\/head>/i, `<link rel="stylesheet" href="/s.${random.integer(1e6)}.css"></head>`),
}

/** Placed once in a page; then `next` is a look at it. */
export interface Volatile {
  name: string
  /** What somebody wrote, or what is drawn once a day: at one time, all pages of a site have the same. */
  isSiteWide?: boolean
  next(html: string, look: number, random: Random): string
}

export const inBody = (html: string, block: string, at: 'top' | 'end') =>
  at === 'top'
    ? html.replace(/<body\b[^>]*>/i, (body) => `${body}\n${block}`)
    : /<\/body>/i.test(html)
      ? html.replace(/<\/body>/i, () => `${block}\n</body>`)
      : `${html}\n${block}`

/** Behind the paragraph, item or cell in the middle of the page. */
export function amid(html: string, block: string): string {
  const ends = [...html.matchAll(/<\/p>/gi)]
  const middle = ends[ends.length >> 1]
  if (middle === undefined) return inBody(html, block, 'end')
  const at = middle.index + middle[0].length
  return `${html.slice(0, at)}\n${block}${html.slice(at)}`
}

export const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.integer(16).toString(16)).join('')

const ADS = Array.from({ length: 40 }, (_, i) => {
  const noun = NOUNS[i % NOUNS.length]
  return `<a href="https://ads.example/c?id=${i}"><img src="/ads/${i}.gif" alt=""></a> The best ${noun} for ${10 + i} euros. Order your ${noun} today at ${noun}-shop.example!`
})
const TITLES = Array.from(
  { length: 12 },
  (_, i) => `Related: ${NOUNS[i % NOUNS.length]} and ${NOUNS[(i * 3 + 1) % NOUNS.length]}, part ${i + 1}`,
)

export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const order = [...list]
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[order[i], order[j]] = [order[j], order[i]]
  }
  return order
}

/** Some of many, in the order of chance. */
function some(count: number, of: number, random: Random, item: (text: string, nth: number) => string): string {
  const numbers = shuffled(
    Array.from({ length: of }, (_, i) => i),
    random,
  ).slice(0, count)
  return numbers
    .map((i) => item(`${NOUNS[i % 8]} from the ${NOUNS[((i * 5 + 3) >> 3) & 7]}, ${NOUNS[(i * 3 + 1) % 8]} ${i}`, i))
    .join('')
}

export const time = (look: number, random: Random) =>
  new Date(1.75e12 + look * 86_400_000 * 3 + random.integer(86_400_000))

const inWords = (look: number, random: Random, language: string) =>
  time(look * 9, random).toLocaleString(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })

/** Pages are changed as bytes, whatever their encoding. */
export const references = (text: string) => text.replace(/[^\x20-\x7e]/g, (one) => `&#${one.charCodeAt(0)};`)

export const VOLATILE: readonly Volatile[] = [
  {
    name: 'time stamp',
    next: (html, look, random) =>
      inBody(
        html,
        `<div id="footer">Last updated ${time(look, random).toISOString().replace('T', ' ').slice(0, 19)} UTC</div>`,
        'end',
      ),
  },
  {
    name: 'date in words',
    next: (html, look, random) =>
      inBody(html, `<p class="today">Today is ${time(look, random).toUTCString()}</p>`, 'top'),
  },
  {
    name: 'counter',
    next: (html, look, random) =>
      inBody(
        html,
        `<p>You are visitor number ${10_000 + look * 977 + random.integer(900)}. ${random.integer(300)} users online.</p>`,
        'end',
      ),
  },
  {
    name: 'build time',
    next: (html, _, random) =>
      inBody(
        html,
        `<small>Page generated in 0.${100 + random.integer(900)} seconds with ${10 + random.integer(50)} queries by web${1 + random.integer(8)}</small>`,
        'end',
      ),
  },
  {
    name: 'session id in links',
    next: (html, _, random) => {
      const id = hex(random, 32)
      return html.replace(/(<a\b[^>]*\shref=")([^":#?]+)(?=["#])/gi, `$1$2?PHPSESSID=${id}`)
    },
  },
  {
    name: 'CSRF token',
    next: (html, _, random) =>
      inBody(
        html,
        `<form method="post" action="/search"><input type="hidden" name="csrf_token" value="${hex(random, 40)}"><input name="q"></form>`,
        'top',
      ),
  },
  {
    name: 'advertisement',
    next: (html, _, random) => inBody(html, `<div class="ad">${pick(ADS, random)}</div>`, 'top'),
  },
  {
    name: 'random order',
    next: (html, _, random) =>
      inBody(
        html,
        `<ul class="related">${shuffled(TITLES, random)
          .map((title) => `<li><a href="/r/${TITLES.indexOf(title)}">${title}</a></li>`)
          .join('')}</ul>`,
        'end',
      ),
  },
  {
    name: 'random choice',
    next: (html, _, random) =>
      inBody(
        html,
        `<ul class="teasers">${shuffled(TITLES, random)
          .slice(0, 4)
          .map((title) => `<li>${title}</li>`)
          .join('')}</ul>`,
        'end',
      ),
  },
  {
    name: 'choice: 2 of 6 paragraphs at the top',
    next: (html, _, random) =>
      inBody(
        html,
        some(2, 6, random, (text) => `<p>Did you know? A ${text} is never far away.</p>`),
        'top',
      ),
  },
  {
    name: 'choice: 8 of 30 in a sidebar',
    next: (html, _, random) =>
      inBody(
        html,
        `<div class="side"><h3>People also read</h3>${some(8, 30, random, (text, i) => `<div><a href="/s/${i}">The ${text}</a></div>`)}</div>`,
        'top',
      ),
  },
  {
    name: 'choice: 5 of 15 rows of a table',
    next: (html, _, random) =>
      inBody(
        html,
        `<table>${some(5, 15, random, (text, i) => `<tr><td>${text}</td><td>${i * 7} euros</td></tr>`)}</table>`,
        'end',
      ),
  },
  {
    name: 'choice: 1 of 5 amid the text',
    next: (html, _, random) =>
      amid(html, `<blockquote>${some(1, 5, random, (text) => `As they say: the ${text}.`)}</blockquote>`),
  },
  {
    name: 'choice: 3 of 7 items amid the text',
    next: (html, _, random) => amid(html, `<ul>${some(3, 7, random, (text) => `<li>See also ${text}</li>`)}</ul>`),
  },
  {
    name: 'cloud of 12 of 40 words',
    next: (html, _, random) =>
      inBody(
        html,
        `<p>${some(12, 40, random, (text, i) => `<a href="/t/${i}">${text.split(' ')[0]}${i}</a> `)}</p>`,
        'end',
      ),
  },
  {
    name: 'stamp in German',
    next: (html, look, random) =>
      inBody(html, `<div>${references(`Stand: ${inWords(look, random, 'de-DE')} Uhr`)}</div>`, 'end'),
  },
  {
    name: 'stamp in French',
    next: (html, look, random) =>
      amid(html, `<p>${references(`Dernière mise à jour : ${inWords(look, random, 'fr-FR')}`)}</p>`),
  },
  {
    name: 'stamp in Russian',
    next: (html, look, random) =>
      inBody(html, `<p>${references(`Обновлено ${inWords(look, random, 'ru-RU')}`)}</p>`, 'top'),
  },
  {
    name: 'stamp in Japanese',
    next: (html, look, random) =>
      inBody(html, `<td>${references(`最終更新 ${inWords(look, random, 'ja-JP')}`)}</td>`, 'end'),
  },
  {
    name: 'age in words',
    next: (html, look, random) =>
      amid(
        html,
        `<p>Updated ${pick(['3 minutes ago', 'an hour ago', 'yesterday', '2 days ago', 'last week', 'just now', `${look + 4} days ago`, `on ${inWords(look, random, 'en-US')}`], random)}</p>`,
      ),
  },
  {
    name: 'newest member, guests',
    next: (html, look, random) =>
      inBody(
        html,
        `<table><tr><td>Members: ${900 + look}</td><td>Newest member: ${pick(NOUNS, random)}${random.integer(99)}</td></tr><tr><td>Guests: ${random.integer(300)}</td></tr></table>`,
        'end',
      ),
  },
  {
    name: 'weather',
    next: (html, _, random) =>
      inBody(
        html,
        `<p>Now ${random.integer(30)} degrees, ${pick(['light rain', 'rain', 'sunny', 'cloudy', 'fog', 'snow later', 'storm', 'clear sky'], random)}</p>`,
        'top',
      ),
  },
  {
    name: 'count in the title',
    next: (html, look, random) =>
      html.replace(/<title[^>]*>/i, (tag) => `${tag}(${look + 1 + random.integer(2) * 7}) `),
  },
  {
    name: 'nonce, cache buster',
    next: (html, _, random) =>
      html.replace(/<\/head>/i, `<script nonce="${hex(random, 16)}" src="/a.js?v=${hex(random, 8)}"></script></head>`),
  },
  {
    name: 'comment',
    next: (html, look, random) =>
      inBody(html, `<!-- cached ${time(look, random).toISOString()} by ${hex(random, 8)} -->`, 'end'),
  },
]
