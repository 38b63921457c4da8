/**
 * A blog whose comments can be answered, liked and shared by plain links: each post has a hundred names, and the likes a new
 * number on every view.
 */
import { draw, drawText } from '../chance.ts'
import type { Shape } from './shape.ts'
import { choice, readPath, realSheet, sheet, slug, token, withParameters } from './sheet.ts'

const POSTS = 18
const SHARES = ['facebook', 'twitter', 'email', 'reddit']
const OWN = new Set(['replytocom', 'share', 'like_comment', '_wpnonce', 'print', 'nb', 'utm_source'])

const post = (seed: number, number: number) =>
  `/20${18 + choice(seed, 40 + number, 8)}/${String(1 + (number % 12)).padStart(2, '0')}/${slug(seed, number)}/`

export const commentLinks: Shape = {
  entries: () => ['/blog/'],
  page(asked, bound, seed) {
    if (asked === '/blog/') {
      return realSheet(seed, asked, 'Blog', (pen) => {
        for (let number = 0; number < POSTS; number++) {
          pen.put(`<h2>${pen.line(`title ${number}`, 5)}</h2><p>${pen.line(`first ${number}`, 30)}</p>`)
          pen.link(post(seed, number), 'Read more')
        }
      })
    }
    const { file, parameters } = readPath(asked)
    const number = Array.from({ length: POSTS }, (_, i) => i).find((i) => file === post(seed, i))
    if (number === undefined || parameters.some(([name]) => !OWN.has(name))) return undefined
    const plain = parameters.length === 0
    const comments = 6 + choice(seed, 80 + number, 14)
    const chances = Math.max(1, Math.min(bound, 2 ** 32))
    // Where it ends, no page adds to what its address has already.
    const adds = plain || bound === Number.POSITIVE_INFINITY
    const print = parameters.some(([name]) => name === 'print')
    const page = sheet(seed, asked, `${slug(seed, number).replaceAll('-', ' ')}`, (pen) => {
      pen.prose(file, 3)
      if (!print)
        for (let other = number - 2; other <= number + 2; other++) pen.link(post(seed, (other + POSTS) % POSTS))
      for (let comment = 0; comment < comments; comment++) {
        const id = 1000 + number * 50 + comment
        pen.put(`<li id="comment-${id}"><p>${pen.line(`comment ${id}`, 12)}</p>`)
        pen.link(`${file}?replytocom=${id}#respond`, 'Reply')
        const nonce = token(seed, drawText(seed, asked) % chances, 10)
        if (adds && comment < 4) pen.link(`${file}?like_comment=${id}&_wpnonce=${nonce}`, 'Like')
        pen.put('</li>')
      }
      for (const share of SHARES)
        if (adds) pen.link(withParameters(file, [...parameters.slice(0, 3), ['share', share], ['nb', '1']]), share)
      pen.link(`${file}?print=${draw(seed, number) % 2 === 0 ? 'pdf' : 'print'}`, 'Print')
    })
    return plain ? { ...page, sort: 'real' } : { ...page, shows: file }
  },
}
