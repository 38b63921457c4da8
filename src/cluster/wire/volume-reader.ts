/** Reads bytes of a volume on a server, for operators. */
import type { Millis } from '../../base/clock.ts'
import type { ReadAt } from '../../collection/locations/read-volumes.ts'
import { CALLS } from './calls.ts'
import { refusalOf, untrusted } from './classify-answer.ts'
import { type HttpClient, NoAnswer, sendAgainIfStale } from './http-client.ts'
import { MAX_VOLUME_PIECE, PROTOCOL, PROTOCOL_HEADER } from './protocol.ts'

const ANSWER_WITHIN: Millis = 60_000

export interface ShownSecrets {
  /** As the servers have it. */
  joinSecret?: string | undefined
  /** For servers without a join secret: where there are tokens, their own machine needs one, too. */
  operatorToken?: string | undefined
}

function authorizationOf({ joinSecret, operatorToken }: ShownSecrets): { authorization?: string } {
  if (joinSecret !== undefined) return { authorization: `Join ${Buffer.from(joinSecret).toString('base64url')}` }
  return operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }
}

/** The reader throws NoAnswer or Refusal. */
export function volumeReader(client: HttpClient, server: string, shown: ShownSecrets): ReadAt {
  const authorization = authorizationOf(shown)
  const { method, path } = CALLS.readVolume
  const piece = async (name: string, offset: number, length: number): Promise<Uint8Array> => {
    const answer = await sendAgainIfStale(client, () => ({
      method,
      url: `${server}${path.replace(':name', encodeURIComponent(name))}?offset=${offset}&length=${length}`,
      headers: { ...authorization, [PROTOCOL_HEADER]: String(PROTOCOL) },
      body: undefined,
      withinMs: ANSWER_WITHIN,
    })).catch((error: unknown) => {
      throw error instanceof NoAnswer && error.isUntrusted ? untrusted(server, error) : error
    })
    if (answer.status !== 200) throw refusalOf(server, answer)
    return answer.body.subarray(0, length)
  }
  return async (name, offset, length) => {
    const pieces: Uint8Array[] = []
    let got = 0
    while (got < length) {
      const bytes = await piece(name, offset + got, Math.min(MAX_VOLUME_PIECE, length - got))
      if (bytes.length === 0) break
      pieces.push(bytes)
      got += bytes.length
    }
    return Buffer.concat(pieces, got)
  }
}
