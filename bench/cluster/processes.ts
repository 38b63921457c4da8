/** The processes of a measured cluster: what they say, what they cost, and their end. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const TICKS_A_SECOND = 100

/** What the first group of the pattern finds in its standard error. */
export async function said(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const piece of child.stderr!) {
    text += piece
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`the server did not start: ${text}`)
}

/** CPU seconds of all of its threads; undefined when it has ended. Of Linux only, as all of /proc. */
export function cpuOf(pid: number): number | undefined {
  const fields = statOf(pid)
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** With its children, those that live and those that have ended. */
export function cpuOfFamily(pid: number): number {
  const fields = statOf(pid) ?? []
  const ended = (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_A_SECOND
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return (cpuOf(pid) ?? 0) + ended + children.reduce((sum, child) => sum + (cpuOf(Number(child)) ?? 0), 0)
}

/** What stands behind its name, which may hold anything. */
function statOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
  } catch {
    return undefined
  }
}

/** The last started first. */
export async function endAll(running: readonly ChildProcess[]): Promise<void> {
  for (const child of running.toReversed()) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}
