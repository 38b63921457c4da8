/**
 * TLS to the database, by the parameters of its address as `psql` reads them: `sslmode`, `sslrootcert`, `sslcert`, `sslkey`.
 * The client library reads them its own way (every mode as the strictest), so they do not reach it.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Problem } from '../../base/errors.ts'

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const
/** All authorities of a system together take a few hundred KB. */
const MAX_BYTES = 2 ** 20

/**
 * Reads the files each time, so that the next connection uses a renewed certificate. `url`: without the parameters of TLS.
 * `ssl`: false: no TLS; undefined: the address does not say, and `PGSSLMODE` decides.
 */
export function tlsOf(address: string): { url: string; ssl: ConnectionOptions | false | undefined } {
  const url = new URL(address)
  const { searchParams } = url
  const mode = modeOf(searchParams.get('sslmode'))
  const files: Partial<Record<'ca' | 'cert' | 'key', Buffer>> = {}
  for (const [parameter, option] of Object.entries(FILES)) {
    const path = searchParams.get(parameter)
    // As in `psql`: the authorities that the system trusts, here those of Node.js.
    if (path !== null && !(parameter === 'sslrootcert' && path === 'system')) files[option] = contents(parameter, path)
  }
  if (mode === undefined && Object.keys(files).length > 0)
    throw bad(`names files for TLS and no sslmode: say sslmode=verify-full`)
  if (mode === 'verify-ca' && files.ca === undefined) throw bad('says sslmode=verify-ca and names no sslrootcert')
  for (const parameter of ['sslmode', ...Object.keys(FILES)]) searchParams.delete(parameter)
  return { url: url.href, ssl: mode === undefined ? undefined : optionsOf(mode, files) }
}

function modeOf(text: string | null): Mode | undefined {
  if (text === null) return undefined
  const mode = MODES.find((one) => one === text)
  if (mode === undefined) throw bad(`says an sslmode that is none of ${MODES.join(', ')}`)
  return mode
}

function optionsOf(mode: Mode, files: ConnectionOptions): ConnectionOptions | false {
  switch (mode) {
    case 'disable':
      return false
    case 'require':
      // Protects against eavesdropping, not impersonation; with an authority it means verify-ca.
      return files.ca === undefined ? { ...files, rejectUnauthorized: false } : optionsOf('verify-ca', files)
    case 'verify-ca':
      return { ...files, checkServerIdentity: () => undefined }
    case 'verify-full':
      return files
  }
}

function contents(parameter: string, path: string): Buffer {
  let bytes: Buffer
  try {
    const about = statSync(path)
    if (!about.isFile() || about.size > MAX_BYTES) throw new RangeError('no file, or too large')
    bytes = readFileSync(path)
  } catch (cause) {
    throw bad(`names a file that cannot be read: ${parameter}=${path}`, cause)
  }
  try {
    // OpenSSL skips what it can't read, and then trusts nobody.
    if (parameter === 'sslkey') createPrivateKey(bytes)
    else new X509Certificate(bytes)
    return bytes
  } catch (cause) {
    const what = parameter === 'sslkey' ? 'key without a passphrase' : 'certificate'
    throw bad(`names a file that holds no ${what} in PEM form: ${parameter}=${path}`, cause)
  }
}

function bad(why: string, cause?: unknown): Problem {
  return new Problem('bad-config', `the address of the database ${why}`, { cause })
}
