/**
 * Real prose for made-up sites: the sentences of the project's own documentation, which are there without a download. Figures may
 * change a little when the documentation does.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs')

/** In the order of the documentation, each once. */
export const SENTENCES: readonly string[] = [...new Set(markdownIn(DOCS).flatMap(sentencesOf))]

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => readFileSync(path, 'utf8'))
}

/** Without code, tables, headings and marks; between 6 and 60 words each. */
function sentencesOf(markdown: string): string[] {
  const lines = markdown.replace(/^```[\s\S]*?^```/gm, '').split('\n')
  const text = lines.filter((line) => !/^\s*[#|]/.test(line)).join(' ')
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_<>&]/g, '')
    .split(/(?<=[.:;?!])\s+|\s+-\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length >= 6 && sentence.split(' ').length <= 60)
}

/** Equal for equal arguments: pages must say the same whenever they are asked for. */
export function draw(seed: string | number, below: number): number {
  let hash = 0x811c9dc5
  for (const letter of `${seed}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 13)) >>> 0) % below
}

const followers = new Map<string, string[]>()
for (const sentence of SENTENCES) {
  const words = sentence.split(' ')
  for (let at = 0; at + 2 < words.length; at++) {
    const pair = `${words[at]} ${words[at + 1]}`
    followers.set(pair, [...(followers.get(pair) ?? []), words[at + 2]])
  }
}

/** Fluent text without a meaning: each word follows the two before it somewhere in the documentation. */
export function fluent(seed: string | number, sentences: number): string {
  return Array.from({ length: sentences }, (_, nth) => {
    const words = SENTENCES[draw(`${seed}/${nth}`, SENTENCES.length)].split(' ').slice(0, 2)
    while (words.length < 24) {
      const next = followers.get(words.slice(-2).join(' '))
      if (next === undefined) break
      words.push(next[draw(`${seed}/${nth}/${words.length}`, next.length)])
    }
    return words.join(' ').replace(/[.:;,]?$/, '.')
  }).join(' ')
}

/** Lower-case words of the documentation, for names: longer than four letters, each once. */
export const WORDS: readonly string[] = [
  ...new Set(SENTENCES.flatMap((sentence) => sentence.toLowerCase().match(/\b[a-z]{5,12}\b/g) ?? [])),
]
