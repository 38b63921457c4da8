/**
 * Volatile parts for the fifth set (`--fifth`), in the mark-up and wording of NamelessMC, Invision Community, NodeBB, Kunena,
 * SilverStripe, Tiki, JSPWiki, DokuWiki, PHP-Nuke, osCommerce, Zen Cart, OpenCart, WooCommerce, Shopware, Piwigo, Coppermine,
 * DSpace, EPrints, Gitea, HyperKitty, Weblate, OpenCms, Plone, Blogger and others. Written down before anything was run on them,
 * and not tuned on. What a site's database has as its latest is the same on all its pages; what is drawn for each request is not.
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
import { hex, time, type Volatile } from './mutate.ts'

const ON_SITE = true
type Random = Parameters<typeof time>[1]

const listed = (items: readonly string[]) => `<ul>${items.map((one) => `<li>${one}</li>`).join('')}</ul>`
/** The latest ones, the newest first; one to three more at each look. */
const latest = <T>(count: number, list: readonly T[], look: number, random: Random): T[] => {
  const newest = 2 * look + upTo(2, random)
  return Array.from({ length: count }, (_, i) => list[(newest - i + 4 * list.length) % list.length])
}
const day = (look: number, back: number, random: Random, language = 'en-GB') =>
  time(look * 3 - back, random).toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' })
const price = (good: string) => `${12 + 7 * GOODS.indexOf(good)}.50`

const COMMUNITY: readonly Volatile[] = [
  placed("NamelessMC's online users", 'end', (_, random) => {
    const names = someOf(0, 7, USERS, random)
    const users = names.map((one) => `<a class="ui image label" href="/profile/${one}">${one}</a>`).join('')
    return `<div class="ui fluid card" id="widget-online-users"><div class="content"><h4 class="ui header">Online Users</h4><div class="description">${names.length === 0 ? 'There are no users online.' : users}</div></div><div class="extra content">Total online: ${names.length + upTo(30, random)}</div></div>`
  }),
  placed("Invision Community's recently browsing", 'end', (_, random) => {
    const names = someOf(0, 3, USERS, random)
    const members = names.map((one) => `<li>${one}</li>`).join('')
    return `<div class="ipsWidget ipsBox" data-blocktitle="Recently Browsing"><h3 class="ipsWidget_title">Recently Browsing <span class="ipsType_light">${names.length} member${names.length === 1 ? '' : 's'}</span></h3><div class="ipsWidget_inner">${names.length === 0 ? '<ul class="ipsList_inline"><li class="ipsType_reset">No registered users viewing this page.</li></ul>' : `<ul class="ipsList_csv">${members}</ul>`}</div></div>`
  }),
  placed(
    "Invision Community's topics",
    'end',
    (look, random) =>
      `<div class="ipsWidget ipsBox" data-blocktitle="Topics"><h3 class="ipsWidget_title">Topics</h3><ul class="ipsDataList">${latest(
        5,
        TITLES,
        look,
        random,
      )
        .map(
          (one, i) =>
            `<li class="ipsDataItem"><div class="ipsDataItem_main"><a href="/topic/">${one}</a><p class="ipsType_medium">By <a>${oneOf(USERS, random)}</a><br><a href="/topic/?do=getLastComment">Started <time>${ageOf(0.01 + i * 0.3 + random.next() / 5, 'en')}</time></a></p></div><div class="ipsDataItem_stats"><span>${upTo(40, random)}</span></div></li>`,
        )
        .join('')}</ul></div>`,
    ON_SITE,
  ),
  placed(
    "NodeBB's recent cards",
    'top',
    (look, random) =>
      `<div class="recent-cards-plugin"><p>Recent Topics</p><ul class="row recent-cards">${latest(
        4,
        TITLES,
        look,
        random,
      )
        .map(
          (one, i) =>
            `<li class="col-md-3 category-item"><a href="/topic/"><div class="recent-card"><div class="topic-info"><span class="h4">${one}</span><br><span class="description"><strong>${['General', 'Help', 'News'][one.length % 3]}</strong> <span class="timeago">${ageOf(0.02 + i * 0.4, 'en')}</span></span></div><div class="post-count"><span>${1 + upTo(50, random)}</span></div></div></a></li>`,
        )
        .join('')}</ul></div>`,
    ON_SITE,
  ),
  placed("Kunena's statistics", 'end', (look, random) => {
    const names = someOf(0, 4, USERS, random)
    return `<div class="kfrontend"><h2><a href="/stats">Who Is Online</a></h2><div class="shadow-lg rounded"><div id="online-list"><div>There ${names.length === 1 ? 'is' : 'are'} in total <strong>${names.length}</strong> Users and <strong>${3 + upTo(80, random)}</strong> Guests Online</div><div>${names.map((one) => `<span><a>${one}</a></span>`).join(', ')}</div></div></div><h2>Statistics</h2><ul><li>Total Messages: <strong>${grouped(40_110 + look * 31 + upTo(9, random))}</strong></li><li>Today Open: <strong>${upTo(9, random)}</strong></li><li>Latest Member: <strong>${USERS[(look * 5) % USERS.length]}</strong></li></ul></div>`
  }),
  placed("SilverStripe's forum footer", 'end', (look, random) => {
    const names = someOf(0, 5, USERS, random)
    return `<div class="forum-footer"><p><strong>Currently Online:</strong> ${names.length === 0 ? '<span>There is nobody online.</span>' : names.map((one) => `<a href="/u">${one}</a>`).join(', ')}</p><p><strong>Welcome to our latest member:</strong> <a>${USERS[(look * 3 + 1) % USERS.length]}</a></p></div>`
  }),
]

