/** Certificates and keys that settings name, as PEM files. */
import { X509Certificate } from 'node:crypto'
import { Problem } from '../../base/errors.ts'
import type { Settings } from './keys.ts'
import { readSmallFile } from './small-file.ts'

/** A chain of certificates has some kilobytes, the roots of a whole machine some hundreds. */
const MAX_PEM_BYTES = 2 * 2 ** 20

/** The certificates that the operator trusts servers with, beside those that the machine trusts. */
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
  const text = readSmallFile(path, MAX_PEM_BYTES)
  if (text === undefined) throw new Problem('bad-flag', `${flag} ${path}: there is no such file`)
  return text
}
