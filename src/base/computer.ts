/** The machine that this process runs on: what it has, and how busy a folder's disk is. */
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import type { Millis } from './clock.ts'
import { diskSpace, diskStatistics } from './real-disk.ts'

export interface ThisComputer {
  cpus: number
  cpuModel: string
  /** Processes that run or wait to, in the last minute. */
  load: number
  memoryBytes: number
  freeMemoryBytes: number
  /** Of a folder's disk. */
  freeDiskBytes: number
  /** How busy that was since the look before. Undefined where that can't be known. */
  disk?: DiskLoad
}

const LONGEST_MODEL = 200

/** Several viewers may ask within a second. */
const SHORTEST_LOOK: Millis = 1000

/** Remembers a disk's counters from one look to the next. `folder`: where volumes are written now. */
export function watchComputer(): (folder: string) => ThisComputer {
  let before: { folder: string; counts: DiskCounts; disk: DiskLoad | undefined } | undefined
  return (folder) => {
    const counts = diskCounts(folder)
    const known = before?.folder === folder ? before : undefined
    if (counts === undefined) return thisComputer(folder)
    if (known === undefined || counts.at - known.counts.at >= SHORTEST_LOOK)
      before = { folder, counts, disk: diskLoad(counts, known?.counts) }
    const { disk } = before!
    return { ...thisComputer(folder), ...(disk && { disk }) }
  }
}

/** A disk that does not answer has no room. */
function thisComputer(folder: string): ThisComputer {
  const all = cpus()
  let freeDiskBytes = 0
  try {
    freeDiskBytes = diskSpace(folder).free
  } catch {
    // Its fault is reported where a volume can't be written.
  }
  return {
    cpus: all.length,
    cpuModel: (all[0]?.model ?? '').trim().slice(0, LONGEST_MODEL),
    load: loadavg()[0],
    memoryBytes: totalmem(),
    freeMemoryBytes: freemem(),
    freeDiskBytes,
  }
}

/** A disk's counters since the machine was started, as Linux has them. */
export interface DiskCounts {
  at: Millis
  requests: number
  waitMs: Millis
  writes: number
  sectorsWritten: number
  /** Every request counts while it waits or is served. */
  queuedMs: Millis
}

/** As iostat's w/s, avgqu-sz, await and wsec/s in VN's Table 5. */
export interface DiskLoad {
  /** Over this time. */
  ms: Millis
  writesPerSecond: number
  queue: number
  /** Undefined: there was no request. */
  waitMs?: Millis
  sectorsPerSecond: number
}

const SINCE_START: DiskCounts = { at: 0, requests: 0, waitMs: 0, writes: 0, sectorsWritten: 0, queuedMs: 0 }

/** Undefined when a counter went back: Linux counts milliseconds in 32 bits, and a disk may be another one now. */
export function diskLoad(now: DiskCounts, before = SINCE_START): DiskLoad | undefined {
  if (Object.entries(before).some(([name, count]) => now[name as keyof DiskCounts] < count)) return undefined
  const ms = Math.max(1, now.at - before.at)
  const requests = now.requests - before.requests
  return {
    ms,
    writesPerSecond: ((now.writes - before.writes) * 1000) / ms,
    queue: (now.queuedMs - before.queuedMs) / ms,
    ...(requests > 0 && { waitMs: (now.waitMs - before.waitMs) / requests }),
    sectorsPerSecond: ((now.sectorsWritten - before.sectorsWritten) * 1000) / ms,
  }
}

/** Undefined where there is no /proc/diskstats, or the folder is on no disk of its own (overlay, network). */
export function diskCounts(folder: string): DiskCounts | undefined {
  const found = diskStatistics(folder)
  return found && readDiskStats(found.text, found.device, uptime() * 1000)
}

/** `device`: as `stat` gives it, twelve bits of the major number between those of the minor one. */
export function readDiskStats(text: string, device: number, at: Millis): DiskCounts | undefined {
  const major = (device >>> 8) & 0xfff
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00)
  for (const line of text.split('\n')) {
    const [ofMajor, ofMinor, , ...counts] = line.trim().split(/\s+/)
    if (Number(ofMajor) !== major || Number(ofMinor) !== minor || counts.length < 11) continue
    const [reads, , , readMs, writes, , sectorsWritten, writeMs, , , queuedMs] = counts.map(Number)
    return { at, requests: reads + writes, waitMs: readMs + writeMs, writes, sectorsWritten, queuedMs }
  }
  return undefined
}
