/** What is wrong with a finished crawl: the set, the servers' side, the sums, the volumes, the index, the log. */
import { sha1 } from '../../src/base/digest.ts'
import type { Disk } from '../../src/base/disk.ts'
import { INDEX } from '../../src/collection/captures/cdxj-merge.ts'
import { captureCount, capturesIn, capturesSince } from '../../src/collection/captures/read-captures.ts'
import { readCounters } from '../../src/collection/counters/counters.ts'
import { localVolumes, type ReadLocation } from '../../src/collection/volumes/local-volumes.ts'
import { readCapture } from '../../src/collection/volumes/read-capture.ts'
import { verifyVolume } from '../../src/collection/volumes/verify-volume.ts'
import { isVolume } from '../../src/collection/volumes/volume-name.ts'
import type { Tx } from '../../src/database/database.ts'
import { queries } from '../../src/database/queries.ts'
import type { Stage } from './crawl-run.ts'
import { type Forgotten, judge } from './judge.ts'
import { FOLDER } from './virtual-coordinator.ts'

/** What was broken, without the case: what stands before the colon. */
export const invariantOf = (fault: string): string => fault.split(':', 1)[0]

export interface VolumeFolder {
  disk: Disk
  folder: string
}

/** `archives`: where volumes lie, and `servers`: the disks with index and log, if that is not one machine. */
export async function faultsOf(
  stage: Stage,
  forgotten: Forgotten = () => false,
  archives: readonly VolumeFolder[] = [{ disk: stage.disk, folder: `${FOLDER}/archive` }],
  servers: readonly Disk[] = [stage.disk],
): Promise<string[]> {
  const judgement = await judge(stage, forgotten)
  const faults = [
    ...judgement.missing.map((url) => `not collected: ${url}`),
    ...judgement.surplus.map((url) => `collected, and not permitted or not reachable: ${url}`),
  ]
  for (const [what, count] of Object.entries(judgement)) {
    if (typeof count === 'number' && what !== 'expected' && what !== 'violations' && count > 0)
      faults.push(`${what}: ${count}, first ${judgement.examples[what]}`)
  }
  faults.push(...(await stage.database.read((tx) => sumsThatDiffer(tx, answersIn(stage)))))
  faults.push(...(await volumeFaults(stage, archives)), ...(await lastCaptureFaults(stage, archives)))
  faults.push(...(await indexFaults(stage, servers)), ...(await logFaults(stage, servers)))
  return faults
}

/** Counters and totals are kept, not counted: each must be what counting gives. */
async function sumsThatDiffer(tx: Tx, answersGiven: number): Promise<string[]> {
  const counters = await readCounters(tx)
  const one = async (sql: string) => (await queries(tx).get<{ n: number | null }>(sql))?.n ?? 0
  const kept = `FROM page WHERE outcome = 'kept'`
  const pairs: [what: string, kept: number, counted: number][] = [
    ['documents', counters.get('documents') ?? 0, await one(`SELECT count(*) AS n ${kept}`)],
    ['bytes', counters.get('bytes') ?? 0, await one(`SELECT sum(bytes) AS n ${kept}`)],
    [
      'documents of servers',
      await one('SELECT sum(documents) AS n FROM site_stats'),
      await one(`SELECT count(*) AS n ${kept}`),
    ],
    ['requests of servers', await one('SELECT sum(requests) AS n FROM site_stats'), counters.get('requests') ?? 0],
    [
      'documents per minute',
      await one('SELECT sum(documents) AS n FROM minute'),
      await one(`SELECT count(*) AS n ${kept}`),
    ],
    [
      'URLs known',
      await one('SELECT sum(urls_known) AS n FROM frontier_total'),
      await one('SELECT count(*) AS n FROM url'),
    ],
    ['URLs known to sites', await one('SELECT sum(known) AS n FROM site'), await one('SELECT count(*) AS n FROM url')],
    ['URLs waiting', await one('SELECT sum(urls_waiting) AS n FROM frontier_total'), 0],
    ['URLs not marked', await one('SELECT count(*) AS n FROM url WHERE mark = 0'), 0],
    ['parts in the inbox', await one('SELECT count(*) AS n FROM inbox'), 0],
    ['leases', await one('SELECT count(*) AS n FROM site WHERE lease_until IS NOT NULL'), 0],
    ['pages granted', await one('SELECT sum(pages_granted) AS n FROM frontier_total'), 0],
    ['captures twice', await one('SELECT count(*) - count(DISTINCT volume || \' \' || "offset") AS n FROM capture'), 0],
    ['answers that no server gave', Math.max(0, answersCounted(counters) - answersGiven), 0],
  ]
  return pairs.filter(([, a, b]) => a !== b).map(([what, a, b]) => `${what}: ${a}, and not ${b}`)
}

