/** Who a worker is to its servers: an id and a secret, kept in its folder; and what to do when they will not have it. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { realClock } from '../../base/clock.ts'
import { replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import type { Random } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { HttpClient } from '../../cluster/wire/http-client.ts'
import { Refusal } from '../../cluster/wire/judge-answer.ts'
import { joinServers } from '../../cluster/wire/remote-coordinator.ts'
import type { Identity } from '../../cluster/wire/servers.ts'
import type { Settings } from '../config/keys.ts'

const IDENTITY_FILE = 'worker.json'
const MAX_BYTES = 10_000

export interface Joining {
  settings: Pick<Settings, 'collection' | 'server' | 'joinSecret' | 'region'>
  name: string
  version: string
  random: Random
  client: HttpClient
}

/** The worker that this folder was before, or a new one. */
export async function identityOf({ settings, name, version, random, client }: Joining): Promise<Identity> {
  const path = pathOf(settings)
  const size = realDisk.size(path)
  if (size !== undefined) return readIdentity(path, size)
  const { joinSecret, region } = settings
  const who = { name, version, ...(region && { region }), ...(joinSecret && { join: joinSecret }) }
  try {
    const identity = await joinServers(settings.server, who, { clock: realClock, random, client })
    await replaceFile(realDisk, path, `${JSON.stringify(identity)}\n`, 0o600)
    return identity
  } catch (error) {
    throw isRefused(error, 403) ? notLetIn(error, joinSecret !== undefined) : error
  }
}

/** What servers refuse to a worker that had joined, with what can be done here. */
export function inOwnWords(error: unknown, settings: Pick<Settings, 'collection'>, undelivered: number): unknown {
  if (!isRefused(error, 401)) return error
  const path = pathOf(settings)
  const lost = undelivered === 0 ? '' : ` The ${undelivered} reports that wait in its outbox would then be nobody's.`
  return new Problem(
    'server-refused',
    `${error.message}. Who this worker is lies in ${path}; it joined another crawl, or the servers have forgotten it. If these are the right servers, remove that file: the same command then joins anew (--join-secret, ORBWEAVER_JOIN_SECRET).${lost}`,
    { cause: error },
  )
}

function notLetIn(error: Refusal, isGiven: boolean): Problem {
  const here = isGiven ? 'What was given here is not what the server has' : 'Nothing was given here'
  return new Problem(
    'server-refused',
    `${error.message}. ${here}: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE, to what the server was started with`,
    { cause: error },
  )
}

const pathOf = ({ collection }: Pick<Settings, 'collection'>): string => join(collection, IDENTITY_FILE)

function isRefused(error: unknown, status: number): error is Refusal {
  return error instanceof Refusal && error.isOurs && error.status === status
}

function readIdentity(path: string, size: number): Identity {
  try {
    const { worker, secret } = JSON.parse(new TextDecoder().decode(realDisk.read(path, 0, Math.min(size, MAX_BYTES))))
    if (typeof worker === 'string' && typeof secret === 'string') return { worker, secret }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Problem(
    'unreadable',
    `${path} is damaged; remove it, and the worker joins anew (reports in its outbox are then no longer its own)`,
  )
}

/** What a name of a worker may hold. */
export function plainHostname(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'worker'
  )
}
