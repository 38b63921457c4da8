import type { Failure, FailureKind } from '../contracts/outcome.ts'

export interface Failed {
  kind: 'failed'
  failure: Failure
}

const LONGEST_DETAIL = 200

/** The detail is for people: short and without control characters. */
export function failed(kind: FailureKind, detail: string): Failed {
  return {
    kind: 'failed',
    failure: { kind, detail: detail.replace(/[^ -~\x80-\uffff]+/g, ' ').slice(0, LONGEST_DETAIL) },
  }
}

/** The error's code, which is the same on every machine, or its message. */
export function detailOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}
