import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPage } from '../reading.ts'
import { scriptLinks } from './script-links.ts'

interface ScriptCase {
  script: string
  /** What a visitor could be led to. */
  links: readonly string[]
}

const none = (...scripts: string[]): ScriptCase[] => scripts.map((script) => ({ script, links: [] }))
const one = (script: string, ...links: string[]): ScriptCase => ({ script, links })

/** Scripts in the manner of those found in pages, and the links that a person would follow from them. */
const SCRIPT_CASES: readonly ScriptCase[] = [
  // Going somewhere.
  one(`location.href='/news/today'`, '/news/today'),
  one(`window.location = "contact.php?lang=pt";`, 'contact.php?lang=pt'),
  one(`top.location.href = 'http://www.example.org/';`, 'http://www.example.org/'),
  one(`document.location.replace('/mobile/')`, '/mobile/'),
  one(`window.open('popup.html','win','width=300,height=200,scrollbars=yes')`, 'popup.html'),
  one(`window.open("/gallery?id=7", '_blank')`, '/gallery?id=7'),
  one(`javascript:openWin('photos/big.html')`, 'photos/big.html'),
  one(`if (screen.width < 700) { self.location = '/m/index.html' }`, '/m/index.html'),
  one(`onclick = function () { location.assign("../up/page.asp?x=1&y=2") }`, '../up/page.asp?x=1&y=2'),
  one(`setTimeout("location.href='next.html'", 5000)`, 'next.html'),
  one(`location.href = "?page=2"`, '?page=2'),
  one(`parent.frames[1].location = 'menu.htm'; parent.frames[2].location = 'main.htm'`, 'menu.htm', 'main.htm'),
  one(`location='\\/a\\/b.html'`, '/a/b.html'),
  one(`navigateTo('/products/42')`, '/products/42'),
  one(`location.href='notices_new'`, 'notices_new'),
  // Tables of pages.
  one(
    `var menu = [["Home","index.html"],["News","news/index.php?c=1"],["About us","about.shtml"]]`,
    'index.html',
    'news/index.php?c=1',
    'about.shtml',
  ),
  one(`pages[0]='a1.html'; pages[1]='a2.html' // 'a3.html'`, 'a1.html', 'a2.html'),
  one(
    `stm_aix("p0i1","p0i0",[0,"Services","","",-1,-1,0,"/services/list.aspx","_self","",""],0,0);`,
    '/services/list.aspx',
  ),
  one(
    `{"name":"Article","url":"https:\\/\\/www.example.org\\/2024\\/03\\/a-title\\/"}`,
    'https://www.example.org/2024/03/a-title/',
  ),
  one(
    `var links = {forum: 'http://forum.example.org/viewforum.php?f=2', wiki: "http://wiki.example.org/Main_Page"}`,
    'http://forum.example.org/viewforum.php?f=2',
    'http://wiki.example.org/Main_Page',
  ),
  one(`new Item('Café', 'caf%C3%A9.html')`, 'caf%C3%A9.html'),
  one(`var u = 'http://203.0.113.5:8080/cgi/run.cgi?a=b'`, 'http://203.0.113.5:8080/cgi/run.cgi?a=b'),
  // Mark-up that is written.
  one(
    `document.write('<a href="archive/2003.html">2003</a> <a class="x" href="archive/2004.html">2004</a>')`,
    'archive/2003.html',
    'archive/2004.html',
  ),
  one(`document.write("<a href=\\"help.html\\">Help</a>")`, 'help.html'),
  one(`el.innerHTML = '<li><a target=_top href="/shop/">Shop</a></li>'`, '/shop/'),
  // Share buttons: pages of others.
  one(
    `popup("https://www.facebook.com/sharer/sharer.php?u=http%3A%2F%2Fexample.org%2F")`,
    'https://www.facebook.com/sharer/sharer.php?u=http%3A%2F%2Fexample.org%2F',
  ),
  // Not missed on the way: patterns, comments and quotes before it.
  one(`s = s.replace(/['"]/g, ''); location = 'after.html'`, 'after.html'),
  one(`/* don't go to 'old.html' */ location = 'new.html'`, 'new.html'),
  one(`var half = a / 2 / b; go('half.html')`, 'half.html'),
  one(`var s = "it's"; go("its.html")`, 'its.html'),

  // Things that are no links.
  ...none(
    `(function(i,s,o,g,r,a,m){i['Tracker']=r;a=s.createElement(o);a.src=g})(window,document,'script','//www.tracker.test/analytics.js','ga');`,
    `gtag('config', 'G-123/456.7'); gtag('js', new Date());`,
    `s.type='text/javascript'; s.src = '//cdn.example.org/lib/1.2.3/lib.min.js'`,
    `$.ajax({type:'POST', contentType:'application/json; charset=utf-8', url: '/api/items', dataType: 'json'})`,
    `var ajaxurl = "/wp-admin/admin-ajax.php"`,
    `fetch('/data/list.php').then(r => r.json())`,
    `$.post("save.php", {x: 1}); $('#x').load("part.html")`,
    `xhr.open('GET', '/status')`,
    `var fmt = 'dd/mm/yyyy'; var t = '12/31/2004'; var v = "1.2.3"; var h = 'text/html'; var x = '3.5/4'`,
    `var re = /\\/page\\.html$/; if (/index\\.html?/.test(p)) {}`,
    `if (location.pathname == '/index.html') start()`,
    `if (path.indexOf('admin.php') > -1 || path.endsWith('/list.html')) return`,
    `path === "/checkout/" && load()`,
    `switch (p) { case 'home.html': break }`,
    `location.href = \`/user/\${id}/page.html\``,
    `location.href = '/item/' + id + '.html'`,
    `var u = base + '/view.php?id=' + id`,
    `var u = 'http://www.example.org/search?q=' + encodeURIComponent(q)`,
    `var u = 'http://' + host; var v = 'https://www.example.org'; var w = 'http://www.'`,
    `el.setAttribute('xmlns', 'http://www.w3.org/1999/xhtml'); var ns = 'http://www.w3.org/2000/svg'`,
    `{"@context":"https://schema.org/","@type":"WebSite"}`,
    `$routeProvider.when('/user/:id', {templateUrl: 'views/user.html', controller: 'UserCtrl'})`,
    `app.get('/list/:page.html')`,
    `import x from './module.js'; require('./lib/thing'); importScripts('worker.js')`,
    `var icon = '/img/logo.png', font = "fonts/a.woff2", data = '/data/all.json'`,
    `var klass = 'nav-item.active', sel = 'div.menu > a.html', key = 'user.name'`,
    `console.log('see readme.html for more'); alert("Enter a valid e-mail: name@example.org")`,
    `var css = 'url(../img/a.gif)'; var html = '<img src="x.gif">'`,
    `var tz = 'Europe/Lisbon', mime = 'image/svg+xml', glob = 'src/**/*.html', win = 'C:\\\\dir\\\\x.html'`,
    `window.open('about:blank'); location.href = 'mailto:a@b.test'; location = '#top'`,
    `document.write('<scr' + 'ipt src="http://ads.example.org/show.js"></scr' + 'ipt>')`,
    `var pixel = 'https://t.example.org/collect?v=1&tid=2'`,
    `var a = 'www.example.org/page.html'`,
    `history.pushState({}, '', '?tab=1')`,
    `var s = 'and/or', yes = 'n/a', ratio = '16/9', unit = 'km/h', ie = 'MSIE 6.0; Windows'`,
    `// location.href = 'commented.html'`,
    `/* window.open('commented.html') */`,
    `var s = 'unclosed.html
     var t = 5`,
  ),
]

