/** Binary heaps of (key, id), smallest key first, equal keys by the smaller id. Columns only; they grow by doubling. */
export class Heap {
  size = 0
  private keys: Float64Array
  private ids: Uint32Array

  constructor(capacity = 16) {
    this.keys = new Float64Array(Math.max(1, capacity))
    this.ids = new Uint32Array(Math.max(1, capacity))
  }

  /** Only while `size` is not 0. */
  topKey(): number {
    return this.keys[0]
  }
  topId(): number {
    return this.ids[0]
  }

  clear(): void {
    this.size = 0
  }

  push(key: number, id: number): void {
    if (this.size === this.keys.length) this.grow()
    const { keys, ids } = this
    let at = this.size++
    while (at > 0) {
      const up = (at - 1) >> 1
      const upKey = keys[up]
      if (upKey < key || (upKey === key && ids[up] < id)) break
      keys[at] = upKey
      ids[at] = ids[up]
      at = up
    }
    keys[at] = key
    ids[at] = id
  }

  /** Adds without order; `order` must follow. */
  append(key: number, id: number): void {
    if (this.size === this.keys.length) this.grow()
    this.keys[this.size] = key
    this.ids[this.size++] = id
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
      keys[at] = childKey
      ids[at] = ids[child]
      at = child
    }
    keys[at] = key
    ids[at] = id
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

/** One heap per server over all its pages; only keys change. */
export class ServerHeaps {
  private readonly keys: Float64Array
  private readonly pages: Uint32Array
  private readonly start: Uint32Array

  constructor(members: Uint32Array, start: Uint32Array, keys: Float64Array) {
    this.keys = keys
    this.pages = members.slice()
    this.start = start
    for (let server = 0; server + 1 < start.length; server++)
      for (let at = ((start[server + 1] - start[server]) >> 1) - 1; at >= 0; at--) this.sink(server, at)
  }

  /** The page with the smallest key, or -1 for a server without pages. */
  top(server: number): number {
    const at = this.start[server]
    return at === this.start[server + 1] ? -1 : this.pages[at]
  }
  keyOf(page: number): number {
    return this.keys[page]
  }
  setTop(server: number, key: number): void {
    this.keys[this.pages[this.start[server]]] = key
    this.sink(server, 0)
  }

  private sink(server: number, from: number): void {
    const { keys, pages } = this
    const base = this.start[server]
    const size = this.start[server + 1] - base
    const page = pages[base + from]
    const key = keys[page]
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(keys, pages[base + child + 1], pages[base + child])) child++
      const below = pages[base + child]
      if (key < keys[below] || (key === keys[below] && page < below)) break
      pages[base + at] = below
      at = child
    }
    pages[base + at] = page
  }
}

function isBefore(keys: Float64Array, one: number, other: number): boolean {
  return keys[one] < keys[other] || (keys[one] === keys[other] && one < other)
}

/** A heap of ids below a limit, each at most once, with changeable keys and removal. */
export class IdHeap {
  size = 0
  private readonly keys: Float64Array
  private readonly ids: Uint32Array
  private readonly positions: Int32Array

  constructor(limit: number) {
    this.keys = new Float64Array(limit)
    this.ids = new Uint32Array(limit)
    this.positions = new Int32Array(limit).fill(-1)
  }

  /** Only while `size` is not 0. */
  topKey(): number {
    return this.keys[this.ids[0]]
  }
  topId(): number {
    return this.ids[0]
  }

  clear(): void {
    for (let at = 0; at < this.size; at++) this.positions[this.ids[at]] = -1
    this.size = 0
  }

  set(id: number, key: number): void {
    const at = this.positions[id] < 0 ? this.size++ : this.positions[id]
    this.keys[id] = key
    this.sink(this.rise(at, id), id)
  }

  remove(id: number): void {
    const at = this.positions[id]
    if (at < 0) return
    this.positions[id] = -1
    const last = this.ids[--this.size]
    if (last !== id) this.sink(this.rise(at, last), last)
  }

  private rise(from: number, id: number): number {
    const { keys, ids, positions } = this
    let at = from
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!isBefore(keys, id, ids[up])) break
      ids[at] = ids[up]
      positions[ids[at]] = at
      at = up
    }
    return at
  }

  private sink(from: number, id: number): void {
    const { keys, ids, positions, size } = this
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(keys, ids[child + 1], ids[child])) child++
      if (isBefore(keys, id, ids[child])) break
      ids[at] = ids[child]
      positions[ids[at]] = at
      at = child
    }
    ids[at] = id
    positions[id] = at
  }
}
