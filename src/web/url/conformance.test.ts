/** Cases published by others, when they are at hand (`ORBWEAVER_CONFORMANCE` names their folder), and where we differ. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { parseUrl, type Resolved, resolver } from './web-url.ts'

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
  assert.ok(same > 850 && differing.length <= 20, `${same} the same, ${differing.length} on purpose not`)
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
      assert.equal(host, URL.parse(`https://${entry.input}/x`)?.hostname)
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

/** urlcanon's semantic canonicalizer has rules that change which resource is meant; ours do not claim them. */
function otherRule(input: string, ours: string | undefined): string | undefined {
  if (ours === undefined) return 'nobody could connect to it'
  if (/[^\x00-\x7f]/.test(input)) return 'its file holds bytes, one a letter'
  if (/%(?![0-9a-f]{2})/i.test(input)) return 'it escapes stray percent signs'
  if (/%25/.test(input)) return 'it decodes again and again'
  if (/%(2[0-9a-c]|2f|3[a-f]|40|5b|5d|7[b-d])/i.test(input)) return 'it decodes reserved characters'
  if (/&/.test(input)) return 'it sorts parameters'
  if (/[^:](\/\/|\\\\)/.test(input)) return 'it merges slashes'
  return undefined
}

conformanceTest("urlcanon's cases where the rules claim the same", (folder) => {
  let same = 0
  for (const [input, expected] of Object.entries(load(folder, 'urlcanon/semantic_precise') as Record<string, string>)) {
    if (!/^\s*https?:/i.test(input)) continue
    const ours = parseUrl(input)?.normalised
    if (ours === expected.replace(/#.*$/s, '')) same++
    else assert.notEqual(otherRule(input, ours), undefined, `${input}: expected ${expected}, got ${ours}`)
  }
  assert.ok(same >= 90, `${same}`)
})

conformanceTest('normalising twice changes nothing', (folder) => {
  for (const input of load(folder, 'urlcanon/idempotence') as string[]) {
    const once = parseUrl(input)?.normalised
    if (once !== undefined) assert.equal(parseUrl(once)?.normalised, once, input)
  }
})