const WIKIS: readonly Volatile[] = [
  placed(
    "Tiki's last changes",
    'end',
    (look, random) =>
      `<div class="box box-last_modif_pages" id="module_7"><h3 class="box-title">Last Changes</h3><div class="box-data"><ol>${latest(
        6,
        TITLES,
        look,
        random,
      )
        .map((one) => `<li><a class="linkmodule" href="/x">${one}</a></li>`)
        .join('')}</ol></div></div>`,
    ON_SITE,
  ),
  placed(
    "JSPWiki's recent changes",
    'end',
    (look, random) =>
      `<div class="leftmenufooter"><table class="recentchanges"><tr><td colspan="2"><b>${day(look, 0, random)}</b></td></tr>${latest(
        5,
        TITLES,
        look,
        random,
      )
        .map(
          (one, i) =>
            `<tr><td><a class="wikipage" href="/w">${one}</a></td><td>${23 - i * 2}:${10 + upTo(49, random)}</td><td>${oneOf(USERS, random)}</td></tr>`,
        )
        .join('')}</table></div>`,
    ON_SITE,
  ),
  placed(
    "DokuWiki's plugin of changes",
    'amid',
    (look, random) =>
      `<ul class="plugin_changes">${latest(5, TITLES, look, random)
        .map(
          (one, i) =>
            `<li class="level1"><div class="li"><a class="wikilink1" href="/w">${one}</a> ${iso(look - i / 4, random).slice(0, 10)}</div></li>`,
        )
        .join('')}</ul>`,
    ON_SITE,
  ),
  placed(
    "a pastebin's recent pastes",
    'end',
    (look, random) =>
      `<h2>Recent</h2><ul id="postList" class="recentPosts">${latest(8, USERS, look, random)
        .map(
          (one, i) =>
            `<li class="postItem"><a href="/p">${one}</a><br>${ageOf(0.002 + i * 0.01 + random.next() / 300, 'en')}</li>`,
        )
        .join('')}</ul>`,
    ON_SITE,
  ),
]

/** Tables without a name, as portals of the year 2000 have them. */
const nukeBlock = (title: string, content: string) =>
  `<table width="150" border="0" cellpadding="1"><tr><td bgcolor="#cccccc"><table width="100%"><tr><td><font class="option"><b>${title}</b></font></td></tr></table><table width="100%"><tr><td>${content}</td></tr></table></td></tr></table><br>`

