/** Cases published by others, when they are at hand (`ORBWEAVER_CONFORMANCE` names their folder), and where we differ. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { FIRST_RULES, RULE_NAMES, type RuleName } from './rules.ts'
import { surt } from './surt.ts'
import { parseUrl, type Resolved, resolver, urlReader } from './web-url.ts'

const load = (folder: string, name: string) => JSON.parse(readFileSync(`${folder}/url/${name}.json`, 'utf8'))

interface ParsingCase {
  input: string
  base: string | null
  failure?: boolean
  href: string
}

/** As we hold a URL: without fragment and userinfo. */
function held(href: string): string | undefined {
  const url = URL.parse(href)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  url.hash = url.username = url.password = ''
  return url.href
}

/** Why our answer may differ from the standard's, on purpose. */
function reasonToDiffer(ours: Resolved, { input, base }: ParsingCase): string | undefined {
  if (ours.kind === 'empty') return 'a link to the page itself is not news'
  if (ours.kind === 'malformed' && /^(host|port 0|no host)/.test(ours.why)) return 'nobody could connect to it'
  if (ours.kind === 'url' && /^\s*https?:\/\/[^/]*\s/.test(input)) return 'spaces around a host are repaired (V29)'
  if (ours.kind === 'url' && base !== null && !URL.canParse(base)) return 'absolute references need no base'
  return undefined
}

conformanceTest('references are read as the URL standard reads them', (folder) => {
  let same = 0
  const differing: string[] = []
  for (const name of ['wpt/urltestdata', 'wpt/ada_extra_urltestdata', 'wpt/ada_long_urltestdata']) {
    for (const entry of load(folder, name) as (string | ParsingCase)[]) {
      if (typeof entry === 'string') continue
      const ours = resolver(entry.base ?? 'about:blank')(entry.input)
      const expected = entry.failure === true ? undefined : held(entry.href)
      const got = ours.kind === 'url' ? ours.url.href : undefined
      if (got === expected) same++
      else if (reasonToDiffer(ours, entry) !== undefined) differing.push(entry.input)
      else assert.fail(`${name}: ${JSON.stringify(entry)} gave ${got}`)
    }
  }
  assert.ok(same > 850 && differing.length <= 25, `${same} the same, ${differing.length} on purpose not`)
})

conformanceTest('names that are too long for DNS are no hosts', (folder) => {
  for (const entry of load(folder, 'wpt/verifydnslength_tests') as (string | ParsingCase)[]) {
    if (typeof entry === 'string') continue
    if (entry.failure === true) assert.equal(parseUrl(entry.input), undefined, entry.input)
  }
})

