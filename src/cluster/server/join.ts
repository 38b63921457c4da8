/** Who may become a worker, and read volumes. */
import { timingSafeEqual } from 'node:crypto'
import { ApiError } from '../wire/api-error.ts'
import type { Asked } from './handlers.ts'
import { hashOf } from './worker-book.ts'

/** Compared as hashes: neither the time nor a length tells anything of the secret. */
export function checkJoin(
  secret: string | undefined,
  shown: string | undefined,
  { address, forwarded }: Pick<Asked, 'address' | 'forwarded'>,
): void {
  const hash = (text: string) => hashOf(new TextEncoder().encode(text))
  if (secret !== undefined) {
    if (timingSafeEqual(hash(secret), hash(shown ?? ''))) return
    throw new ApiError('forbidden', 'the join secret is missing or another', 'give --join-secret as the server has it')
  }
  if (!forwarded && /^(127\.|::1$|::ffff:127\.)/.test(address)) return
  throw new ApiError(
    'forbidden',
    'only those on the machine of the server may do that',
    'start the server with --join-secret, and the worker or the command with the same',
  )
}
