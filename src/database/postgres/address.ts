/** Parses the address of a PostgreSQL database: `postgres://user:password@host:port/name`, or several hosts. */
import { readFileSync } from 'node:fs'
import { Problem } from '../../base/errors.ts'
import { tlsOf } from './tls.ts'

export interface PostgresAddress {
  /** One URL per host, in the order in which they are tried. They may hold a password: for the client only. */
  readonly urls: readonly string[]
  /** For messages: without user and password. */
  readonly where: string
}

const MAX_HOSTS = 16
const SHAPE = /^postgres(?:ql)?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?:\/(?<name>[^/?#]*))?(?<query>\?[^#]*)?$/

/**
 * Several hosts, divided by commas, are the members of one fail-over group: the one that takes writes is found and used.
 * `file:PATH` names a file that holds the address, so that its password need be in no setting and no environment.
 */
export function postgresAddress(text: string): PostgresAddress {
  const url = text.startsWith('file:') ? fromFile(text.slice('file:'.length)) : text.trim()
  const { user, hosts, name, query } = SHAPE.exec(url)?.groups ?? {}
  // The text itself may hold a password, so no message repeats it.
  if (hosts === undefined) throw bad('is not of the form postgres://user@host:port/name')
  if (name === undefined || name === '') throw bad('names no database: postgres://user@host:port/name')
  const each = hosts.split(',')
  if (each.length > MAX_HOSTS) throw bad(`has more than ${MAX_HOSTS} hosts`)
  if (each.length > 1 && each.includes('')) throw bad('has an empty host between two commas')
  const urls = each.map((host) => `postgres://${user === undefined ? '' : `${user}@`}${host}/${name}${query ?? ''}`)
  if (!urls.every((one) => URL.canParse(one)))
    throw bad('cannot be read: special characters are written as %40 and the like')
  // Report mistakes before connecting.
  for (const one of urls) tlsOf(one)
  return { urls: urls.map(withoutTarget), where: `postgres://${hosts}/${name}` }
}

/**
 * `target_session_attrs`, as in `psql`. Writers always need a server that takes writes and readers take any, so there is
 * nothing to choose.
 */
function withoutTarget(text: string): string {
  const url = new URL(text)
  const target = url.searchParams.get('target_session_attrs')
  if (target === null) return text
  if (!['read-write', 'primary', 'any'].includes(target))
    throw bad('says another target_session_attrs than read-write: servers write')
  url.searchParams.delete('target_session_attrs')
  return url.href
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new Problem('bad-config', `the file ${path}, which should hold the address of the database, cannot be read`, {
      cause,
    })
  }
}

function bad(why: string): Problem {
  return new Problem('bad-config', `the address of the database ${why}`)
}
