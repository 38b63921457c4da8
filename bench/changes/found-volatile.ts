/**
 * Volatile parts as real sites have them: the mark-up and wording of phpBB, vBulletin, SMF, MediaWiki in ten languages, DokuWiki,
 * MoinMoin, cgit, Jenkins, Munin, Doxygen, Stack Exchange, shops and error pages, as found in their sources and in pages that
 * people have saved; names and titles are made up. Ages are those of moment.js. For the third set (`--third`).
 */
import type { Random } from '../../src/base/random.ts'
import { amid, hex, inBody, pick, references, shuffled, time, type Volatile } from './mutate.ts'

type Part = (look: number, random: Random) => string
type Where = 'top' | 'amid' | 'end'

export function placed(name: string, where: Where, part: Part, isSiteWide = false): Volatile {
  const put = (html: string, block: string) => (where === 'amid' ? amid(html, block) : inBody(html, block, where))
  return { name, isSiteWide, next: (html, look, random) => put(html, references(part(look, random))) }
}

export const oneOf = <T>(list: readonly T[], random: Random): T => pick(list, random) as T
export const upTo = (max: number, random: Random) => random.integer(max)
export const someOf = <T>(least: number, most: number, list: readonly T[], random: Random) =>
  shuffled(list, random).slice(0, least + random.integer(most - least + 1))
export const grouped = (count: number, language = 'en') => count.toLocaleString(language)
export const iso = (look: number, random: Random) => time(look, random).toISOString().slice(0, 19)
export const base64 = (random: Random, length: number) =>
  Array.from(
    { length },
    () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[upTo(64, random)],
  ).join('')
export const uuid = (random: Random) => [8, 4, 4, 4, 12].map((digits) => hex(random, digits)).join('-')

export const USERS =
  'Anaya, other_bard, Blodgod, bobbear, Dargrim, durkan, Elchuba, Fenudin, idoran, Jamond, Jarkorsis, Junkais, Jural, Katonka, Kazeku, KhunDog, kopema, Kuriosa, Miandab, OAGA, silver elf, Rastik, Thunderbird, saxon, Sithril, skel, skitz, Srash, Taymor, TheBigOne, thorvar, Tigers, Traz, Tyral, Vecious, wilcox'.split(
    ', ',
  )
const MODULES = 'core, build, docs, parser, network, tests, i18n, themes'.split(', ')

export const TITLES = `Why does the kettle whistle before it boils?
Proof of an identity with cross and dot products
How can I politely turn down an exit interview?
How to pump up tyres without a gauge
Can a class with one method have two responsibilities?
Why won't my engine turn in the cold?
Why does a reboot require root privileges?
Could a war between stars ever pay?
Travelling with two passports and one visa
Why didn't the sentinel light the beacon?
Greek letters directly in mathematical mode
Plot a phase diagram of three variables
Is it right to keep a gift card won at a conference?
What is the longest word with two vowels?
A leading zero in a list of serial numbers
Why was there a cold decade in the records?
Which non-stop flight links the hottest and the coldest town?
What are these containers in the yard called?
Why do groups of tourists follow a closed umbrella?
How do I write dialogue for a mute character?
Did any bishop ever own a printing press?
Sort a deck of cards with three piles
Number of paths that avoid a diagonal
Balance of a homebrew class of weavers
Is there a word for the day after tomorrow?
Resistor value for a string of blue diodes
Replacing a cracked tile without its neighbours
What did sailors eat on Sundays?
The smallest program that prints its length
Does yeast survive a week in the freezer?
Meaning of a crossed seven on old maps
Can two swords be carried on one hip?`.split('\n')

