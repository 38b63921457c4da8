/** The manual of a program in three versions: deep paths in which words come again, and chapters that hardly changed from one version to the next. */
import { draw } from '../chance.ts'
import type { Shape } from './shape.ts'
import { realSheet } from './sheet.ts'

const VERSIONS = ['v1', 'v2', 'v3']
const PARTS = ['guide', 'api', 'reference']
const CHAPTERS = ['install', 'api', 'reference', 'guide', 'errors', 'faq']
const LEAVES = ['index.html', 'api.html', 'examples.html']

export const honestManual: Shape = {
  entries: () => ['/docs/'],
  page(asked, _, seed) {
    if (asked === '/docs/') {
      return realSheet(seed, asked, 'Documentation', (pen) => {
        pen.prose(asked, 2)
        for (const version of VERSIONS) pen.link(`/docs/${version}/guide/install/index.html`, version)
      })
    }
    const [, docs, version, part, chapter, leaf, more] = asked.split('/')
    const inside = docs === 'docs' && VERSIONS.includes(version) && PARTS.includes(part) && CHAPTERS.includes(chapter)
    if (!inside || !LEAVES.includes(leaf) || more !== undefined) return undefined
    return realSheet(seed, asked, `${part} ${chapter} ${version}`, (pen) => {
      // Of four paragraphs one has changed with the version.
      for (let i = 0; i < 4; i++) {
        const key = `${part} ${chapter} ${leaf} ${i}`
        const changed = draw(seed, i, part.length + chapter.length * 7 + leaf.length * 31) % 4 === 0 || i === 1
        pen.prose(changed ? `${key} ${version}` : key, 1)
      }
      for (const other of PARTS) pen.link(`../../${other}/${chapter}/${leaf}`, other)
      for (const other of CHAPTERS) pen.link(`../${other}/${leaf}`, other)
      for (const other of LEAVES) if (other !== leaf) pen.link(other)
      for (const other of VERSIONS) if (other !== version) pen.link(asked.replace(version, other), other)
    })
  },
}
