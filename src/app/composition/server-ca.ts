/** Whose certificates are trusted, as a file that the operator names. */
import { X509Certificate } from 'node:crypto'
import { Problem } from '../../base/errors.ts'
import type { Settings } from '../config/keys.ts'
import { readSmallFile } from '../config/small-file.ts'

/** A chain has some kilobytes, the roots of a whole machine some hundreds. */
const MAX_BYTES = 2 * 2 ** 20

/** Whose certificates a worker trusts beside those that its machine does. */
export function serverCaOf({ serverCa }: Pick<Settings, 'serverCa'>): string | undefined {
  if (serverCa === undefined) return undefined
  const text = pemOf('--server-ca', serverCa)
  const all = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const bad = () => new Problem('bad-flag', `--server-ca ${serverCa} holds no certificates in PEM`)
  if (all.length === 0) throw bad()
  try {
    for (const one of all) new X509Certificate(one)
  } catch {
    throw bad()
  }
  return text
}

export function pemOf(flag: string, path: string): string {
  const text = readSmallFile(path, MAX_BYTES)
  if (text === undefined) throw new Problem('bad-flag', `${flag} ${path}: there is no such file`)
  return text
}
