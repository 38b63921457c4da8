/** The plan, for workers that have none or another. Each asks every minute, and it may have millions of seeds. */
import { createHash } from 'node:crypto'
import { Problem } from '../../base/errors.ts'
import type { PlanForWorkers, ServerCalls } from '../../contracts/calls.ts'
import { ApiError } from '../wire/api-error.ts'
import type { Handlers } from './handlers.ts'

export function planHandler(calls: Pick<ServerCalls, 'plan'>): Handlers['plan'] {
  const digests = new WeakMap<PlanForWorkers, string>()
  const digestOf = (plan: PlanForWorkers): string => {
    const known = digests.get(plan)
    if (known !== undefined) return known
    const digest = createHash('sha256').update(JSON.stringify(plan)).digest('base64url')
    digests.set(plan, digest)
    return digest
  }
  return async ({ note }, { have }) => {
    const plan = await calls.plan().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'bad-config') throw error
      throw new ApiError('too-big', error.message, 'the operator of the servers must change that')
    })
    const digest = digestOf(plan)
    if (digest === have) {
      note.result = 'same'
      return { digest }
    }
    const { version, settings, seeds, alternates, files } = plan
    return { digest, plan: { version, settings, seeds: [...seeds], alternates: [...alternates], files: { ...files } } }
  }
}