const PORTALS: readonly Volatile[] = [
  placed("PHP-Nuke's who's online and today's big story", 'top', (look, random) => {
    const story = TITLES[(look * 3) % TITLES.length]
    return `${nukeBlock("Who's Online", `There are currently, ${1 + upTo(60, random)} guest(s) and ${upTo(5, random)} member(s) that are online.<br><br>You are Anonymous user.`)}${nukeBlock("Today's Big Story", `Today's most read Story is:<br><br><a href="modules.php">${story}</a>`)}`
  }),
  placed(
    "PHP-Nuke's old articles",
    'top',
    (look, random) =>
      nukeBlock(
        'Past Articles',
        `<b>${day(look, 1, random, 'en-US')}</b><br>${latest(6, TITLES, look, random)
          .map((one) => `<li><a href="modules.php">${one}</a> (${one.length % 9})<br></li>`)
          .join('')}`,
      ),
    ON_SITE,
  ),
  placed(
    "Geeklog's what's new",
    'top',
    (look, random) =>
      `<div class="block-right"><h3>What's New</h3><h4>Stories</h4><p>${oneOf(['No new stories', '1 new Story in the last 24 hours', `${2 + upTo(4, random)} new Stories in the last 24 hours`], random)}</p><h4>Comments <small>last 2 days</small></h4>${listed(latest(1 + upTo(4, random), TITLES, look, random))}<h4>Links</h4><p>No recent new links</p></div>`,
    ON_SITE,
  ),
  placed(
    "OpenCms' list of news",
    'end',
    (look, random) =>
      `<div class="sidelist"><p class="sidelisthead">News</p>${latest(3, TITLES, look, random)
        .map(
          (one, i) =>
            `<p class="sidelistitem"><a class="sidelistitemhead" href="/n">${one}</a><br>${day(look, i, random)} - ${TITLES[(TITLES.indexOf(one) + 5) % TITLES.length]}</p>`,
        )
        .join('')}</div>`,
    ON_SITE,
  ),
  placed(
    "SilverStripe's latest news",
    'end',
    (look, random) =>
      `<aside class="page-sidebar"><h3 class="page-sidebar-header">Latest news</h3>${latest(3, TITLES, look, random)
        .map(
          (one) =>
            `<article class="news-item"><h4 class="news-item__heading"><a href="/n">${one}</a></h4><p class="meta-info"><time>${10 + (TITLES.indexOf(one) % 18)} Mar 24</time></p><p class="summary">${TITLES[(TITLES.indexOf(one) + 9) % TITLES.length]}</p></article>`,
        )
        .join('')}</aside>`,
    ON_SITE,
  ),
  placed(
    "Plone's portlets of events and of recent changes",
    'end',
    (look, random) =>
      `<div class="portletWrapper" data-portlethash="${hex(random, 32)}"><section class="portlet portletEvents"><header class="portletHeader">Upcoming Events</header><section class="portletContent"><ul>${latest(
        3,
        TITLES,
        look,
        random,
      )
        .map(
          (one) =>
            `<li class="portletItem"><a class="tile">${one}</a><time class="portletItemDetails">${1 + (TITLES.indexOf(one) % 28)} May</time></li>`,
        )
        .join(
          '',
        )}</ul></section></section></div><div class="portletWrapper"><section class="portlet portletRecent"><header class="portletHeader">Recent Changes</header><section class="portletContent"><ul>${latest(
        5,
        [...TITLES].reverse(),
        look,
        random,
      )
        .map(
          (one) =>
            `<li class="portletItem"><a class="tile">${one}</a><time class="portletItemDetails">Mar ${1 + (TITLES.indexOf(one) % 28)}, 2024</time></li>`,
        )
        .join('')}</ul></section></section></div>`,
    ON_SITE,
  ),
  placed("Blogger's popular posts and page views", 'end', (look, random) => {
    const posts = someOf(3, 3, TITLES.slice(look, look + 6), random)
    return `<div class="widget PopularPosts" data-version="1"><h2>Popular Posts</h2><div class="widget-content popular-posts"><ul>${posts.map((one) => `<li><div class="item-title"><a href="/b">${one}</a></div><div class="item-snippet">${TITLES[(TITLES.indexOf(one) + 11) % 32]} ...</div></li>`).join('')}</ul></div></div><div class="widget Stats"><h2>Total Pageviews</h2><div class="widget-content"><span class="counter-wrapper">${grouped(120_333 + look * 97 + upTo(40, random))}</span></div></div>`
  }),
]

const osBox = (title: string, content: string) =>
  `<table border="0" width="100%"><tr><td class="infoBoxHeading">${title}</td></tr></table><table class="infoBox" width="100%"><tr><td><table class="infoBoxContents"><tr><td class="boxText">${content}</td></tr></table></td></tr></table>`

