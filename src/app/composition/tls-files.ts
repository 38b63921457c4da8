/** The certificate of a server and its key, as files that the operator names. */
import { Problem } from '../../base/errors.ts'
import { checkPem, type Pem, type TlsFiles } from '../../cluster/server/open-server.ts'
import type { Settings } from '../config/keys.ts'
import { pemOf } from './server-ca.ts'

/** What the server shows, read anew by whoever wants to know whether it is another: certificates are renewed every few weeks. */
export function tlsFilesOf({
  certificate,
  certificateKey,
}: Pick<Settings, 'certificate' | 'certificateKey'>): TlsFiles | undefined {
  if (certificate === undefined && certificateKey === undefined) return undefined
  if (certificate === undefined || certificateKey === undefined)
    throw new Problem('bad-flag', '--certificate and --certificate-key belong together: give both')
  const read = (): Pem => {
    const pem = { cert: pemOf('--certificate', certificate), key: pemOf('--certificate-key', certificateKey) }
    try {
      checkPem(pem)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Problem(
        'bad-flag',
        `--certificate and --certificate-key cannot be used (${why}): both must be PEM files, and belong to each other`,
      )
    }
    return pem
  }
  return { read }
}