function found(script: string): string[] {
  const links: string[] = []
  scriptLinks(script, 0, script.length, (href) => links.push(href) > 0)
  return links
}

const read = (html: string) => readPage({ mediaType: 'text/html', charset: undefined, bytes: Buffer.from(html) })
const ofScripts = (html: string) => read(html).links.flatMap(({ href, kind }) => (kind === 'script' ? [href] : []))

test('precision and coverage on scripts in the manner of those in pages', (t) => {
  let right = 0
  let wrong = 0
  let missed = 0
  for (const { script, links } of SCRIPT_CASES) {
    const got = new Set(found(script))
    for (const link of links) {
      if (got.delete(link)) continue
      missed++
      t.diagnostic(`missed ${link} in ${script}`)
    }
    right += links.length
    wrong += got.size
    for (const link of got) t.diagnostic(`wrongly ${link} in ${script}`)
  }
  right -= missed
  t.diagnostic(`${right} right, ${wrong} wrong, ${missed} missed, of ${SCRIPT_CASES.length} scripts`)
  assert.ok(right / (right + wrong) >= 0.97, `precision ${right / (right + wrong)}`)
  assert.ok(right / (right + missed) >= 0.95, `coverage ${right / (right + missed)}`)
})

test('in inline scripts, handlers and javascript: references; not in data, import maps, templates', () => {
  const page = `<body onload="location='/load.html'"><script>go('in.html')</script><script type="text/javascript">go("in2.html")</script>
    <script type=module>go('in3.html')</script><script type="application/ld+json">{"url":"http://a.test/no.html"}</script>
    <script type="importmap">{"a":"no.html"}</script><script type="text/x-template"><a href='no.html'></script>
    <a href="javascript:popup('pop.html')" rel=nofollow>x</a><div onclick="window.open(&quot;/a/b.html&quot;)"></div>
    <template><script>go('no.html')</script></template><input option="go('no.html')"><style>'no.html'</style>`
  assert.deepEqual(ofScripts(page), ['/load.html', 'in.html', 'in2.html', 'in3.html', 'pop.html', '/a/b.html'])
  assert.ok(read(page).links.find(({ href }) => href === 'pop.html')?.nofollow)
})

test('each once a page, and at most 200', () => {
  assert.deepEqual(ofScripts(`<script>a('x.html'); b('x.html')</script><p onclick="a('x.html')">`), ['x.html'])
  const many = Array.from({ length: 300 }, (_, i) => `'p${i}.html'`).join()
  const reading = read(`<script>[${many}]</script><script>['q.html']</script>`)
  assert.equal(reading.links.length, 200)
  assert.deepEqual(reading.troubles, ['script-links>200'])
})

test('no script makes it throw or tell of what is no reference', () => {
  const bits = [
    "'",
    '"',
    '`',
    '\\',
    '/',
    '*',
    '//',
    '/*',
    '*/',
    '[',
    ']',
    '\n',
    '+',
    '${',
    '}',
    '=',
    'x.html',
    'http://a.test/b',
  ]
  const part = fc.oneof(fc.constantFrom(...bits, 'location=', 'open(', '<a href="'), fc.string({ maxLength: 4 }))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      for (const href of found(parts.join(''))) {
        assert.ok(href.length > 1 && href.length <= 2048)
        assert.doesNotMatch(href, /[\s<>"'`{}\\$|^*]/)
      }
    }),
    { numRuns: 1000 },
  )
})
