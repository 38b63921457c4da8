/** Questions for twins, asked together: those that come while one is on its way go with the next. */
import type { FindTwin, Twin } from '../../contracts/ports.ts'
import { MOST_DIGESTS } from './protocol.ts'
import type { Servers } from './servers.ts'

interface Question {
  digest: string
  resolve(twin: Twin | undefined): void
}

export function twinFinder(servers: Servers): FindTwin {
  const waiting: Question[] = []
  let isAsking = false

  const askAll = async (): Promise<void> => {
    isAsking = true
    while (waiting.length > 0) {
      const questions = waiting.splice(0, MOST_DIGESTS)
      const answers = await ask(questions.map(({ digest }) => digest))
      for (const [at, { resolve }] of questions.entries()) resolve(answers[at])
    }
    isAsking = false
  }
  /** Nobody to ask, or nobody who answers us: then a payload is stored twice, which costs some bytes and nothing else. */
  const ask = async (digests: string[]): Promise<(Twin | undefined)[]> => {
    try {
      const { answer } = await servers.ask('findTwins', { digests }, { patience: 0 })
      return answer.twins.map((twin) => twin ?? undefined)
    } catch {
      return []
    }
  }

  return (digest) =>
    new Promise((resolve) => {
      waiting.push({ digest, resolve })
      if (!isAsking) void askAll()
    })
}
