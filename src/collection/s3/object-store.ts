/** What we need of an object store: objects are written whole, never changed, and durable when `put` has ended. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Of any size, read in pieces; the object exists with all of its bytes, or not at all. */
  putLarge(key: string, size: number, read: (offset: number, length: number) => Uint8Array): Promise<void>
  /** Fewer bytes at the object's end; undefined when there is no such object. */
  get(key: string, offset: number, length: number): Promise<Uint8Array | undefined>
  size(key: string): Promise<number | undefined>
  /** All keys with this prefix, sorted. */
  list(prefix: string): Promise<{ key: string; size: number }[]>
  remove(keys: readonly string[]): Promise<void>
  close(): void
}
