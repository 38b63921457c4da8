/** URLs as nobody should write them, made of the words that the rules look for. */
import fc from 'fast-check'

const WORDS = `
/ // . .. /./ /../ ? ?? & && ; ;; = # % %% ( ) /( )/ a b=2 a=1 a=1&a=1 a=1&b=2&a=1 B 2 5 6 25 26 3 e E x 7 F 0 é %2
%25 %2525 %252525 %2e %2E %%32e %%36 %26 %2526 %252526 %41 %7e %3B %3b %253B %3D %25%32%36 %C3%A9 %c3%a9 %00 %23 %2338
%61 %6 1mp; %2%36amp; amp; &amp; &amp;amp; %26amp%3B %26amp; &amp%3B %2526amp%253B &AMP; %26%2338%3B &#38; amp amp%
;jsessionid=1A2B ;jsessionid ;JSESSIONID=1.a!2 %3Bjsessionid=1A %3bjsessionid%3D1A %253Bjsessionid%253D1A
%3Bjsessionid =def jsessionid= phpsessid=1 PHPSESSID=abc sid=123 sid=0123456789abcdef0123456789abcdef
;sid=0123456789abcdef s=deadbeefdeadbeefdeadbeefdeadbeef1 sessionid=5 session_id=0123456789ab cfid=1 cftoken=2 cfid
cftoken ASPSESSIONIDQABC=XY zenid= osCsid=q id=0123456789abcdef0123456789abcdef
x={0E984725-C51C-4BF4-9960-E1C80E27ABA0} x=0e984725-c51c-4bf4-9960-e1c80e27aba0 %7B %7D (S(lit3py55t21z5v55vlm25s55))
/(S(a))/ (X(1)S(a)) /(S(a)) (lit3py55t21z5v55vlm25s55) (S( )) utm_source=x utm_ fbclid=1 gclid _ga=1 ;utm_medium=a
Utm_Source=x ref_src=a C=M;O=A C=N&O=D N=D O=A V=1 F=2 C=N /?C=M;O=A ?N=D S=A D=D index.html /index.html /index.htm
/index.shtml /default.html /Default.HTM /index.php /default.aspx %69ndex.html index. /index.html;jsessionid=1
/index.html/ .html /INDEX.HTML /index.html?`
  .trim()
  .split(/\s+/)
  .concat(' ', '\t', '\\')

/** Path and query. */
export const hostilePath = fc.array(fc.constantFrom(...WORDS), { maxLength: 10 }).map((words) => `/${words.join('')}`)

export const hostileUrl = fc.oneof(
  { arbitrary: hostilePath.map((path) => `http://h.test${path}`), weight: 6 },
  { arbitrary: hostilePath.map((path) => `https://h.test.:8443${path}`), weight: 1 },
  {
    arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => `http://${words.join('')}`),
    weight: 1,
  },
  { arbitrary: fc.string({ maxLength: 40 }).map((path) => `https://h.test/${path}`), weight: 1 },
  { arbitrary: fc.string({ maxLength: 40, unit: 'binary' }).map((text) => `http://${text}`), weight: 1 },
  { arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }), weight: 1 },
)

/** Each repeated until the URL is as long as URLs may be. */
export const LONG_RUNS = WORDS.concat(
  `&a=1 &a ?& /index.html %25 25 %252 amp; &amp %26amp amp%25 ;a /; /( /(S( S(a) %3Bjsessionid%3D %3Bjsessionid= ;sid=
.%2e %2e &utm_ C=N; a %3 &C=N (( %2526amp%253B`.split(/\s+/),
)
