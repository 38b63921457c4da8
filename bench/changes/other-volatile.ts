/**
 * Volatile parts for the fourth set (`--fourth`), in the mark-up and wording of Discourse, XenForo, MyBB, Discuz, Moodle, Drupal,
 * Joomla, WordPress, PrestaShop, Magento, Confluence, Trac, GitLab, GitHub, phpMyFAQ, OJS, news portals and others. Written down
 * before anything was run on them, and not tuned on.
 */
import {
  ageOf,
  base64,
  GOODS,
  grouped,
  iso,
  oneOf,
  placed,
  someOf,
  TITLES,
  USERS,
  upTo,
  uuid,
} from './found-volatile.ts'
import { hex, pick, shuffled, time, type Volatile } from './mutate.ts'

const user = (name: string) => `<a class="username" href="/members/${USERS.indexOf(name)}/">${name}</a>`
const clock = (look: number, random: Parameters<typeof time>[1], language: string) =>
  time(look, random).toLocaleTimeString(language, { timeStyle: 'short', timeZone: 'UTC' })
const listed = (items: readonly string[], tag = 'ul') =>
  `<${tag}>${items.map((one) => `<li>${one}</li>`).join('')}</${tag}>`
const rows = (items: readonly (readonly string[])[]) =>
  items.map((cells) => `<tr>${cells.map((one) => `<td>${one}</td>`).join('')}</tr>`).join('')
const signed = (value: number, digits = 2) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(digits)}`

const COMMUNITY: readonly Volatile[] = [
  placed("Discourse's suggested topics", 'end', (look, random) => {
    const topics = someOf(5, 5, TITLES.slice(0, 14), random)
    const age = (at: number) => oneOf(['3m', '2h', '17h', '1d', '6d', 'Mar 12', 'Nov 2023'].slice(at % 3), random)
    return `<div id="suggested-topics" class="suggested-topics"><h3 class="suggested-topics-title">Suggested Topics</h3><table class="topic-list"><thead><tr><th>Topic</th><th>Replies</th><th>Activity</th></tr></thead><tbody>${rows(topics.map((one, i) => [`<a href="/t/${TITLES.indexOf(one)}">${one}</a>`, `${upTo(40, random) + look}`, `<span class="relative-date">${age(i)}</span>`]))}</tbody></table></div>`
  }),
  placed("XenForo's members online and statistics", 'end', (look, random) => {
    const names = someOf(0, 12, USERS, random)
    const guests = 40 + upTo(300, random)
    return `<div class="block" data-widget-id="6"><h3 class="block-minorHeader"><a href="/online/">Members online</a></h3>${names.length === 0 ? '<div class="block-body"><div class="block-row block-row--minor">No members online now.</div></div>' : `<div class="block-body"><div class="block-row block-row--minor"><ul class="listInline listInline--comma">${names.map((one) => `<li>${user(one)}</li>`).join(', ')}</ul></div></div>`}<div class="block-footer"><span class="block-footer-counter">Total: ${grouped(names.length + guests)} (members: ${names.length}, guests: ${guests})</span></div></div>
