/** A visit's name says whose lease it is and which one, so that no table has to be asked: 16 hex digits, dot, fence. */
import type { VisitId } from '../contracts/visit.ts'

export function visitId(site: bigint, fence: number): VisitId {
  return `${BigInt.asUintN(64, site).toString(16).padStart(16, '0')}.${fence}`
}

/** Undefined for what is no name of a visit: it may come from anywhere. */
export function readVisitId(id: VisitId): { site: bigint; fence: number } | undefined {
  const match = /^([0-9a-f]{16})\.([1-9]\d{0,14})$/.exec(id)
  return match === null ? undefined : { site: BigInt('0x' + match[1]), fence: Number(match[2]) }
}
