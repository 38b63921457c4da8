/**
 * Binary heaps of (key, id), smallest key first, equal keys by the smaller id. Columns only; they grow by doubling. A heap of ids
 * below a limit, each at most once (`ofIds`), also changes keys and removes ids.
 */
export class Heap {
  size = 0
  private keys: Float64Array
  private ids: Uint32Array
  /** Where each id is, or -1; only `ofIds`. */
  private positions: Int32Array | undefined

  constructor(capacity = 16) {
    this.keys = new Float64Array(Math.max(1, capacity))
    this.ids = new Uint32Array(Math.max(1, capacity))
  }

  static ofIds(limit: number): Heap {
    const heap = new Heap(limit)
    heap.positions = new Int32Array(limit).fill(-1)
    return heap
  }

  /** Only while `size` is not 0. */
  topKey(): number {
    return this.keys[0]
  }
  topId(): number {
    return this.ids[0]
  }

  clear(): void {
    this.positions?.fill(-1)
    this.size = 0
  }

  push(key: number, id: number): void {
    if (this.size === this.keys.length) this.grow()
    this.rise(this.size++, key, id)
  }

  /** Adds without order; `order` must follow. */
  append(key: number, id: number): void {
    if (this.size === this.keys.length) this.grow()
    this.put(this.size++, key, id)
  }
  order(): void {
    for (let at = (this.size >> 1) - 1; at >= 0; at--) this.sink(at, this.keys[at], this.ids[at])
  }

  pop(): number {
    const id = this.ids[0]
    const last = --this.size
    if (last > 0) this.sink(0, this.keys[last], this.ids[last])
    return id
  }

  replaceTop(key: number, id: number): void {
    this.sink(0, key, id)
  }

  /** Adds an id or changes its key. */
  set(key: number, id: number): void {
    const at = this.positions![id]
    if (at < 0) this.push(key, id)
    else this.move(at, key, id)
  }

  remove(id: number): void {
    const at = this.positions![id]
    if (at < 0) return
    this.positions![id] = -1
    const last = --this.size
    if (at < last) this.move(at, this.keys[last], this.ids[last])
  }

  private move(at: number, key: number, id: number): void {
    this.rise(at, key, id)
    if (this.ids[at] === id) this.sink(at, key, id)
  }

  private rise(from: number, key: number, id: number): void {
    const { keys, ids } = this
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      if (keys[up] < key || (keys[up] === key && ids[up] < id)) break
      this.put(at, keys[up], ids[up])
      at = up
    }
    this.put(at, key, id)
  }

  private sink(from: number, key: number, id: number): void {
    const { keys, ids, size } = this
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      const right = child + 1
      if (right < size && (keys[right] < keys[child] || (keys[right] === keys[child] && ids[right] < ids[child])))
        child = right
      const childKey = keys[child]
      if (key < childKey || (key === childKey && id < ids[child])) break
      this.put(at, childKey, ids[child])
      at = child
    }
    this.put(at, key, id)
  }

  private put(at: number, key: number, id: number): void {
    this.keys[at] = key
    this.ids[at] = id
    if (this.positions !== undefined) this.positions[id] = at
  }

  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length)
    const ids = new Uint32Array(2 * this.ids.length)
    keys.set(this.keys)
    ids.set(this.ids)
    this.keys = keys
    this.ids = ids
  }
}