<div class="block"><h3>Forum statistics</h3><dl class="pairs"><dt>Threads</dt><dd>${grouped(81_211 + look * 9)}</dd></dl><dl class="pairs"><dt>Messages</dt><dd>${grouped(1_204_118 + look * 211 + upTo(90, random))}</dd></dl><dl class="pairs"><dt>Members</dt><dd>${grouped(30_992 + look * 2)}</dd></dl><dl class="pairs"><dt>Latest member</dt><dd>${user(oneOf(USERS, random))}</dd></dl></div>`
  }),
  placed("MyBB's users browsing, current time", 'end', (look, random) => {
    const names = someOf(0, 2, USERS, random)
    const guests = `${1 + upTo(6, random)} Guest(s)`
    return `<span class="smalltext">Users browsing this thread: ${[...names.map(user), guests].join(', ')}</span><div id="footer"><span id="current_time"><strong>Current time:</strong> ${time(look, random).toLocaleDateString('en-US')}, ${clock(look, random, 'en-US')}</span></div>`
  }),
  placed(
    "Discuz!'s footer",
    'end',
    (look, random) =>
      `<div id="ft"><p>Powered by <strong>Discuz!</strong> <em>X3.4</em></p><p class="xs0">GMT+8, ${iso(look, random).slice(0, 16).replace('T', ' ')}<span id="debuginfo">, Processed in 0.0${10 + upTo(89, random)} second(s), ${5 + upTo(9, random)} queries .</span></p></div>`,
  ),
  placed(
    "FluxBB's debug line",
    'end',
    (_, random) =>
      `<p id="debugtime">[ Generated in 0.${100 + upTo(900, random)} seconds, ${7 + upTo(5, random)} queries executed - Memory usage: ${(500 + random.next() * 300).toFixed(2)} KiB (Peak: ${(700 + random.next() * 90).toFixed(2)} KiB) ]</p>`,
  ),
  placed("Moodle's online users", 'top', (_, random) => {
    const names = someOf(0, 6, USERS, random)
    return `<section class="block_online_users block card"><h5 class="card-title">Online users</h5><div class="info">${names.length === 0 ? 'No online users (last 5 minutes: 1)' : `${names.length} online user${names.length === 1 ? '' : 's'} (last 5 minutes)`}</div>${listed(names.map((one) => `<div class="user"><a href="/user/view.php">${one}</a></div>`))}</section>`
  }),
  placed("Drupal's who's online and who's new", 'end', (look, random) => {
    const names = someOf(0, 3, USERS, random)
    const fresh = Array.from({ length: 5 }, (_, i) => USERS[(40 - look - i) % USERS.length])
    return `<div id="block-user-online" class="block"><h2>Who's online</h2><p>There are currently ${names.length} users online.</p>${names.length > 0 ? `<div class="item-list">${listed(names)}</div>` : ''}</div><div id="block-user-new" class="block"><h2>Who's new</h2><div class="item-list">${listed(fresh)}</div></div>`
  }),
  placed(
    "Joomla's who's online",
    'amid',
    (_, random) =>
      `<div class="moduletable"><h3>Who's Online</h3><p>We have ${10 + upTo(200, random)}&#160;guests and ${oneOf(['no members', 'one member', `${2 + upTo(7, random)}&#160;members`], random)} online</p></div>`,
  ),
]

