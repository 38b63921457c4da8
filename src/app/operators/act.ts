/**
 * An action of an operator from the command line. A shared database takes it at any time. A collection in a folder has one process that
 * writes: if one runs, the request is left in the folder `actions`, and that process performs and answers it within a second.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, type Instant, type Millis, realClock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import { freshId } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { Action, Control, Performed } from '../../contracts/control.ts'
import { isLocked } from '../../database/lock.ts'
import { openToSteer } from '../composition/open-for-writing.ts'
import type { Settings } from '../config/keys.ts'

export interface ActionRequest {
  who: string
  action: Action
  version: string
}

/** `running`: a process that crawls or serves has it in force within seconds; else it is in force from the next start on. */
export async function performAction(
  settings: Settings,
  { who, action, version }: ActionRequest,
): Promise<Performed & { running: boolean }> {
  const { collection, database } = settings
  if (database === undefined) {
    if (!existsSync(join(collection, 'collection.db')))
      throw new Problem('no-collection', `there is no collection in ${collection}: name its folder with -c`)
    if (isLocked(collection)) {
      const isRunning = () => isLocked(collection)
      const performed = await askRunning(realDisk, collection, { who, action }, { isRunning })
      if (performed !== undefined) return { ...performed, running: true }
    }
  }
  const { control, close, isServed } = await openToSteer(settings, version)
  try {
    const isIdle = action.action === 'stop' && !isServed
    // In a shared database a crawl may have begun this very moment: it ends, too.
    const performed = isIdle && database === undefined ? undefined : await control.perform(who, action)
    if (performed === undefined || isIdle) return { isChanged: false, now: 'No crawl is running.', running: false }
    return { ...performed, running: isServed }
  } finally {
    await close()
  }
}

const FOLDER = 'actions'
const REQUEST = '.request'
/** A request that the process has begun to perform. */
const TAKEN = '.taken'
const ANSWER = '.answer'
/** A process looks every second; one that is busy or just starting takes longer. */
const ANSWERED_WITHIN: Millis = 15_000
const LOOK_EVERY: Millis = 50
const MAX_BYTES = 2 ** 20
const MAX_AT_ONCE = 100

interface Request {
  who: string
  action: Action
  /** The process that asked has given up. */
  until: Instant
}

type Answer = Performed | { problem: string }

interface AskOptions {
  /** Whether a process has the folder. */
  isRunning?: () => boolean
  clock?: Clock
}

/** The process that has the folder performs it. Undefined: it ended before it answered. */
export async function askRunning(
  disk: Disk,
  collection: string,
  { who, action }: Omit<Request, 'until'>,
  { isRunning = () => true, clock = realClock }: AskOptions = {},
): Promise<Performed | undefined> {
  const folder = join(collection, FOLDER)
  const path = join(folder, freshId())
  const isThere = (ending: string) => disk.size(path + ending) !== undefined
  disk.makeFolder(folder)
  write(disk, path + REQUEST, { who, action, until: clock.now() + ANSWERED_WITHIN } satisfies Request)
  const until = clock.elapsed() + ANSWERED_WITHIN
  let isOver = false
  while (!isOver && !isThere(ANSWER) && clock.elapsed() < until) {
    await clock.sleep(LOOK_EVERY)
    isOver = !isRunning()
  }
  const isTaken = !isThere(REQUEST)
  disk.remove(path + REQUEST)
  if (!isThere(ANSWER)) {
    if (isOver) {
      disk.remove(path + TAKEN)
      return undefined
    }
    throw new Problem(
      'collection-in-use',
      isTaken
        ? `the process that is working on ${collection} has taken the action, but does not answer: orbweaver status shows what is in force`
        : `the process that is working on ${collection} does not take the action: it is no crawl or server, it is starting, or it hangs; nothing was changed`,
    )
  }
  const answer = read(disk, path + ANSWER) as Answer
  disk.remove(path + ANSWER)
  if ('problem' in answer) throw new Problem('bad-flag', answer.problem)
  return answer
}

/**
 * Begins to take actions: what an earlier process left is removed. Requests stay: they may have been made while this
 * process started. The folder belongs to this process, whichever user made the first request.
 */
export function openActions(disk: Disk, collection: string): void {
  const folder = join(collection, FOLDER)
  disk.makeFolder(folder)
  for (const name of disk.list(folder))
    if (name.endsWith(TAKEN) || name.endsWith(ANSWER)) disk.remove(join(folder, name))
}

/** Performs what was asked since the last call. Throws when files cannot be read or written; nothing is performed twice. */
export async function answerAsked(
  disk: Disk,
  collection: string,
  control: Control,
  clock: Clock = realClock,
): Promise<void> {
  const folder = join(collection, FOLDER)
  for (const name of disk
    .list(folder)
    .filter((one) => one.endsWith(REQUEST))
    .slice(0, MAX_AT_ONCE)) {
    const path = join(folder, name.slice(0, -REQUEST.length))
    // Gone: the process that asked has waited long enough.
    if (disk.size(path + REQUEST) === undefined) continue
    disk.rename(path + REQUEST, path + TAKEN)
    let answer: Answer | undefined
    try {
      const { who, action, until } = read(disk, path + TAKEN) as Request
      if (until >= clock.now()) answer = await control.perform(String(who), action)
    } catch (error) {
      answer = { problem: reasonOf(error) }
    }
    if (answer !== undefined) write(disk, path + ANSWER, answer)
    disk.remove(path + TAKEN)
  }
}

/** Writes all or nothing. The file need not survive a power failure: nobody waits for it then. */
function write(disk: Disk, path: string, value: unknown): void {
  const file = disk.append(`${path}.new`)
  file.write(new TextEncoder().encode(JSON.stringify(value)))
  file.close()
  disk.rename(`${path}.new`, path)
}

function read(disk: Disk, path: string): unknown {
  return JSON.parse(new TextDecoder().decode(disk.read(path, 0, MAX_BYTES)))
}
