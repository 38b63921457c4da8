/** Who is at work, as the table of workers says: for the frontier, which sends a site to whoever had it before or is near it. */

import type { WorkerId } from '../../contracts/visit.ts'
import type { KnownWorkers, Post } from '../../frontier/affinity.ts'
import { workerOf } from './handlers.ts'
import type { WorkerPost } from './worker-table.ts'

export class Roster implements KnownWorkers {
  #present: readonly Post[] = []
  #posts: ReadonlyMap<string, Post> = new Map()

  /** All that are at work, in the order of their ids. */
  hear(workers: readonly WorkerPost[]): void {
    const posts = workers.map(({ id, region }): Post => ({ process: id, region: region ?? id }))
    const isSame = posts.length === this.#present.length && posts.every((post, at) => isAs(post, this.#present[at]))
    if (isSame) return
    this.#present = posts
    this.#posts = new Map(posts.map((post) => [post.process, post]))
  }

  present(): readonly Post[] {
    return this.#present
  }

  postOf(worker: WorkerId): Post | undefined {
    return this.#posts.get(workerOf(worker))
  }
}

function isAs(a: Post, b: Post): boolean {
  return a.process === b.process && a.region === b.region
}