const PUBLISHING: readonly Volatile[] = [
  placed("WordPress' recent comments", 'end', (look) => {
    // One or two more at each look.
    const from = look * 2 + (look % 2)
    const comments = Array.from({ length: 5 }, (_, i) => 40 + from - i)
    return `<aside id="secondary" class="widget-area"><section id="recent-comments-2" class="widget widget_recent_comments"><h2 class="widget-title">Recent Comments</h2><ul id="recentcomments">${comments.map((nth) => `<li class="recentcomments"><span class="comment-author-link">${USERS[nth % USERS.length]}</span> on <a href="/?p=${nth}#comment-${nth}">${TITLES[(nth * 7) % TITLES.length]}</a></li>`).join('')}</ul></section></aside>`
  }),
  placed('popular posts with views', 'end', (look, random) => {
    const posts = TITLES.slice(0, 7).map((one, i) => ({ one, views: 300 + i * 40 + look * 30 + upTo(160, random) }))
    posts.sort((a, b) => b.views - a.views)
    return `<div class="widget popular-posts"><h2>Popular Posts</h2><ul class="wpp-list">${posts
      .slice(0, 5)
      .map(
        ({ one, views }) =>
          `<li><a class="wpp-post-title" href="/x">${one}</a> <span class="wpp-meta post-stats"><span class="wpp-views">${views} views</span></span></li>`,
      )
      .join('')}</ul></div>`
  }),
  placed('most read articles of a news portal', 'top', (look, random) => {
    const pool = TITLES.slice(look * 2, look * 2 + 9)
    return `<aside class="most-read"><h2>Most read</h2><ol>${someOf(5, 5, pool, random)
      .map((one, i) => `<li><span class="rank">${i + 1}</span><a href="/news/${TITLES.indexOf(one)}">${one}</a></li>`)
      .join('')}</ol></aside>`
  }),
  placed('breaking news, now and then', 'top', (_, random) =>
    upTo(3, random) === 0
      ? '<div class="ticker"></div>'
      : `<div class="ticker"><span class="label">Breaking</span> <a href="/live">${oneOf(TITLES, random)}</a></div>`,
  ),
  placed('live blog: the three latest entries', 'amid', (look, random) => {
    const newest = look * 2 + upTo(2, random)
    return `<div class="liveblog">${[0, 1, 2].map((i) => `<div class="entry"><time>${clock(look, random, 'de')}</time><p>${TITLES[(newest - i + 32) % 32]}</p></div>`).join('')}</div>`
  }),
  placed(
    'tag cloud, shuffled and sized',
    'end',
    (_, random) =>
      `<div class="tagcloud">${someOf(9, 14, GOODS, random)
        .map((one) => `<a href="/tag/x" style="font-size: ${8 + upTo(14, random)}pt">${one}</a>`)
        .join('\n')}</div>`,
  ),
  placed('testimonial', 'amid', (_, random) => {
    const [one, other] = someOf(2, 2, TITLES, random)
    return `<div class="testimonial"><blockquote><p>${one}</p>${upTo(2, random) === 0 ? `<p>${other}</p>` : ''}</blockquote><cite>${oneOf(USERS, random)}, ${oneOf(['Lyon', 'Porto', 'Graz', 'Turku', 'Leeds'], random)}</cite></div>`
  }),
  placed(
    'on this day',
    'top',
    (look, random) => {
      const day = time(look * 20, random).toLocaleDateString('en-GB', {
        month: 'long',
        day: 'numeric',
        timeZone: 'UTC',
      })
      return `<div id="mp-otd"><h2>On this day</h2><p><b>${day}</b></p><ul>${someOf(3, 5, TITLES, random)
        .map((one) => `<li><b>${1500 + upTo(500, random)}</b> &#8211; ${one}</li>`)
        .join('')}</ul></div>`
    },
    true,
  ),
  placed(
    'word of the day',
    'top',
    (_, random) => {
      const [word] = someOf(1, 1, GOODS, random)
      return `<div class="wotd"><h4>Word of the day</h4><p class="word">${word}</p><p>${oneOf(['noun', 'verb', 'adjective'], random)}</p><p>${oneOf(TITLES, random)}</p></div>`
    },
    true,
  ),
  placed("OJS' visitors and most read", 'end', (look, random) => {
    const read = TITLES.slice(0, 5).map((one, i) => ({ one, count: 90 - i * 9 + upTo(25, random) + look }))
    read.sort((a, b) => b.count - a.count)
    return `<div class="pkp_block block_most_read"><span class="title">Most read last week</span><ul class="most_read">${read.map(({ one, count }) => `<li class="most_read_article"><div class="most_read_article_title"><a href="/a">${one}</a></div><div class="most_read_article_journal"><span class="fa fa-eye"></span> ${count}</div></li>`).join('')}</ul></div><p>Abstract views: ${grouped(1200 + look * 31 + upTo(20, random))} | PDF downloads: ${700 + look * 11 + upTo(9, random)}</p>`
  }),
  placed(
    "phpMyFAQ's rating and users online",
    'end',
    (look, random) =>
      `<div id="voting"><strong>Average rating:</strong> ${(2 + random.next() * 3).toFixed(2)} (${12 + look * 2 + upTo(2, random)} Votes)</div><div class="footer"><span>${20 + upTo(60, random)} users online</span> :: <span>${10 + upTo(40, random)} guests</span> and ${upTo(4, random)} registered | powered by phpMyFAQ 3.1.12</div>`,
  ),
]

const WORK: readonly Volatile[] = [
  placed("Confluence's recent updates", 'end', (look, random) => {
    const pages = Array.from({ length: 4 }, (_, i) => TITLES[(30 - look * 2 - i + upTo(2, random) + 32) % 32])
    const when = ['just a moment ago', 'about an hour ago', 'yesterday at 3:45 PM', 'Mar 02, 2024', '5 hours ago']
    return `<div class="recently-updated"><h2>Recent space activity</h2>${pages.map((one, i) => `<div class="update-item"><a class="confluence-userlink">${USERS[(i * 5 + look) % USERS.length]}</a><a href="/x">${one}</a><div class="update-item-details">updated ${when[(i + upTo(2, random)) % 5]}</div></div>`).join('')}</div>`
  }),
  placed(
    "Trac's ticket: opened and modified ago",
    'top',
    (look, random) =>
      `<div class="date"><p>Opened <a class="timeline" href="/t">${ageOf(100 + look * 20, 'en')}</a></p>${look === 0 ? '' : `<p>Last modified <a class="timeline" href="/t">${ageOf([0, 0.2, 9, 45, 70][look % 5] + random.next() / 9, 'en')}</a></p>`}</div>`,
  ),
  placed(
    "GitLab's last commit",
    'top',
    (_, random) =>
      `<div class="project-last-commit"><div class="info-well"><a class="commit-row-message" href="/c">${oneOf(TITLES, random)}</a><div class="committer"><a class="commit-author-link">${oneOf(USERS, random)}</a> authored <time class="js-timeago">${ageOf(0.02 + random.next() * 30, 'en')}</time></div><div class="label-monospace">${hex(random, 8)}</div></div></div>`,
  ),
  placed(
    "GitHub's repository counts",
    'end',
    (look, random) =>
      `<div class="BorderGrid"><h2>About</h2><div class="mt-2"><a href="/s"><strong>${(11.2 + look * 0.1).toFixed(1)}k</strong> stars</a></div><div class="mt-2"><a href="/w"><strong>${213 + upTo(5, random)}</strong> watching</a></div><div class="mt-2"><a href="/f"><strong>${940 + look * 3 + upTo(3, random)}</strong> forks</a></div><h2><a href="/c">Contributors <span class="Counter">${301 + look}</span></a></h2></div>`,
  ),
  placed(
    "Redmine's updated by",
    'top',
    (look, random) =>
      `<p class="author">Added by <a class="user">${USERS[3]}</a> <a title="x">${ageOf(200 + look * 30, 'en').replace(' ago', '')}</a> ago. Updated <a title="x">${oneOf(['less than a minute', '2 minutes', 'about 3 hours', '1 day', '11 days', 'about 1 month'], random)}</a> ago.</p>`,
  ),
  placed(
    "npm's weekly downloads",
    'end',
    (look, random) =>
      `<div><h3>Weekly Downloads</h3><p>${grouped(1_200_000 + upTo(300_000, random))}</p><h3>Last publish</h3><p>${ageOf([0.4, 1, 3, 5, 9][look], 'en')}</p></div>`,
  ),
]

const SHOPS: readonly Volatile[] = [
  placed("PrestaShop's products of the category", 'end', (_, random) => {
    const shown = someOf(4, 4, GOODS, random)
    return `<section class="featured-products"><h2>16 other products in the same category:</h2><div class="products">${shown.map((one) => `<article class="product-miniature"><h3 class="product-title"><a href="/p">${one}</a></h3><div class="product-price-and-shipping">${upTo(3, random) === 0 ? `<span class="regular-price">${20 + upTo(80, random)}.90 &euro;</span> <span class="discount-percentage">-20%</span> ` : ''}<span class="price">${10 + GOODS.indexOf(one)}.90 &euro;</span></div>${upTo(4, random) === 0 ? '<ul class="product-flags"><li>Last items in stock</li></ul>' : ''}</article>`).join('')}</div></section>`
  }),
  placed("Magento's related products", 'end', (_, random) => {
    const shown = someOf(3, 4, GOODS, random)
    return `<div class="block related"><div class="block-title title"><strong>Related Products</strong></div><ol class="products list items">${shown.map((one) => `<li class="item product"><strong class="product name"><a href="/p">${one}</a></strong><div class="product-reviews-summary"><span>${3 + (GOODS.indexOf(one) % 3)} of 5 stars</span></div><div class="price-box"><span class="price">$${30 + GOODS.indexOf(one)}.00</span></div><div class="actions">Add to Cart</div></li>`).join('')}</ol></div>`
  }),
  placed(
    'stock and delivery',
    'amid',
    (look, random) =>
      `<div class="availability"><p>${oneOf(['In stock', 'Only 2 left', 'Only 1 left', 'Usually ships in 3 days'], random)}</p><p>Get it by ${time(look, random).toLocaleDateString('en-US', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' })}</p><p>${1000 + look * 31 + upTo(30, random)} ratings</p></div>`,
  ),
  placed('donations', 'top', (look, random) => {
    const sum = 12_000 + look * 700 + upTo(500, random)
    return `<div class="campaign"><strong>$${grouped(sum)}</strong> raised of $50,000 <p>${Math.round(sum / 500)}% funded</p><p>${30 - look * 3} days left</p><p>Latest: ${oneOf([...USERS, 'Anonymous'], random)} gave $${5 * (1 + upTo(20, random))}</p></div>`
  }),
  placed('cookie banner of a test, three wordings', 'top', (_, random) =>
    oneOf(
      [
        '<div id="cookie"><p>We use cookies to improve your experience.</p><button>OK</button></div>',
        '<div id="cookie"><h4>Your privacy matters</h4><p>We and our 842 partners store information on your device.</p><p>Read more in our policy.</p><button>Accept all</button> <button>Reject</button></div>',
        '<div id="cookie"><p>This site needs your consent.</p><p>You may change it later.</p></div>',
      ],
      random,
    ),
  ),
  placed('newsletter box, at some looks', 'end', (_, random) =>
    upTo(2, random) === 0
      ? `<div id="nl" data-id="${hex(random, 8)}"></div>`
      : `<div id="nl" data-id="${hex(random, 8)}"><h4>Stay in touch</h4><p>${oneOf(['Join 20,000 readers.', 'No spam, ever.', 'One mail a week.'], random)}</p></div>`,
  ),
  placed('sponsored links: none to two of three lines', 'amid', (_, random) => {
    const links = someOf(0, 2, GOODS, random)
    return `<div class="sponsored" data-r="${hex(random, 8)}">${links.map((one) => `<div><h4><a href="/go?${hex(random, 12)}">${one} sale</a></h4><p>${oneOf(TITLES, random)}</p><cite>www.${one.replace(' ', '-')}.example</cite></div>`).join('')}</div>`
  }),
  placed('AdSense with a text of its own', 'end', (_, random) => {
    const [one] = someOf(1, 1, GOODS, random)
    return `<ins class="adsbygoogle" data-ad-slot="${upTo(9999, random)}"><span>Ad</span><div><a href="/aclk?${base64(random, 20)}">${one}: ${oneOf(['compare prices', 'order today', 'free delivery'], random)}</a></div>${upTo(2, random) === 0 ? `<div>${oneOf(TITLES, random)}</div>` : ''}</ins>`
  }),
]

const SKIES = 'Sunny, Cloudy, Light rain, Thunderstorm, Fog, Snow, Partly cloudy'.split(', ')
const TEAMS = 'Rovers, Albion, Wanderers, Rangers, Athletic, Thistle, County, Orient'.split(', ')

const LIVE: readonly Volatile[] = [
  placed('weather of three days', 'top', (look, random) => {
    const days = [0, 1, 2].map((day) =>
      time(look + day * 0.8, random).toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' }),
    )
    return `<div class="weather"><table>${rows(days.map((day) => [day, oneOf(SKIES, random), `${5 + upTo(20, random)}&deg; / ${upTo(5, random)}&deg;`]))}</table></div>`
  }),
  placed(
    'stock ticker',
    'top',
    (_, random) =>
      `<ul class="quotes">${['DAX', 'MDAX', 'Dow Jones', 'EUR/USD', 'Gold', 'Brent'].map((one, i) => `<li><span>${one}</span> <b>${grouped(Math.round([18_000, 26_000, 39_000, 1, 2300, 83][i] * (98 + random.next() * 4)) / 100)}</b> <i>${signed(random.next() * 4 - 2)} %</i></li>`).join('')}</ul>`,
  ),
  placed('live scores', 'end', (look, random) => {
    const games = [0, 1, 2, 3].map((i) => {
      const state = oneOf(['FT', 'HT', `${1 + upTo(90, random)}'`, `${17 + (i % 3)}:30`], random)
      return [state, TEAMS[i * 2], `${upTo(4, random)} - ${upTo(4, random)}`, TEAMS[i * 2 + 1]]
    })
    return `<table class="scores" data-round="${look}">${rows(games)}</table>`
  }),
  placed('departures: a board that moves on', 'amid', (look, random) => {
    const from = look * 3 + upTo(2, random)
    const board = Array.from({ length: 6 }, (_, i) => from + i)
    return `<table class="departures"><tr><th>Time</th><th>To</th><th>Status</th></tr>${rows(board.map((nth) => [`${10 + (nth >> 2)}:${10 + (nth % 4) * 13}`, ['Porto', 'Graz', 'Lyon', 'Turku', 'Leeds'][nth % 5], oneOf(['On time', 'Delayed', 'Boarding'], random)]))}</table>`
  }),
  placed(
    'now playing',
    'top',
    (_, random) =>
      `<div class="onair"><h4>On air</h4><p class="artist">${oneOf(USERS, random)}</p><p class="title">${oneOf(TITLES, random)}</p></div>`,
  ),
  placed(
    'open or closed',
    'top',
    (_, random) =>
      `<div class="hours"><b>${oneOf(['Open', 'Closed', 'Closes soon'], random)}</b> &middot; ${oneOf(['Closes 6 PM', 'Opens 9 AM', 'Opens 9 AM Mon', 'Closes 12:30 PM', 'Opens in 25 minutes'], random)}</div>`,
  ),
  placed(
    'water levels',
    'end',
    (_, random) =>
      `<table class="levels">${rows(['Basel', 'Mainz', 'Koblenz', 'Emmerich'].map((one) => [one, `${150 + upTo(300, random)} cm`, oneOf(['rising', 'falling', 'steady'], random)]))}</table>`,
  ),
  placed(
    'the next five events',
    'end',
    (look, random) => {
      const from = look + upTo(2, random)
      return `<div class="tribe-events"><h3>Upcoming events</h3>${[0, 1, 2, 3, 4].map((i) => `<div class="event"><div class="date">${['Jan', 'Feb', 'Mar', 'Apr', 'May'][(from + i) % 5]} ${1 + (((from + i) * 5) % 28)}</div><h4>${TITLES[from + i]}</h4></div>`).join('')}<a href="/events">All events</a></div>`
    },
    true,
  ),
  placed(
    'prices of coins',
    'top',
    (_, random) =>
      `<div class="coins">${['BTC', 'ETH', 'XRP', 'SOL'].map((one, i) => `<div class="coin">${one} $${grouped(Math.round([64_000, 3400, 0.6, 150][i] * (95 + random.next() * 10)) / 100)} ${oneOf(['&#9650;', '&#9660;'], random)} ${(random.next() * 5).toFixed(1)}%</div>`).join('')}</div>`,
  ),
  placed('three latest messages of a feed', 'end', (look, random) => {
    const newest = look + upTo(3, random)
    return `<div class="timeline"><h3>Latest messages</h3>${[0, 1, 2].map((i) => `<div class="post"><p class="text">${TITLES[(20 + newest - i) % 32]}</p><span class="when">${oneOf(['now', '4m', '2h', '9h', '1d', 'Apr 3'], random)}</span> <span>${upTo(90, random)} likes</span></div>`).join('')}</div>`
  }),
]

const LANGUAGES = ['el', 'fi', 'hu', 'cs', 'nl', 'sv', 'ar', 'he', 'hi', 'th', 'fa', 'vi', 'uk']

const TECHNICAL: readonly Volatile[] = [
  ...LANGUAGES.map((language, i) =>
    placed(
      `clock in the banner, ${language}`,
      i % 2 === 0 ? 'top' : 'end',
      (look, random) =>
        `<div class="date">${time(look * 4, random).toLocaleString(language, { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' })}</div>`,
    ),
  ),
  placed(
    'tokens of Laravel, Django and Symfony',
    'top',
    (_, random) =>
      `<form method="post" action="/s"><input type="hidden" name="_token" value="${base64(random, 40)}"><input type="hidden" name="csrfmiddlewaretoken" value="${base64(random, 64)}"><button data-turbo="${uuid(random)}">Search</button></form>`,
  ),
  placed(
    "comments of a cache, and Varnish's line",
    'end',
    (look, random) =>
      `<!-- Performance optimized by W3 Total Cache. Served from: x @ ${iso(look, random).replace('T', ' ')} by W3 Total Cache --><p>XID: ${upTo(1e9, random)} Varnish cache server</p>`,
  ),
  placed(
    'question against robots',
    'end',
    (_, random) =>
      `<form><label>${oneOf([`What is ${1 + upTo(9, random)} + ${1 + upTo(9, random)}?`, `Which is larger, ${upTo(9, random)} or ${10 + upTo(9, random)}?`, 'Type the colour of snow'], random)}</label><img src="/captcha.php?${hex(random, 16)}" alt="captcha"><input name="a"></form>`,
  ),
  placed(
    'server, cache and time of an answer',
    'end',
    (_, random) =>
      `<div class="debug">Served by ${pick(['web01', 'web02', 'web03', 'web07'], random)} (${oneOf(['HIT', 'MISS', 'EXPIRED'], random)}) in ${1 + upTo(400, random)} ms</div>`,
  ),
  placed(
    'shuffled logos of partners',
    'end',
    (_, random) =>
      `<div class="partners">${shuffled(GOODS.slice(0, 7), random)
        .map((one) => `<div><img src="/l/${GOODS.indexOf(one)}.png" alt=""><span>${one}</span></div>`)
        .join('')}</div>`,
  ),
]

export const OTHER: readonly Volatile[] = [...COMMUNITY, ...PUBLISHING, ...WORK, ...SHOPS, ...LIVE, ...TECHNICAL]
