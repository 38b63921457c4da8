/** The cases of html5lib-tests, when ORBWEAVER_CONFORMANCE names the folder that holds them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { conformanceTest } from '../../base/conformance.test-data.ts'
import { parseDoctype } from './doctype.test-data.ts'
import { TOKEN, Tokenizer } from './tokenizer.ts'

interface Case {
  description: string
  input: string
  output: unknown[][]
  initialStates?: string[]
  lastStartTag?: string
  doubleEscaped?: boolean
}

/**
 * What we do otherwise, on purpose: `xmlViolation.json` describes an optional mode that repairs text for XML parsers.
 * Parse errors are not compared: a crawler reads on and tells nobody.
 */
const NOT_OURS = new Set(['xmlViolation.json'])

const STATES = {
  'Data state': 'data',
  'RCDATA state': 'rcdata',
  'RAWTEXT state': 'rawtext',
  'Script data state': 'script',
  'PLAINTEXT state': 'plaintext',
  'CDATA section state': 'cdata',
} as const

function tokensOf(input: string, state: string, lastStartTag: string): unknown[][] {
  const tokens = new Tokenizer(input)
  tokens.enter(STATES[state as keyof typeof STATES], lastStartTag)
  const found: unknown[][] = []
  for (;;) {
    const token = tokens.next()
    if (token === TOKEN.end) return found
    if (token === TOKEN.text) {
      const last = found.at(-1)
      if (last?.[0] === 'Character') last[1] = String(last[1]) + tokens.text()
      else found.push(['Character', tokens.text()])
    } else if (token === TOKEN.comment) {
      found.push(['Comment', tokens.comment])
    } else if (token === TOKEN.doctype) {
      const { name, publicId, systemId, correct } = parseDoctype(tokens.comment, tokens.isClosedComment)
      found.push(['DOCTYPE', name, publicId, systemId, correct])
    } else if (token === TOKEN.endTag) {
      found.push(['EndTag', tokens.name])
    } else {
      const tag: unknown[] = ['StartTag', tokens.name, Object.fromEntries(tokens.attributes())]
      found.push(tokens.selfClosing ? [...tag, true] : tag)
    }
  }
}

const unescapeText = (text: string) =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function unescaped(value: unknown): unknown {
  if (typeof value === 'string') return unescapeText(value)
  if (Array.isArray(value)) return value.map(unescaped)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [unescapeText(name), unescaped(inner)]))
}

conformanceTest('the tokenizer agrees with html5lib-tests', (folder) => {
  const home = join(folder, 'html', 'tokenizer')
  const wrong: string[] = []
  let ran = 0
  for (const file of readdirSync(home).sort()) {
    if (NOT_OURS.has(file)) continue
    const { tests } = JSON.parse(readFileSync(join(home, file), 'utf8')) as { tests: Case[] }
    for (const one of tests) {
      const input = one.doubleEscaped ? unescapeText(one.input) : one.input
      const expected = one.doubleEscaped ? unescaped(one.output) : one.output
      for (const state of one.initialStates ?? ['Data state']) {
        ran++
        const found = tokensOf(input, state, one.lastStartTag ?? '')
        if (JSON.stringify(found) === JSON.stringify(expected)) continue
        const told = `${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`
        wrong.push(`${file} (${state}): ${one.description}: ${JSON.stringify(input)}: ${told}`)
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${ran} differ`)
  assert.ok(ran > 7000, `only ${ran} cases were found`)
})
