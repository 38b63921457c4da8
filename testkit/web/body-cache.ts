/** Bodies made before, up to a number of bytes. It only saves time: what it gives back is what would be made again. */
export interface BodyCache {
  take(key: string, make: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>
}

export function bodyCache(maxBytes: number): BodyCache {
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>()
  let bytes = 0
  return {
    take(key, make) {
      const kept = bodies.get(key)
      if (kept !== undefined) return kept
      const body = make()
      if (body.length > maxBytes) return body
      bodies.set(key, body)
      bytes += body.length
      for (const [oldest, old] of bodies) {
        if (bytes <= maxBytes) break
        bodies.delete(oldest)
        bytes -= old.length
      }
      return body
    },
  }
}
