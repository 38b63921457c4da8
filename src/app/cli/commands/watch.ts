import { closeSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { replaceFile } from '../../../base/disk.ts'
import { EXIT, Problem } from '../../../base/errors.ts'
import { realDisk } from '../../../base/real-disk.ts'
import type { PageChange } from '../../../collection/captures/read-changes.ts'
import { counts } from '../../../contracts/change.ts'
import type { Settings } from '../../config/keys.ts'
import { changeFeed, latest } from '../change-feed.ts'
import { type Command, type Invocation, withReader } from '../command.ts'
import { outputTo } from '../screen.ts'
import type { CollectionReader } from '../services.ts'
import { isoTime, plainJson } from '../text.ts'

export const watch: Command = {
  name: 'watch',
  usage: '',
  what: 'report changes of pages to other programs, as they are found',
  more:
    'Prints a line of JSON for each change: a page that changed, moved, is missing (404) or gone (410), is back as it was, or, with --new, is new. A change that is smaller than --refresh-counts-as-change (only mark-up, only regions that always change) is not reported. It works while a crawl or refresh runs, here or on other machines (--database). Changes come in the order in which the collection learnt of them. Each has a cursor: with --since CURSOR the next run begins right after it, so that nothing is missed and nothing comes twice. With -o FILE that happens by itself: lines are appended after the last complete one.\n' +
    'With --feed it writes the latest 100 changes as an Atom feed instead, and replaces the file whenever there are new ones.',
  examples: {
    'orbweaver watch --since 2026-05-01': 'Every change since that day.',
    'orbweaver watch --follow --since now': 'Changes from now on, until Ctrl-C.',
    'orbweaver watch --follow -o changes.jsonl': 'Keep a file of all changes; the same command goes on.',
    'orbweaver watch --follow --feed /var/www/changes.atom': 'Keep a feed.',
  },
  async run(call) {
    const { settings } = call
    const stop = new AbortController()
    const forget = call.onInterrupt(() => stop.abort())
    try {
      return await withReader(call, async (reader) => {
        const sink = settings.feed === undefined ? lineSink(call) : feedSink(call, settings.feed)
        try {
          await follow(call, await openChanges(reader, sink.since, settings.collection), sink, stop.signal)
        } finally {
          await sink.close()
        }
        return EXIT.done
      })
    } finally {
      forget()
    }
  },
}

/** How often a collection is asked for changes: reports are applied about as often. */
const POLL_MS = 2000

type Changes = NonNullable<Awaited<ReturnType<CollectionReader['changes']>>>

async function openChanges(reader: CollectionReader, since: Settings['since'], folder: string): Promise<Changes> {
  const changes = await reader.changes(since)
  if (changes !== undefined) return changes
  throw new Problem(
    'bad-flag',
    `the cursor is not one of ${folder}; begin at a time instead: --since 2026-05-01T00:00:00Z`,
  )
}

async function follow(call: Invocation, changes: Changes, sink: Sink, over: AbortSignal): Promise<void> {
  const { follow: goesOn, new: withNew, refreshCountsAsChange: least } = call.settings
  for (;;) {
    for await (const { change, cursor } of changes.read()) {
      if (change.change === 'new' && !withNew) continue
      if (change.change === 'changed' && change.class !== null && !counts(change.class, least)) continue
      await sink.add(change, cursor)
      if (over.aborted) break
    }
    await sink.flush()
    if (!goesOn || over.aborted) return
    await call.clock.sleep(POLL_MS, over)
    if (over.aborted) return
  }
}

interface Sink {
  /** The position to begin at. */
  since: Settings['since']
  add(change: PageChange, cursor: string): Promise<void> | void
  /** A reader now finds everything that was added. */
  flush(): Promise<void>
  close(): Promise<void>
}

function lineSink(call: Invocation): Sink {
  const { output: path, since } = call.settings
  const file = path === undefined || path === '-' ? undefined : openLines(path)
  const output = outputTo(file?.fd, call.screen)
  return {
    since: file?.cursor === undefined ? since : { cursor: file.cursor },
    add: (change, cursor) => output.write(`${plainJson(JSON.stringify(lineOf(change, cursor)))}\n`),
    flush: output.flush,
    close: output.close,
  }
}

function lineOf({ at, id: _, ...change }: PageChange, cursor: string): object {
  return { at: isoTime(at), ...change, cursor }
}

const FIRST_LETTERS = '{"at":"'
/** More than the longest line: a URL has at most some thousand characters, a cursor too. */
const LONGEST_LINE = 256 * 1024

/** A file of lines to append to, without a last line that was cut off; `cursor`: of the last one. */
function openLines(path: string) {
  const fd = openSync(path, 'a+')
  const { size } = statSync(path)
  const tail = Buffer.alloc(Math.min(size, LONGEST_LINE))
  const read = readSync(fd, tail, 0, tail.length, size - tail.length)
  const end = tail.lastIndexOf(10, read)
  const last = tail.subarray(tail.lastIndexOf(10, end - 1) + 1, Math.max(0, end)).toString()
  const cursor = end <= 0 ? undefined : cursorOf(last)
  const isFirstCut = end < 0 && tail.toString('latin1').startsWith(FIRST_LETTERS)
  if (size > 0 && cursor === undefined && !isFirstCut) {
    closeSync(fd)
    throw new Problem('bad-flag', `${path} does not end with a change that watch wrote; choose another file for -o`)
  }
  ftruncateSync(fd, size - tail.length + end + 1)
  return { fd, cursor }
}

function cursorOf(line: string): string | undefined {
  try {
    const { cursor } = JSON.parse(line) as { cursor?: unknown }
    return typeof cursor === 'string' && /^[sp][\w-]{1,4000}$/.test(cursor) ? cursor : undefined
  } catch {
    return undefined
  }
}

function feedSink(call: Invocation, path: string): Sink {
  const { since, collection, database } = call.settings
  let changes: PageChange[] = []
  let isNew = true
  const flush = async () => {
    if (!isNew) return
    isNew = false
    changes = latest(changes)
    const of = database === undefined ? resolve(collection) : 'a shared collection'
    const feed = changeFeed(changes, { collection: of, version: call.version, at: call.clock.now() })
    if (path === '-') await call.screen.write(feed)
    else await replaceFile(realDisk, path, feed)
  }
  return {
    since,
    add(change) {
      changes.push(change)
      isNew = true
      // Only the latest stay: the file is written when all have been read.
      if (changes.length >= 10_000) changes = latest(changes)
    },
    flush,
    async close() {},
  }
}