/** Every volume is closed and whole, and has every capture that the catalogue knows in it, where it says. */
async function volumeFaults({ database }: Stage, archives: readonly VolumeFolder[]): Promise<string[]> {
  const faults: string[] = []
  let found = 0
  for (const { disk, folder } of archives) {
    for (const name of disk.list(folder)) {
      if (!isVolume(name)) faults.push(`volumes: ${name} is no closed volume`)
      const inVolume = new Map<number, string>()
      const reading = verifyVolume(disk, `${folder}/${name}`, ({ offset, length, digest, kind, url }) => {
        inVolume.set(offset, `${kind} ${url} ${digest} ${length}`)
      })
      for await (const { offset, what } of reading) faults.push(`volumes: ${name} at ${offset}: ${what}`)
      const known = await database.read((tx) => capturesIn(tx, name, 0, 1_000_000))
      found += known.length
      for (const { offset, length, digest, kind, url } of known) {
        if (inVolume.get(offset) !== `${kind} ${url} ${digest} ${length}`)
          faults.push(`volumes: ${name} at ${offset} is not ${kind} of ${url}`)
      }
    }
  }
  const all = await database.read((tx) => captureCount(tx))
  if (found !== all) faults.push(`volumes: ${all - found} captures in volumes that are not there`)
  return faults
}

/** Of every URL the last capture can be read, through the revisit that it may be, and has its digest. */
async function lastCaptureFaults({ database }: Stage, archives: readonly VolumeFolder[]): Promise<string[]> {
  const captures = await database.read((tx) => capturesSince(tx, 0, 1_000_000))
  const last = new Map(captures.map((capture) => [capture.url, capture]))
  const responses = new Map(
    captures.filter(({ kind }) => kind === 'response').map((capture) => [`${capture.url} ${capture.at}`, capture]),
  )
  const folders = archives.map(({ disk, folder }) => localVolumes(disk, folder))
  const anywhere: ReadLocation = async (location) => {
    for (const read of folders) {
      const found = await read(location)
      if (found.kind === 'bytes') return found
    }
    return { kind: 'absent', why: 'is in no folder' }
  }
  const faults: string[] = []
  for (const [url, capture] of last) {
    const read = await readCapture(anywhere, capture, (of, at) => responses.get(`${of} ${at}`))
    if (read.kind === 'unreadable') faults.push(`last capture: ${url} ${read.why}`)
    else if (sha1(read.body) !== capture.digest) faults.push(`last capture: ${url} has another payload`)
  }
  return faults
}

/** Each server has an index of everything, that of the last one to end is whole. */
async function indexFaults({ database }: Stage, servers: readonly Disk[]): Promise<string[]> {
  const indexes = servers.map((disk) => linesOf(disk, `${FOLDER}/indexes/${INDEX}`))
  const lines = indexes.reduce((longest, one) => (one.length > longest.length ? one : longest))
  const captures = await database.read((tx) => captureCount(tx))
  const faults = lines.length === captures ? [] : [`index: ${lines.length} lines for ${captures} captures`]
  if (lines.some((line, i) => i > 0 && Buffer.compare(Buffer.from(lines[i - 1]), Buffer.from(line)) >= 0))
    faults.push('index: not sorted')
  return faults
}

/** One line for every page that was told of: those with a status of HTTP are the requests that were answered. */
async function logFaults({ database }: Stage, servers: readonly Disk[]): Promise<string[]> {
  const lines = servers.flatMap((disk) => linesOf(disk, `${FOLDER}/logs/crawl.log`))
  const answered = lines.filter((line) => Number(line.trim().split(/\s+/)[1]) > 0).length
  const counters = await database.read((tx) => readCounters(tx))
  const counted = answersCounted(counters)
  return answered === counted ? [] : [`crawl.log: ${answered} answers, ${counted} counted`]
}

/** Requests that met nobody are counted as requests, not as answers. */
function answersCounted(counters: ReadonlyMap<string, number>): number {
  let counted = 0
  for (const [name, value] of counters) if (name.startsWith('status:')) counted += value
  return counted
}

/** More than were heard, if a worker died meanwhile; never fewer. */
const answersIn = ({ ledger }: Stage): number => ledger.entries.filter(({ status }) => status > 0).length

function linesOf(disk: Disk, path: string): string[] {
  const text = Buffer.from(disk.read(path, 0, disk.size(path) ?? 0)).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}
