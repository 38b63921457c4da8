/** Durations and sizes as people write them: `2s`, `500ms`, `1h30m`, `2MB`, `64KiB`. */

const MS = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const
const BYTES = { '': 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 } as const

/** Milliseconds, or undefined when the text is no duration. A bare number is seconds. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase()
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000)
  if (!/^(\d+(\.\d+)?\s*(ms|s|min|m|h|d)\s*)+$/.test(trimmed)) return undefined
  let sum = 0
  for (const [, number, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)/g)) {
    sum += Number(number) * MS[unit as keyof typeof MS]
  }
  return Math.round(sum)
}

/** Bytes, or undefined when the text is no size. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)$/.exec(text.trim().toLowerCase())
  if (match === null) return undefined
  const unit = match[2].length === 1 && match[2] !== 'b' ? match[2] + 'b' : match[2]
  const factor = BYTES[unit as keyof typeof BYTES]
  return factor === undefined ? undefined : Math.round(Number(match[1]) * factor)
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  const seconds = Math.round(ms / 1000)
  if (ms < 10_000 && ms % 1000 !== 0) return `${(ms / 1000).toFixed(1)}s`
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  return `${Math.floor(hours / 24)}d${hours % 24 === 0 ? '' : `${hours % 24}h`}`
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  for (const [unit, factor] of [
    ['kB', 1e3],
    ['MB', 1e6],
    ['GB', 1e9],
    ['TB', 1e12],
  ] as const) {
    if (bytes < factor * 1000 || unit === 'TB')
      return `${(bytes / factor).toFixed(bytes < factor * 10 ? 1 : 0)} ${unit}`
  }
  return `${bytes} B`
}