const QUOTES = `A compliment is something like a kiss through a veil.|Victor Hugo
A fair exterior is a silent recommendation.|Publilius Syrus
A private sin is not so prejudicial in the world as a public indecency.|Miguel de Cervantes
A truly great man will neither trample on a worm nor sneak to an emperor.|Benjamin Franklin
Well begun is half done.|
Better late than never, but better never late.|
He that lives upon hope will die fasting.|Benjamin Franklin
No man was ever wise by chance.|Seneca
Let every man be respected as an individual and no man idolised.
Nobody is above the work of his hands, and nobody below it.|
Fortune favours the bold.|Virgil
Brevity is the soul of wit.|Shakespeare
What is written without effort
is in general read without pleasure.|Samuel Johnson
The journey is the reward.|
Haste makes waste.
Waste makes want.
Want makes strife.|
A room without books is like a body without a soul.|
Measure twice, cut once.|
There is no royal road to geometry.|Euclid`
  .split(/(?<=\|.*)\n/)
  .map((one) => one.split('|'))

export const GOODS =
  'oak table, linen shirt, copper kettle, reading lamp, garden fork, wool blanket, travel mug, desk clock, canvas bag, bread knife, rain coat, cork board, felt hat, paper fan, steel whistle'.split(
    ', ',
  )

/** What MediaWiki says in these languages: last edit and, of its counter, views. */
const WIKIS: readonly (readonly [string, string, string])[] = [
  ['de', 'Diese Seite wurde zuletzt am $1 um $2 Uhr bearbeitet.', 'Diese Seite wurde bisher $3-mal abgerufen.'],
  ['fr', 'La dernière modification de cette page a été faite le $1 à $2.', 'Cette page a été consultée $3 fois.'],
  ['es', 'Esta página se editó por última vez el $1 a las $2.', 'Esta página se ha visitado $3 veces.'],
  ['it', "Questa pagina è stata modificata per l'ultima volta il $1 alle $2.", 'Questa pagina è stata letta $3 volte.'],
  ['pt', 'Esta página foi editada pela última vez em $1, às $2.', 'Esta página foi acedida $3 vezes.'],
  ['pl', 'Tę stronę ostatnio edytowano $1, $2.', 'Tę stronę obejrzano $3 razy.'],
  ['ru', 'Эта страница в последний раз была отредактирована $1 в $2.', 'К этой странице обращались $3 раз.'],
  ['ja', 'このページの最終更新日時は $1 $2 です。', 'このページは $3 回アクセスされました。'],
  ['ko', '이 문서는 $1 $2에 마지막으로 편집되었습니다.', '이 문서는 $3번 읽혔습니다.'],
  ['zh', '此页面最后编辑于$1 $2。', '此页面已被浏览过$3次。'],
  ['tr', 'Sayfa en son $2, $1 tarihinde değiştirildi.', 'Bu sayfaya $3 defa erişilmiş.'],
]

/** Less than an hour, an hour, hours, a day, days, a month, months, a year, years, as moment.js says it; `%`: how many. */
const AGES: Readonly<Record<string, string>> = {
  en: '% minutes ago|an hour ago|% hours ago|a day ago|% days ago|a month ago|% months ago|a year ago|% years ago',
  de: 'vor % Minuten|vor einer Stunde|vor % Stunden|vor einem Tag|vor % Tagen|vor einem Monat|vor % Monaten|vor einem Jahr|vor % Jahren',
  fr: 'il y a % minutes|il y a une heure|il y a % heures|il y a un jour|il y a % jours|il y a un mois|il y a % mois|il y a un an|il y a % ans',
  es: 'hace % minutos|hace una hora|hace % horas|hace un día|hace % días|hace un mes|hace % meses|hace un año|hace % años',
  it: "% minuti fa|un'ora fa|% ore fa|un giorno fa|% giorni fa|un mese fa|% mesi fa|un anno fa|% anni fa",
  pl: '% minuty temu|godzinę temu|% godzin temu|1 dzień temu|% dni temu|miesiąc temu|% miesiące temu|rok temu|% lata temu',
  ru: '% минуты назад|час назад|% часов назад|день назад|% дня назад|месяц назад|% месяца назад|год назад|% года назад',
  ja: '%分前|1時間前|%時間前|1日前|%日前|1ヶ月前|%ヶ月前|1年前|%年前',
  ko: '%분 전|한 시간 전|%시간 전|하루 전|%일 전|한 달 전|%달 전|일 년 전|%년 전',
  tr: '% dakika önce|bir saat önce|% saat önce|bir gün önce|% gün önce|bir ay önce|% ay önce|bir yıl önce|% yıl önce',
}

