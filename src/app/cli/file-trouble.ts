/** What the machine's files refuse, in one line: a folder that may not be written is no bug of ours. */
import { EXIT } from '../../base/errors.ts'

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file is in its place',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links lead in a circle',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the device reports an error',
}

/** The machine's fault rather than the command's. */
const MACHINE = new Set(['EMFILE', 'ENFILE', 'EIO'])

export function fileTrouble(error: unknown): { line: string; exit: number } | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, path } = error as NodeJS.ErrnoException
  const words = code === undefined || syscall === undefined ? undefined : WORDS[code]
  if (code === undefined || words === undefined) return undefined
  const what = path === undefined ? `${syscall} failed` : `cannot ${syscall} ${path}`
  return { line: `${what}: ${words}`, exit: MACHINE.has(code) ? EXIT.failed : EXIT.usage }
}
