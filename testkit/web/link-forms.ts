/** The many ways in which pages spell one and the same URL. Each form must lead a WHATWG parser to the target exactly. */

import type { Draws } from './chance.ts'
import { type Charset, canEncode } from './charset.ts'

export interface LinkContext {
  /** Of the page. */
  origin: string
  /** Path and query of the page. */
  path: string
  /** The directory against which relative references are read: the page's own, or that of its base element. */
  directory: string
  /** No base element: `?query` and the like may be used. */
  ownBase: boolean
  /** Letters outside ASCII may stand in references: the page says how it is encoded. */
  raw: Charset | undefined
}

/** The reference as the author meant it, before entities. */
export function plainForm(target: string, context: LinkContext, draws: Draws): string {
  if (!target.startsWith(context.origin + '/')) return target
  const path = target.slice(context.origin.length)
  const way = draws.unit()
  if (way < 0.45) return path
  if (way < 0.65) return target
  return relative(path, context.directory)
}

export function oddForm(target: string, context: LinkContext, draws: Draws): string {
  const slashes = target.indexOf('//')
  const start = target.indexOf('/', slashes + 2)
  const [scheme, host, path] = [target.slice(0, slashes - 1), target.slice(slashes + 2, start), target.slice(start)]
  const inside = target.startsWith(context.origin + '/')
  switch (draws.below(16)) {
    case 0:
      return context.origin.startsWith(scheme + ':') ? `//${host}${path}` : target
    case 1:
      return host.includes(':')
        ? target
        : `${scheme.toUpperCase()}://${host.toUpperCase()}:${scheme === 'http' ? 80 : 443}${path}`
    case 2:
      return `${target}#part-${draws.below(9)}`
    case 3:
      return inside ? `${path}#top` : `${target}#`
    case 4:
      return `  \n\t${inside ? path : target} \r\n`
    case 5:
      return `${target.slice(0, start + 1)}\n${target.slice(start + 1, start + 2)}\t${target.slice(start + 2)}`
    case 6:
      return readable(inside ? path : target, context)
    case 7:
      return inside ? `/x/.${path.startsWith('/') ? '/..' : ''}${path}` : target
    case 8:
      return inside ? `/x/%2e%2e${path}` : `${target.slice(0, start)}/x/%2E%2e${path}`
    case 9:
      return inside && !path.includes('?') && path.length > 1 ? path.replaceAll('/', '\\') : target
    case 10:
      return queryOnly(path, context, inside) ?? target
    case 11:
      return target.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
    case 12:
      return inside ? path.replace(/p(?=\d)/, '%70') : target
    case 13:
      return inside ? './' + relative(path, context.directory) : target
    case 14:
      return inside && context.ownBase ? `${scheme}:${path}` : target
    default:
      return inside ? `..${'/..'.repeat(context.directory.split('/').length + 1)}${path}` : target
  }
}

/** With raw letters and spaces, as people write them. */
function readable(reference: string, context: LinkContext): string {
  const spaced = reference.replaceAll('%20', ' ')
  if (context.raw === undefined || !/%[C-F]/.test(spaced)) return spaced
  const decoded = decodeURI(spaced)
  return canEncode(decoded, context.raw) ? decoded : spaced
}

function queryOnly(path: string, context: LinkContext, inside: boolean): string | undefined {
  const mark = path.indexOf('?')
  if (!inside || !context.ownBase || mark < 0) return undefined
  return context.path.split('?', 1)[0] === path.slice(0, mark) ? path.slice(mark) : undefined
}

/** From a directory (`/d3/`) to a path, as short as it goes. */
export function relative(path: string, directory: string): string {
  const from = directory.split('/')
  const mark = path.indexOf('?')
  const to = (mark < 0 ? path : path.slice(0, mark)).split('/')
  let common = 1
  while (common < from.length - 1 && common < to.length - 1 && from[common] === to[common]) common++
  const up = '../'.repeat(from.length - 1 - common)
  const rest = to.slice(common).join('/') + (mark < 0 ? '' : path.slice(mark))
  if (up === '' && (rest === '' || rest.startsWith('?'))) return './' + rest
  return up + rest
}

/** The reference as an attribute value: quoted one way or another, with `&` written as an entity or left as it is. */
export function attribute(reference: string, odd: boolean, draws: Draws): string {
  if (!odd) return `"${reference.replaceAll('&', '&amp;')}"`
  const escaped = draws.yes(0.5) ? reference.replaceAll('&', '&amp;') : reference
  switch (draws.below(5)) {
    case 0:
      return `'${escaped}'`
    case 1:
      return /[\s"'`=<>]/.test(escaped) || escaped.endsWith('/') ? `"${escaped}"` : escaped
    case 2:
      return `"${escaped.replaceAll('/', '&#x2F;')}"`
    case 3:
      return `"${escaped.replaceAll('.', '&#46;')}"`
    default:
      return ` "${escaped}"`
  }
}
