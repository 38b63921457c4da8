import type { WorkerId } from '../../contracts/visit.ts'

/** Each thread has leases and addresses of its own, and nobody can name a thread of another worker. */
export const threadOf = (worker: string, thread: string): WorkerId => `${worker}.${thread}`

/** The worker that a thread is of. Ids of workers have no dot. */
export const workerOf = (thread: WorkerId): string => thread.split('.', 1)[0]
