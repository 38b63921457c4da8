/** A store in memory that can fail before any write or removal. */
import type { ObjectStore } from './s3-store.ts'

export interface MemoryStore extends ObjectStore {
  objects: Map<string, Uint8Array>
  /** Before each write or removal. */
  may(): void
}

export function memoryStore(): MemoryStore {
  const objects = new Map<string, Uint8Array>()
  const store: MemoryStore = {
    objects,
    may() {},
    async put(key, bytes) {
      store.may()
      objects.set(key, bytes.slice())
    },
    async putLarge(key, size, read) {
      store.may()
      objects.set(key, read(0, size).slice())
    },
    get: async (key, offset, length) => objects.get(key)?.slice(offset, offset + length),
    size: async (key) => objects.get(key)?.length,
    list: async (prefix) =>
      [...objects]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, bytes]) => ({ key, size: bytes.length }))
        .sort((a, b) => (a.key < b.key ? -1 : 1)),
    async remove(keys) {
      for (const key of keys) {
        store.may()
        objects.delete(key)
      }
    },
    close() {},
  }
  return store
}