const SHOPS: readonly Volatile[] = [
  placed("osCommerce's boxes: what's new, specials, a review", 'top', (_, random) => {
    const [fresh, special, reviewed] = someOf(3, 3, GOODS, random)
    return `${osBox("What's New?", `<a href="/p">${fresh}</a><br>$${price(fresh)}`)}${osBox('Specials', `<a href="/p">${special}</a><br><s>$${price(special)}</s><br><span class="productSpecialPrice">$${10 + GOODS.indexOf(special)}.99</span>`)}${upTo(3, random) === 0 ? osBox('Reviews', 'There are currently no product reviews') : osBox('Reviews', `<a href="/r">${TITLES[GOODS.indexOf(reviewed)]} ..</a><br>${1 + (GOODS.indexOf(reviewed) % 5)} of 5 Stars!`)}`
  }),
  placed(
    "Zen Cart's new products for a month",
    'end',
    (_, random) =>
      `<div class="centerBoxWrapper" id="whatsNew"><h2 class="centerBoxHeading">New Products For March</h2>${someOf(
        6,
        9,
        GOODS,
        random,
      )
        .map(
          (one) =>
            `<div class="centerBoxContentsNew centeredContent back"><a href="/p">${one}</a><br>$${price(one)}</div>`,
        )
        .join('')}</div>`,
  ),
  placed(
    "OpenCart's latest, a random sort",
    'end',
    (_, random) =>
      `<h3>Latest</h3><div class="row">${someOf(4, 4, GOODS, random)
        .map(
          (one) =>
            `<div class="product-layout col-lg-3"><div class="product-thumb transition"><div class="caption"><h4><a href="/p">${one}</a></h4><p>${TITLES[GOODS.indexOf(one)]}..</p>${GOODS.indexOf(one) % 3 === 0 ? `<p class="price"><span class="price-new">$${price(one)}</span> <span class="price-old">$122.00</span><span class="price-tax">Ex Tax: $${9 + GOODS.indexOf(one)}.00</span></p>` : `<p class="price">$${price(one)}<span class="price-tax">Ex Tax: $${9 + GOODS.indexOf(one)}.00</span></p>`}</div><div class="button-group"><button>Add to Cart</button></div></div></div>`,
        )
        .join('')}</div>`,
  ),
  placed(
    "WooCommerce's products on sale",
    'end',
    (_, random) =>
      `<div class="widget woocommerce widget_products"><span class="gamma widget-title">Products</span><ul class="product_list_widget">${someOf(
        3,
        5,
        GOODS,
        random,
      )
        .map(
          (one) =>
            `<li><a href="/p"><span class="product-title">${one}</span></a>${GOODS.indexOf(one) % 2 === 0 ? `<div class="star-rating"><span>Rated <strong class="rating">${3 + (GOODS.indexOf(one) % 3)}.00</strong> out of 5</span></div>` : ''}<span class="woocommerce-Price-amount">&pound;${price(one)}</span></li>`,
        )
        .join('')}</ul></div>`,
  ),
  placed(
    "Shopware's customers also viewed",
    'end',
    (_, random) =>
      `<div class="cms-element-product-slider"><div class="cms-element-title">Customers also viewed</div>${someOf(
        4,
        8,
        GOODS,
        random,
      )
        .map(
          (one) =>
            `<div class="product-slider-item"><div class="card product-box"><div class="product-info"><a class="product-name">${one}</a><div class="product-variant-characteristics"></div><div class="product-description">${TITLES[GOODS.indexOf(one) + 3]}</div><div class="product-price-info"><p class="product-price-unit">Content: ${1 + (GOODS.indexOf(one) % 4)} pcs</p><p class="product-price">&euro;${price(one)}*</p></div><div class="product-action"><button class="btn btn-buy">Add to shopping cart</button></div></div></div></div>`,
        )
        .join('')}</div>`,
  ),
]

const GALLERIES: readonly Volatile[] = [
  placed(
    "Piwigo's random picture and users online",
    'end',
    (_, random) =>
      `<dl id="mbRandomPict"><dt>Random photo</dt><dd><a href="/picture"><img src="/i/${upTo(999, random)}.jpg" alt="${oneOf(GOODS, random)}"></a></dd></dl><dl id="mbOnline"><dt>${1 + upTo(12, random)} users online</dt><dd>${grouped(20_000 + upTo(900, random))} pages seen</dd></dl>`,
  ),
  placed(
    "Coppermine's last additions",
    'end',
    (look, random) =>
      `<table class="maintable" width="100%"><tr><td colspan="4" class="tableh1">Last additions</td></tr><tr>${latest(
        4,
        GOODS,
        look,
        random,
      )
        .map(
          (one) =>
            `<td class="thumbnails"><table><tr><td><span class="thumb_title">${one}</span><span class="thumb_caption">${upTo(50, random)} views</span><span class="thumb_caption">${day(look, 0, random)}</span></td></tr></table></td>`,
        )
        .join(
          '',
        )}</tr><tr><td colspan="4" class="tableh1">${1200 + look * 4} files on ${1 + upTo(90, random)} page(s)</td></tr></table>`,
    ON_SITE,
  ),
  placed(
    "DSpace's recent submissions",
    'end',
    (look, random) =>
      `<div class="panel panel-primary"><div class="panel-heading"><h3 class="panel-title">Recent submissions</h3></div>${latest(
        5,
        TITLES,
        look,
        random,
      )
        .map(
          (one) =>
            `<div class="list-group-item"><h4><a href="/handle">${one}</a></h4><p>${USERS[TITLES.indexOf(one)]} (2024)</p></div>`,
        )
        .join('')}</div>`,
    ON_SITE,
  ),
  placed(
    "EPrints' latest additions",
    'top',
    (look, random) =>
      `<div class="ep_latest"><div class="ep_latest_list">${latest(4, TITLES, look, random)
        .map(
          (one) =>
            `<div class="ep_latest_result"><span class="person_name">${USERS[TITLES.indexOf(one)]}</span> (2024) <a href="/id"><em>${one}</em></a> [Article]</div>`,
        )
        .join('')}</div></div>`,
    ON_SITE,
  ),
]