const HOUR = 1 / 24

export function ageOf(days: number, language: string): string {
  const texts = AGES[language].split('|')
  const forms: [number, number][] = [
    [0.75 * HOUR, days / (HOUR / 60)],
    [1.5 * HOUR, 1],
    [22 * HOUR, days / HOUR],
    [1.5, 1],
    [26, days],
    [45, 1],
    [320, days / 30.4],
    [548, 1],
    [Infinity, days / 365],
  ]
  const at = forms.findIndex(([below]) => days < below)
  return texts[at].replace('%', `${Math.max(2, Math.round(forms[at][1]))}`)
}

/** Days from the first look: about three from each to the next. */
const daysAt = (look: number, random: Random) => 3 * look + random.next()

const wikiFooters = WIKIS.map(([language, edited, views]) =>
  placed(`MediaWiki's footer, ${language}`, 'end', (look, random) => {
    const at = time(look, random)
    const filled = (text: string) =>
      text
        .replace('$1', at.toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' }))
        .replace('$2', at.toLocaleTimeString(language, { timeStyle: 'short', timeZone: 'UTC' }))
        .replace('$3', grouped(9871 + 367 * look + upTo(300, random), language))
    return `<div id="footer"><ul id="footer-info"><li id="footer-info-lastmod"> ${filled(edited)}</li><li id="footer-info-viewcount">${filled(views)}</li><li id="footer-info-copyright">CC BY-SA</li></ul></div>`
  }),
)

const oneAge = Object.keys(AGES).map((language) =>
  placed(`age of one post, ${language}`, 'amid', (look, random) => {
    const days = [2 * HOUR, 0.01, 1, 8, 45, 100, 400, 900][(look * 3 + upTo(3, random)) % 8]
    return `<div class="post-meta"><a href="/u/7">${USERS[7]}</a> <time>${ageOf(days, language)}</time></div>`
  }),
)

const listOfAges = placed('ages in a list of eight posts', 'end', (look, random) => {
  const now = daysAt(look, random)
  const posted = [-0.02, -0.4, -3, -9, -40, -200, -500, -1200]
  const items = posted.map(
    (at, i) => `<li><a href="/p/${i}">${TITLES[i]}</a> <span class="ago">${ageOf(now - at, 'en')}</span></li>`,
  )
  return `<h3>From the forum</h3><ul>${items.join('')}</ul>`
})

const usersLine = (names: readonly string[]) =>
  names.map((one) => `<a href="profile.php?u=${USERS.indexOf(one)}">${one}</a>`).join(', ')

function phpbb(look: number, random: Random): string {
  const names = someOf(0, 30, USERS, random)
  const guests = upTo(400, random)
  return `<table class="forumline"><tr><td class="row1"><span class="gensmall">Our users have posted a total of <b>${114_050 + look * 70 + upTo(60, random)}</b> articles<br />We have <b>${8159 + look * 3}</b> registered users<br />The newest registered user is <b><a href="profile.php?u=8162">${oneOf(USERS, random)}${upTo(99, random)}</a></b></span></td></tr>
<tr><td class="row1"><span class="gensmall">In total there are <b>${names.length + 2 + guests}</b> users online :: ${names.length} Registered, 2 Hidden and ${guests} Guests &nbsp; [ <span>Administrator</span> ] &nbsp; [ <span>Moderator</span> ]<br />Most users ever online was <b>521</b> on Tue Mar 23, 2004 3:48 pm<br />Registered Users: ${names.length === 0 ? 'None' : usersLine(names)}</span></td></tr></table>
<span class="gensmall">This data is based on users active over the past five minutes</span>`
}

function simpleMachines(look: number, random: Random): string {
  const names = someOf(0, 3, USERS, random)
  const active =
    names.length === 0 ? '' : `<div class="smalltext">Users active in past 15 minutes:<br />${usersLine(names)}</div>`
  const title = oneOf(TITLES, random)
  return `<div id="infocenterframe"><h4>Forum Stats</h4><div class="windowbg2">${293_239 + look * 31 + upTo(30, random)} Posts in ${62_088 + look * 4} Topics by ${25_798 + look} Members. Latest Member: <strong><a href="?u=1">${oneOf(USERS, random)}${upTo(99, random)}</a></strong><br />
Latest Post: <strong>"<a href="?t=1">Re: ${title.slice(0, 24)}...</a>"</strong> ( <strong>${oneOf(['Today', 'Yesterday'], random)}</strong> at ${time(look, random).toLocaleTimeString('en-US')} )<br /><a href="?action=recent">View the most recent posts on the forum.</a></div>
<h4>Users Online</h4><div class="windowbg2"><a href="?action=who">${upTo(500, random)} Guests, ${names.length} Users</a>${active}<hr /><div class="smalltext">Most Online Today: <strong>${300 + upTo(300, random)}</strong>. Most Online Ever: 860 (April 02, 2012, 05:25:34 AM)</div></div></div>
<p class="smalltext" id="show_loadtime">Page created in 0.${100 + upTo(900, random)} seconds with ${10 + upTo(20, random)} queries.</p>`
}

function vbulletin(look: number, random: Random): string {
  const names = someOf(0, 3, USERS, random)
  return `<div class="thead">Currently Active Users Viewing This Thread: ${names.length + 1 + upTo(9, random)} <span class="smallfont">(${names.length} members and ${1 + upTo(9, random)} guests)</span></div>
${names.length === 0 ? '' : `<div class="alt1">${usersLine(names)}</div>`}
<div class="smallfont" align="center">All times are GMT. The time now is <span class="time">${time(look, random).toLocaleTimeString('en-US', { timeStyle: 'short', timeZone: 'UTC' })}</span>.</div>`
}

const hotQuestions = placed('hot questions: 20 of 32 titles, renewed in part', 'end', (look, random) => {
  // About five of them are others at each look.
  const from = look * 5
  const shown = Array.from({ length: 20 }, (_, i) => TITLES[(from + i) % TITLES.length])
  const items = shuffled(shown, random).map((one) => `<li><a href="/q/${TITLES.indexOf(one)}">${one}</a></li>`)
  return `<div id="hot-network-questions"><h4>Hot Network Questions</h4><ul>${items.join('')}</ul></div>`
})

const related = placed('related questions with their votes', 'end', (look, random) => {
  const items = TITLES.slice(4, 14).map(
    (one, i) =>
      `<div class="spacer"><a href="/q/${i}"><div class="answer-votes">${grouped([4519, 1452, 827, 797, 617, 36, 6, 240, 10, 2][i] + (i < 6 ? look * (7 - i) + upTo(3, random) : 0))}</div></a><a href="/q/${i}">${one}</a></div>`,
  )
  return `<div class="related"><h4>Related</h4>${items.join('')}</div>`
})

const asked = placed('asked, active and viewed', 'top', (look, random) => {
  const views = 11_400 + look * 900 + upTo(800, random)
  return `<div class="grid">Asked <time>${ageOf(3750 + look * 3, 'en')}</time> Active <time>${ageOf([0.3, 2, 0.01, 5, 0.1][look % 5], 'en')}</time> Viewed ${(views / 1000).toFixed(1)}k times</div>`
})

const quote = (random: Random) => {
  const [text, by] = oneOf(QUOTES, random)
  return `${text.replaceAll('\n', '<br>')}${by ? `<br>&nbsp;&nbsp;-- ${by}` : ''}`
}

function advertisement(random: Random): string {
  const [one, other] = someOf(2, 2, GOODS, random)
  const price = `${5 + upTo(200, random)}.${10 + upTo(90, random)}`
  return oneOf(
    [
      `<a href="/go?z=${hex(random, 12)}"><img src="/b/${upTo(99, random)}.gif" alt="${one}"></a>`,
      `<a href="/go?z=${hex(random, 12)}"><b>The ${one} of the year</b></a><p>Now only ${price}</p>`,
      `<h5>${one} or ${other}?</h5><p>Both for ${price} until Sunday</p><p><a href="/go?z=${hex(random, 12)}">Order now</a></p>`,
      `<p>Advertisement</p><p>Everybody needs a ${one}.</p>`,
    ],
    random,
  )
}

const STATUS: readonly Volatile[] = [
  placed(
    "cgit's footer",
    'end',
    (look, random) =>
      `<div class='footer'>generated by <a href='https://git.zx2c4.com/cgit/about/'>cgit v1.2.1</a> (<a href='https://git-scm.com/'>git 2.18.0</a>) at ${iso(look, random).replace('T', ' ')} +0000</div>`,
  ),
  placed(
    "Jenkins' footer",
    'end',
    (look, random) =>
      `<footer><div class="col-md-18"><span class="page_generated">Page generated: ${time(look, random).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })} UTC</span><span class="rest_api"><a href="api/">REST API</a></span><span class="jenkins_ver"><a href="https://jenkins.io/">Jenkins ver. 2.176.2</a></span></div></footer>`,
  ),
  placed(
    "MoinMoin's footer, with who it was",
    'end',
    (look, random) =>
      `<p id="pageinfo" class="info">FrontPage (last edited ${iso(look, random).replace('T', ' ')} by <span title="x">${oneOf(USERS, random)}</span>)</p>`,
  ),
  placed(
    "DokuWiki's footer, with who it was",
    'end',
    (look, random) =>
      `<div class="docInfo">wiki/start.txt &middot; Zuletzt geändert: ${iso(look, random).replaceAll('-', '/').replace('T', ' ').slice(0, 16)} von ${oneOf(USERS, random)}</div>`,
  ),
  placed(
    "Munin's footer",
    'end',
    (look, random) =>
      `<div id="footer">This page was generated by <a href="http://munin-monitoring.org/">Munin</a> version 2.0.67 at ${iso(look, random).replace('T', ' ')}+0100 (CET)</div>`,
  ),
  placed(
    "Doxygen's footer",
    'end',
    (look, random) =>
      `<hr><address class="footer"><small>Generated on ${time(look, random)
        .toUTCString()
        .replace(
          /^(\w+), (\d+) (\w+) (\d+) (.*) GMT$/,
          '$1 $3 $2 $4 $5',
        )} for libweb by <a href="http://www.doxygen.org/">doxygen</a> 1.9.1</small></address>`,
  ),
  placed(
    'uptime and load',
    'top',
    (look, random) =>
      `<p>Server uptime: ${20 + look * 3} days ${upTo(24, random)} hours ${upTo(60, random)} minutes, load ${(random.next() * 3).toFixed(2)} ${(random.next() * 3).toFixed(2)} ${(random.next() * 3).toFixed(2)}</p>`,
  ),
  placed(
    'build of a site',
    'end',
    (look, random) =>
      `<small>Version 4.${look}.${upTo(9, random)} (build ${hex(random, 8)}, ${oneOf(MODULES, random)})</small>`,
  ),
  placed(
    'Ray ID',
    'end',
    (_, random) =>
      `<p class="cf-footer">Cloudflare Ray ID: <strong>${hex(random, 16)}</strong> &bull; Your IP: 203.0.113.7</p>`,
  ),
  placed('request id of 36 characters', 'end', (_, random) => `<p>Request ID: <code>${uuid(random)}</code></p>`),
  placed('digest of 64 characters', 'amid', (_, random) => `<p>Session fingerprint ${hex(random, 64)}</p>`),
]

const IN_ATTRIBUTES: readonly Volatile[] = [
  {
    name: 'session ids in links (s=, jsessionid)',
    next: (html, _, random) => {
      const id = hex(random, 32)
      return html.replace(/(<a\b[^>]*\shref=")([^":#?]+)(?=["#])/gi, (_all, tag, href, at) =>
        at % 2 ? `${tag}${href};jsessionid=${id.toUpperCase()}` : `${tag}${href}?s=${id}&amp;`,
      )
    },
  },
  placed(
    'tokens of Rails, Drupal, ASP.NET, WordPress',
    'top',
    (_, random) =>
      `<form method="post" action="/s"><input type="hidden" name="authenticity_token" value="${base64(random, 86)}==" /><input type="hidden" name="form_build_id" value="form-${base64(random, 43)}" /><input type="hidden" id="__VIEWSTATE" value="/wEPDwUK${base64(random, 200)}" /><a href="/wp-login.php?_wpnonce=${hex(random, 10)}">Log out</a></form>`,
  ),
  placed(
    'epoch times in attributes',
    'amid',
    (look, random) =>
      `<div data-timestamp="${time(look, random).getTime()}" data-cfemail="${hex(random, 36)}"><time datetime="${iso(look, random)}Z">Sunday</time></div>`,
  ),
  {
    name: 'assets with digests in their names',
    next: (html, _, random) =>
      html.replace(
        /<\/head>/i,
        `<link rel="stylesheet" href="/_next/static/css/${hex(random, 16)}.css"><script src="/js/chunk.${hex(random, 8)}.js" nonce="${base64(random, 22)}=="></script></head>`,
      ),
  },
  placed(
    'comments of a cache',
    'end',
    (look, random) =>
      `<!-- Dynamic page generated in ${random.next().toFixed(3)} seconds. -->\n<!-- Cached page generated by WP-Super-Cache on ${iso(look, random).replace('T', ' ')} -->`,
  ),
]

const OTHERS: readonly Volatile[] = [
  placed("phpBB's who is online", 'end', phpbb),
  placed("SMF's info centre", 'end', simpleMachines),
  placed("vBulletin's viewers and time", 'end', vbulletin),
  {
    name: 'all that a forum has',
    next(html, look, random) {
      const id = hex(random, 32)
      const linked = html.replace(/(<a\b[^>]*\shref=")([^":#?]+)(?=["#])/gi, `$1$2?sid=${id}`)
      const top = `<p class="gensmall">It is currently ${time(look, random).toUTCString().slice(0, 22)}</p>`
      return inBody(inBody(linked, references(phpbb(look, random)), 'end'), top, 'top')
    },
  },
  hotQuestions,
  related,
  asked,
  listOfAges,
  placed(
    'quote of one to four lines',
    'top',
    (_, random) => `<blockquote class="fortune">${quote(random)}</blockquote>`,
  ),
  placed('quote amid the text', 'amid', (_, random) => `<blockquote>${quote(random)}</blockquote>`),
  placed('advertisement of any shape', 'top', (_, random) => `<div class="ad">${advertisement(random)}</div>`),
  placed(
    'advertisement of any shape amid the text',
    'amid',
    (_, random) => `<div class="ad">${advertisement(random)}</div>`,
  ),
  placed('featured article', 'top', (_, random) => {
    const [one, two, three] = someOf(3, 3, TITLES, random)
    return `<div id="featured"><h3>${one}</h3><p>${two} ${three}${upTo(2, random) ? `</p><p>${oneOf(TITLES, random)}` : ''}</p><p><a href="/f/${TITLES.indexOf(one)}">Read more</a></p></div>`
  }),
  placed(
    'related links in one line',
    'end',
    (_, random) =>
      `<p>See also: ${someOf(6, 6, TITLES.slice(0, 12), random)
        .map((one) => `<a href="/r/${TITLES.indexOf(one)}">${one}</a>`)
        .join(' | ')}</p>`,
  ),
  placed(
    'related links shuffled in a table',
    'end',
    (_, random) =>
      `<table>${[0, 3, 6]
        .map(
          (row) =>
            `<tr>${shuffled(TITLES.slice(0, 9), random)
              .slice(row, row + 3)
              .map((one) => `<td>${one}</td>`)
              .join('')}</tr>`,
        )
        .join('')}</table>`,
  ),
  placed(
    'goods: 4 of 15 with prices',
    'end',
    (_, random) =>
      `<div class="grid">${someOf(4, 4, GOODS, random)
        .map(
          (one) =>
            `<div class="card"><img src="/i/${GOODS.indexOf(one)}.jpg" alt=""><h4>${one}</h4><p>${12 + GOODS.indexOf(one) * 3}.90 &euro;</p></div>`,
        )
        .join('')}</div>`,
  ),
  placed(
    'people are viewing this',
    'amid',
    (_, random) =>
      `<p><img src="eye.png" alt=""> <strong>${2 + upTo(40, random)}</strong> people are viewing this right now</p><p>Only ${1 + upTo(9, random)} left in stock</p>`,
  ),
  placed('views in ten languages', 'end', (look, random) =>
    ['Views', 'Aufrufe', 'vues', 'visitas', 'visite', 'Прочитано', '浏览', '조회수', '閲覧数', 'wyświetleń']
      .map((one, i) => `<span>${one}: ${grouped(900 * (i + 1) + look * 47 + upTo(40, random), 'fr')}</span>`)
      .join(''),
  ),
  placed('poll', 'end', (look, random) => {
    const votes = [31, 22, 18, 9].map((each) => each + look * 4 + upTo(4, random))
    const all = votes.reduce((sum, each) => sum + each)
    return `<fieldset><legend>Poll</legend>${votes.map((each, i) => `<div>${['Daily', 'Weekly', 'Monthly', 'Never'][i]} <b>${((100 * each) / all).toFixed(1)} %</b> (${each})</div>`).join('')}<div>Total votes: ${all}</div></fieldset>`
  }),
  placed(
    'rates of exchange',
    'top',
    (_, random) =>
      `<table><tr><th>Currency</th><th>Rate</th><th>Change</th></tr>${['USD', 'GBP', 'CHF', 'JPY', 'CZK', 'PLN'].map((one, i) => `<tr><td>${one}</td><td>${([1.1, 0.86, 0.95, 162, 24.7, 4.3][i] * (0.98 + random.next() * 0.04)).toFixed(4)}</td><td>${oneOf(['+', '-'], random)}${random.next().toFixed(2)} %</td></tr>`).join('')}</table>`,
  ),
  placed('clock in the banner, German', 'top', (look, random) => {
    const at = time(look, random)
    return `<div>Heute ist ${at.toLocaleDateString('de', { dateStyle: 'full' })}, ${at.toLocaleTimeString('de', { timeStyle: 'short' })} Uhr, Namenstag: ${oneOf(['Anna', 'Georg', 'Katharina', 'Ludwig', 'Vera', 'Emil'], random)}</div>`
  }),
  placed(
    'countdown',
    'top',
    (look, random) =>
      `<div class="sale">Ends in <span>${40 - look * 3}</span> days <span>${upTo(24, random)}</span> hours <span>${upTo(60, random)}</span> minutes</div>`,
  ),
  placed('random picture with its caption', 'amid', (_, random) => {
    const at = upTo(GOODS.length, random)
    return `<figure><img src="/p/${at}.jpg" alt=""><figcaption>${GOODS[at]}, photographed by ${oneOf(USERS, random)}</figcaption></figure>`
  }),
  placed(
    'greeting',
    'top',
    (_, random) =>
      `<p>${oneOf(['Good morning', 'Good afternoon', 'Good evening', 'Welcome back', 'Hello again'], random)}, guest ${upTo(9999, random)}!</p>`,
  ),
]

export const FOUND: readonly Volatile[] = [...wikiFooters, ...oneAge, ...STATUS, ...IN_ATTRIBUTES, ...OTHERS]
