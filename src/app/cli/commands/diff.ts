import { Problem } from '../../../base/errors.ts'
import { pick } from '../../../base/pick.ts'
import type { PageDiff } from '../../../page/change/diff.ts'
import type { ImageDiff, ImageVersion } from '../../../page/change/image-diff.ts'
import type { PageVersion, Versions } from '../../reader/versions.ts'
import { type Answer, type Command, type Invocation, withReader } from '../command.ts'
import { diffPage } from '../diff-html.ts'
import { compare, comparePictures, diffLines, notesOf, summaryOf, versionText } from '../diff-text.ts'
import { openOutput } from '../screen.ts'
import type { CollectionReader } from '../services.ts'
import { collectionFlag, explainHint, firstOf, isoTime, plain, shellWord, some, timeText, urlsOf } from '../text.ts'

export const diff: Command = {
  name: 'diff',
  usage: 'URL',
  what: 'show what changed on a page between two captures',
  more:
    'Compares the latest capture with the last one before it that differs, or what was current at --from and --to. Only captures that have the page count: redirects and errors are left out. Both versions are split into blocks (paragraphs, items, cells, headings), which are shown side by side with their places in the page; words that changed are marked. Moved blocks are shown as moved. Blocks with the same text whose links, images, tags or attributes differ are listed with these. Text that is not HTML is compared line by line, images (PNG, JPEG, GIF) by their pixels and codes, anything else by size and digest.\n' +
    'With --html it writes the comparison as a web page.',
  examples: {
    'orbweaver diff https://www.example.org/': 'What the last change was.',
    'orbweaver diff https://www.example.org/ --from 2026-05-01 --to 2026-06-01': 'What changed in May.',
    'orbweaver diff https://www.example.org/ --html changes.html': 'The same as a web page.',
  },
  async run(call) {
    const { settings, screen } = call
    const { from, to } = settings
    if (from !== undefined && to !== undefined && from > to)
      throw new Problem(
        'bad-flag',
        `--from (${timeText(from)} UTC) is later than --to (${timeText(to)} UTC); swap them`,
      )
    const versions = await findVersions(call)
    const { before, after } = versions
    if (before === undefined) return noOther(call, versions)
    const found = compare(before, after)
    const images = await comparePictures(versions)
    if (settings.html !== undefined) await writePage(call, versions, found, images)
    const json = asJson(versions, found, images)
    if (settings.html !== undefined) return { json, text: undefined }
    const head = [plain(versions.url), ...headLines(versions, images)]
    if (found === undefined || settings.json) return { json, text: head }
    for (const line of [...head, ...summaryOf(found)]) screen.printSentence(line)
    // These fit on a terminal.
    const look = { width: screen.width(), colour: screen.printsColour }
    return { json, text: ['', ...diffLines(found, look)].join('\n') }
  },
}

type Found = Awaited<ReturnType<CollectionReader['versions']>>

async function findVersions(call: Invocation): Promise<Versions> {
  const { settings, args } = call
  const urls = urlsOf(args[0])
  const ask = pick(settings, 'from', 'to')
  let missing: Extract<Found, { missing: string }> | undefined
  const found = await withReader(call, (reader) =>
    firstOf(urls, async (url) => {
      const answer = await reader.versions(url, ask)
      if (!('missing' in answer)) return answer
      if (missing === undefined || answer.captures + answer.looks > 0) missing = answer
      return undefined
    }),
  )
  if (found !== undefined) return found
  throw new Problem('not-found', whyMissing(urls[0], missing!, call))
}

function whyMissing(
  url: string,
  { missing, captures, looks, first }: Extract<Found, { missing: string }>,
  call: Invocation,
): string {
  const { collection, from, to } = call.settings
  const at = missing === 'from' ? from : to
  if (first !== undefined)
    return `${url} was not collected at or before ${timeText(at!)} UTC; its first capture here is of ${timeText(first)} UTC`
  if (captures > 0)
    return `${url} has ${some(captures, 'capture')}, but none that has a page: they are redirects or errors; 'orbweaver history ${shellWord(url)}${collectionFlag(collection)}' lists them`
  if (looks > 0)
    return `${url} has no captures left: it was looked at ${some(looks, 'time')}, but refused, failed, or its captures were removed (clean --retention)`
  return `${url} was not collected; ${explainHint(url, collection)}`
}

/** Only one version is no mistake if the page was looked at several times. */
function noOther(call: Invocation, versions: Versions): Answer {
  const { url, after, whole, withoutCapture } = versions
  const removed =
    withoutCapture > 0
      ? ` (${some(withoutCapture, 'other look')} left no capture, or it was removed: clean --retention)`
      : ''
  if (whole.count === 1)
    throw new Problem(
      'not-found',
      `${plain(url)} has one capture, of ${timeText(after.at)} UTC${removed}, so there is nothing to compare; 'orbweaver refresh${collectionFlag(call.settings.collection)}' looks again`,
    )
  const same = `${plain(url)} is the same in ${some(whole.count, 'capture')} from ${timeText(whole.first)} to ${timeText(after.at)} UTC${removed}.`
  return { json: asJson(versions, undefined), text: [same] }
}

function headLines(versions: Versions, images: ImageDiff | undefined): string[] {
  const { before, after } = versions
  return [`  before  ${versionText(before!)}`, `  after   ${versionText(after)}`, ...notesOf(versions, images)]
}

async function writePage(
  call: Invocation,
  versions: Versions,
  found: PageDiff | undefined,
  images: ImageDiff | undefined,
): Promise<void> {
  const { html: path, quiet, json } = call.settings
  const output = openOutput(path, call.screen)
  await output.write(diffPage(versions, found, images))
  await output.close()
  if (path !== '-' && !quiet && !json) call.screen.say(`wrote ${path}`)
}

function asJson(
  { url, before, after, whole, others }: Versions,
  found: PageDiff | undefined,
  images?: ImageDiff,
): object {
  const version = (one: PageVersion) => ({
    at: isoTime(one.at),
    ...pick(one, 'status', 'mediaType', 'digest'),
    bytes: one.body.length,
    ...pick(one, 'volume', 'offset'),
  })
  return {
    url,
    captures: whole.count,
    leftOut: others,
    before: before === undefined ? null : version(before),
    after: version(after),
    isSame: before === undefined || before.digest === after.digest,
    diff: found ?? null,
    images: images === undefined ? null : { ...images, before: codesIn(images.before), after: codesIn(images.after) },
  }
}

/** JSON has no whole numbers of that size. */
function codesIn(version: ImageVersion): object {
  if ('undecoded' in version) return version
  return { ...version, ival: String(version.ival), perceptual: version.perceptual.toString(16).padStart(16, '0') }
}