const WORK: readonly Volatile[] = [
  placed(
    "Gitea's version and times of a page",
    'end',
    (_, random) =>
      `<footer class="page-footer"><div class="left-links">Powered by Gitea Version: 1.21.${upTo(9, random)} Page: <strong>${1 + upTo(90, random)}ms</strong> Template: <strong>${1 + upTo(9, random)}ms</strong></div></footer>`,
  ),
  placed(
    "Gitea's repositories by update, with custom elements",
    'end',
    (look, random) =>
      `<div class="flex-list">${latest(4, GOODS, look, random)
        .map(
          (one, i) =>
            `<div class="flex-item"><div class="flex-item-title"><a>${one.replace(' ', '/')}</a></div><div class="flex-item-body">Updated <relative-time>${ageOf(0.01 + i * 0.2 + random.next() / 9, 'en')}</relative-time></div></div>`,
        )
        .join('')}</div>`,
    ON_SITE,
  ),
  placed(
    "HyperKitty's recently active discussions",
    'end',
    (look, random) =>
      `<section id="recently-active"><h2>Recently active discussions</h2>${latest(5, TITLES, look, random)
        .map(
          (one) =>
            `<div class="thread"><span class="thread-title"><a href="/t">${one}</a></span><div class="thread-info"><span class="thread-date">${ageOf(0.1 + random.next() * 3, 'en').replace(' ago', '')}</span><ul><li>${1 + upTo(9, random)} participants</li><li>${1 + upTo(30, random)} comments</li></ul></div></div>`,
        )
        .join('')}</section>`,
    ON_SITE,
  ),
  placed("Weblate's activity and numbers", 'end', (look, random) => {
    const changes = latest(3, USERS, look, random)
    return `<div class="panel panel-default"><div class="panel-heading"><h4 class="panel-title">Recent changes</h4></div><div class="list-group">${changes.map((one, i) => `<div class="list-group-item"><strong>${one}</strong><p>${oneOf(['Translation changed', 'Translation approved', 'Comment added', 'New string added'], random)}</p><small>${ageOf(0.01 + i * 0.2, 'en')}</small></div>`).join('')}</div></div><table class="table"><tr><td>Strings</td><td>${grouped(11_402 + look * 3)}</td><td>Translated</td><td>${(71 + random.next() * 4).toFixed(1)}%</td></tr></table>`
  }),
  placed(
    'fortune and load at the foot',
    'end',
    (_, random) =>
      `<center><small><i>${oneOf(TITLES, random)}</i><br>load average: ${(random.next() * 3).toFixed(2)}, ${(random.next() * 2).toFixed(2)}, ${random.next().toFixed(2)}</small></center>`,
  ),
  placed(
    'advertisement in a custom element',
    'amid',
    (_, random) =>
      `<gpt-ad class="ad-slot ad-slot--inline" data-id="${uuid(random)}"><p class="ad-label">Advertisement</p>${someOf(
        0,
        2,
        GOODS,
        random,
      )
        .map(
          (one) =>
            `<p class="ad-text"><a href="/c?${base64(random, 16)}">${one}: ${oneOf(['only today', 'half the price', 'now in blue'], random)}</a></p>`,
        )
        .join('')}</gpt-ad>`,
  ),
]

export const MORE: readonly Volatile[] = [...COMMUNITY, ...WIKIS, ...PORTALS, ...SHOPS, ...GALLERIES, ...WORK]
