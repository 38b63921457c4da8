/** What a worker does to understand and tell a page, piece by piece. */

import { encodeReport } from '../../src/contracts/encode-report.ts'
import { sketchOf } from '../../src/page/change/sketch.ts'
import { gatherText } from '../../src/page/extract/gather.ts'
import { readPage, readText } from '../../src/page/reading.ts'
import { parseRobots } from '../../src/web/robots/robots.ts'
import { parseUrl, resolver } from '../../src/web/url/web-url.ts'
import type { Material } from './material.ts'
import { timeEach } from './stopwatch.ts'

export interface Piece {
  name: string
  microseconds: number
  /** How the figure is to be read. */
  note: string
}

type Page = Material['pages'][number]

const ROBOTS = `User-agent: *\n${Array.from({ length: 30 }, (_, i) => `Disallow: /folder-${i}/*.cgi$\nAllow: /folder-${i}/a`).join('\n')}\n`

export function workerPieces({ pages, parts }: Material): Piece[] {
  const bytesOf = (page: Page) => page.answer.payload
  const inputs = pages.map((page) => ({ mediaType: 'text/html', charset: 'utf-8', bytes: bytesOf(page) }))
  const readings = inputs.map(readPage)
  const sketched = readings.map(({ signature, title }) => ({ ...signature, title, links: 0 }))
  const hrefs = pages.map(({ url }, at) => ({ url, hrefs: readings[at].links.map(({ href }) => href) }))
  const links = hrefs.reduce((sum, one) => sum + one.hrefs.length, 0) / pages.length
  const paths = pages.map(({ url }) => parseUrl(url)!.path)
  const robots = parseRobots(ROBOTS, 'orbweaver')
  const pagesInParts = parts.reduce((sum, part) => sum + part.pages.length, 0)
  const piece = (name: string, microseconds: number, note = ''): Piece => ({ name, microseconds, note })
  return [
    piece(
      'read HTML',
      timeEach(inputs, (input) => void readPage(input)),
      'links, text, title, tags, digests, simhash; pages of this web',
    ),
    piece(
      'signatures',
      timeEach(
        inputs.map((input) => readText(input)),
        (text) => void gatherText(text),
      ),
      'the text alone: folded, its digest, simhash and shape; part of reading',
    ),
    piece(
      'sketch',
      timeEach(sketched, (page) => void sketchOf(page)),
      'what the next look is compared with, from what reading gives; line hashes and minima are part of reading',
    ),
    piece('resolve links', timeEach(hrefs, resolveAll), `${links.toFixed(0)} a page, normalised and hashed`),
    piece(
      'robots: parse',
      timeEach(Array(200).fill(ROBOTS) as string[], (text) => void parseRobots(text, 'orbweaver')),
      '60 rules; once a site',
    ),
    piece(
      'robots: may we',
      timeEach(paths, (path) => void robots.permits(path)),
      '60 rules',
    ),
    piece(
      'encode report',
      (timeEach(parts, (part) => void encodeReport(part)) * parts.length) / pagesInParts,
      'found links and all',
    ),
  ]
}

function resolveAll({ url, hrefs }: { url: string; hrefs: string[] }): void {
  const resolve = resolver(url)
  for (const href of hrefs) resolve(href)
}
