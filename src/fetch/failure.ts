import type { Failure, FailureKind } from '../contracts/outcome.ts'

export interface Failed {
  kind: 'failed'
  failure: Failure
}

const LONGEST_DETAIL = 200

/** A failure as the treaty has it: the detail is for people, short and without control characters. */
export function failed(kind: FailureKind, detail: string): Failed {
  return {
    kind: 'failed',
    failure: { kind, detail: detail.replace(/[^ -~\x80-\uffff]+/g, ' ').slice(0, LONGEST_DETAIL) },
  }
}

/** What a socket said: its code, which is the same on every machine, or its words. */
export function detailOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}