conformanceTest('international names as IDNA has them', (folder) => {
  let same = 0
  for (const name of ['wpt/toascii', 'wpt/IdnaTestV2']) {
    for (const entry of load(folder, name) as (string | { input: string; output: string | null })[]) {
      if (typeof entry === 'string' || /[\s/?#@:\\]/.test(entry.input) || entry.input.includes('%')) continue
      const host = parseUrl(`https://${entry.input}/x`)?.host
      if (host === undefined) continue // stricter than the standard: see hostFault
      assert.equal(host, URL.parse(`https://${entry.input}/x`)?.hostname.replace(/\.$/, ''))
      same++
    }
  }
  assert.ok(same > 500, `${same}`)
})

conformanceTest('dot segments', (folder) => {
  for (const [path, expected] of Object.entries(load(folder, 'urlcanon/path_dots').special as Record<string, string>)) {
    // It keeps backslashes; the URL standard makes them slashes first.
    if (path.includes('\\')) continue
    assert.equal(parseUrl(`http://h.test${path}`)?.path, expected, path)
  }
})

conformanceTest('odd spellings of IPv4 addresses', (folder) => {
  for (const [text, expected] of Object.entries(load(folder, 'urlcanon/funky_ipv4') as Record<string, string | null>)) {
    if (expected !== null) assert.equal(parseUrl(`http://${text}/`)?.host, expected, text)
  }
})

/**
 * Where we differ from urlcanon and surt on purpose (docs/reference/url-rules.md has the reasons). A case that none of
 * these explains must come out the same.
 */
const DIFFERENCES: readonly { name: string; explains(input: string, ours: string | undefined): boolean }[] = [
  { name: 'nobody could connect to it', explains: (_, ours) => ours === undefined },
  { name: 'its file holds bytes, one a letter', explains: (input) => /[^\x00-\x7f]/.test(input) },
  { name: 'it escapes stray percent signs', explains: (input) => /%(?![0-9a-f]{2})/i.test(input) },
  { name: 'it decodes again and again', explains: (input) => /%25/.test(input) },
  {
    name: 'it decodes reserved characters',
    explains: (input) => /%(2[0-9a-c]|2f|3[a-f]|40|5b|5d|7[b-d])/i.test(input),
  },
  { name: 'user names are never sent', explains: (input) => /\/\/[^/]*@/.test(input) },
  { name: 'it merges slashes', explains: (input) => /[^:](\/\/|\\\\)/.test(input) },
]

const explained = (input: string, ours: string | undefined) => DIFFERENCES.some(({ explains }) => explains(input, ours))

/** How many came out the same; fails for one that did not and should have. */
function compare(
  cases: Record<string, string>,
  rules: readonly RuleName[],
  claims = (input: string) => input !== '',
): number {
  const { parse } = urlReader(rules)
  let same = 0
  for (const [input, expected] of Object.entries(cases)) {
    if (!/^\s*https?:/i.test(input) || !claims(input)) continue
    const ours = parse(input)?.normalised
    if (ours === expected.replace(/#.*$/s, '')) same++
    else assert.ok(explained(input, ours), `${input}: expected ${expected}, got ${ours}`)
  }
  return same
}

conformanceTest("urlcanon's precise rules are our exact ones and sorted parameters", (folder) => {
  const same = compare(load(folder, 'urlcanon/semantic_precise'), [...FIRST_RULES, 'params-sorted'])
  assert.ok(same >= 95, `${same}`)
})

conformanceTest("Google's published canonicalisation, where it is the URL standard's too", (folder) => {
  const { google, googleSupplementalFromSurt } = load(folder, 'urlcanon/surt')
  const same = compare({ ...google, ...googleSupplementalFromSurt }, FIRST_RULES)
  assert.ok(same >= 15, `${same}`)
})

conformanceTest("urlcanon's reading of the URL standard", (folder) => {
  // Old: `%2e` as a host was once an address.
  const same = compare(load(folder, 'urlcanon/supplemental_whatwg'), [], (input) => !/^http:\/*%2e/.test(input))
  assert.ok(same >= 40, `${same}`)
})

/** What urlcanon's aggressive rules take away and ours keep, taken away on both sides. */
function bare(url: string | undefined): string | undefined {
  return url
    ?.replace(/^https?:\/\/(?:www\d*\.)?/, 'http://')
    .toLowerCase()
    .replaceAll('%21', '!')
    .replace(/%(?![0-9a-f]{2})/g, '%25')
    .replace(/(?<=[^:/])\/+(?=[^?]*$)/g, '/')
    .replace(/(?<=[^:/])\/+(?=[^?]*\?)/g, '/')
    .replace(/\/(?=$|\?)/, '')
}

conformanceTest("urlcanon's aggressive rules but for www., schemes, case and slashes", (folder) => {
  const { aggressive, archive } = {
    aggressive: load(folder, 'urlcanon/aggressive') as Record<string, string>,
    archive: load(folder, 'urlcanon/surt')['Canonicalizer.DefaultIA'] as Record<string, string>,
  }
  const { parse } = urlReader(RULE_NAMES.filter((name) => name !== 'index-files'))
  for (const [input, expected] of Object.entries({ ...aggressive, ...archive })) {
    const text = /^\s*https?:/.test(input) ? input : `http://${input}`
    const ours = bare(parse(text)?.normalised)
    // It sorts whatever the case of the names.
    if (/[&?][a-z]=.*[A-Z]=/.test(input) && !/SESS|CFID/.test(input)) continue
    assert.equal(ours, bare(expected), input)
  }
})

conformanceTest('session ids in paths, as the surt package strips them', (folder) => {
  const { parse } = urlReader(['session-paths'])
  for (const [path, expected] of Object.entries(load(folder, 'urlcanon/surt').stripPathSessionId)) {
    assert.equal(parse(`http://h.test${path}`)?.normalised, `http://h.test${expected}`)
  }
})

conformanceTest('parameters in order, as the surt package has them', (folder) => {
  const { parse } = urlReader(['params-sorted'])
  for (const [query, expected] of Object.entries(load(folder, 'urlcanon/surt').alphaRorderQuery)) {
    // Equal names keep their order here.
    if (/\ba=b&a=a|a=b&b=a&a=a/.test(query) || query === '') continue
    assert.equal(parse(`http://h.test/?${query}`)?.normalised, `http://h.test/?${expected}`)
  }
})

conformanceTest('sort keys of archives', (folder) => {
  for (const [url, expected] of Object.entries(load(folder, 'urlcanon/surt').defaultIASurt)) {
    assert.equal(surt(url), expected)
  }
})

conformanceTest('escapes of queries', (folder) => {
  for (const entry of load(folder, 'wpt/percent-encoding') as (
    | string
    | { input: string; output: Record<string, string> }
  )[]) {
    if (typeof entry === 'string') continue
    for (const [charset, expected] of Object.entries(entry.output)) {
      // Two bytes a letter: we write UTF-8.
      if (/^(big5|euc-kr|gb18030|iso-2022-jp|shift_jis)$/.test(charset)) continue
      const read = resolver('http://h.test/', charset)(`/?${entry.input}`)
      assert.equal(read.kind === 'url' && read.url.path, `/?${expected}`, charset)
    }
  }
})

conformanceTest('normalising twice changes nothing', (folder) => {
  for (const input of load(folder, 'urlcanon/idempotence') as string[]) {
    const once = parseUrl(input)?.normalised
    if (once !== undefined) assert.equal(parseUrl(once)?.normalised, once, input)
  }
})
