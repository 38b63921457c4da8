/** A server that mistakes the types of its files: HTML as text, text and bytes as HTML, and pages whose only links stand in scripts. Nothing of it is endless. */
import { Draws, draw } from '../chance.ts'
import type { Shape, ShapePage } from './shape.ts'
import { choice, readNumber, sheet, slug, token } from './sheet.ts'

const PAGES = 6
const KINDS = ['html-as-text', 'text-as-html', 'image-as-html', 'archive-as-html', 'script-links', 'no-spaces'] as const

const path = (seed: number, kind: number, number: number) => `/data/${choice(seed, 9, 90)}/${KINDS[kind]}-${number}`

export const wrongTypes: Shape = {
  entries: (seed) => KINDS.flatMap((_, kind) => Array.from({ length: PAGES }, (_, number) => path(seed, kind, number))),
  page(asked, _, seed) {
    const match = /\/([a-z-]+)-(\d+)$/.exec(asked)
    const number = readNumber(match?.[2], 99)
    if (match === null || number === undefined) return undefined
    if (match[1] === 'found' && asked === found(seed, number)) {
      return { ...sheet(seed, asked, `Found ${number}`, (pen) => pen.prose(asked, 3)), sort: 'neither' }
    }
    const kind = (KINDS as readonly string[]).indexOf(match[1])
    if (kind < 0 || asked !== path(seed, kind, number) || number >= PAGES) return undefined
    return { words: asked, targets: [], sort: 'neither', ...write(seed, asked, number, KINDS[kind]) }
  },
}

const found = (seed: number, number: number) => `/read/${slug(seed, number, 1)}/found-${number}`

function write(seed: number, asked: string, number: number, kind: (typeof KINDS)[number]): Partial<ShapePage> {
  switch (kind) {
    case 'html-as-text': {
      const page = sheet(seed, asked, 'A page', (pen) => {
        pen.prose(asked, 3)
        pen.link(found(seed, number))
      })
      return { body: page.body, contentType: 'text/plain; charset=utf-8', actualType: 'text/html' }
    }
    case 'text-as-html': {
      const { body } = sheet(seed, asked, 'Notes', (pen) => pen.prose(asked, 6))
      return { body: body.replace(/<[^>]*>/g, ''), contentType: 'text/html', actualType: 'text/plain' }
    }
    case 'image-as-html':
      return { body: bytes(seed, number, PNG), contentType: 'text/html; charset=utf-8', actualType: 'image/png' }
    case 'archive-as-html':
      return { body: bytes(seed, number, ZIP), contentType: 'text/html', actualType: 'application/zip' }
    case 'script-links': {
      const to = [found(seed, 10 + number), found(seed, 20 + number), found(seed, 30 + number)]
      const script = `<script>function go(){window.location.href='${to[0]}'}\nvar menu=[{url:"${to[1]}",title:"x"}];document.write('<a href="${to[2]}">more</a>')</script>`
      const page = sheet(seed, asked, 'Menu', (pen) => pen.put(`${script}<p onclick="go()">${pen.line(asked, 10)}</p>`))
      return { ...page, actualType: 'text/html' }
    }
    case 'no-spaces':
      return { body: token(seed, number, 20_000, ALPHABET), contentType: 'text/html', actualType: 'text/plain' }
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const ZIP = [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00]

function bytes(seed: number, number: number, start: readonly number[]): Uint8Array {
  const draws = new Draws(draw(seed, number, 0xb17e))
  const made = Uint8Array.from({ length: 4_000 + draws.below(4_000) }, () => draws.bits() & 255)
  made.set(start)
  return made
}
