/** The certificate that a server shows follows its files: nobody has to start it again when they are renewed. */
import type { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'

/** PEM texts. */
export interface Pem {
  cert: string
  key: string
}

export interface TlsFiles {
  /** As they are now. Throws when they cannot be read, or do not belong to each other: they are replaced one after the other. */
  read(): Pem
}

/** Throws when they are no PEM, or do not belong to each other. */
export function checkPem(pem: Pem): void {
  createSecureContext({ ...pem })
}

/** To be called every so often. Who is connected stays so; whoever comes sees the new one. */
export function renewTls(
  files: TlsFiles,
  first: Pem,
  server: Pick<TlsServer, 'setSecureContext'>,
  journal: Journal<Event>,
): () => Promise<void> {
  let shown = first
  let said = ''
  return async () => {
    let what = ''
    try {
      const next = files.read()
      if (next.cert !== shown.cert || next.key !== shown.key) {
        server.setSecureContext({ ...next })
        shown = next
        what = 'the certificate was renewed'
      }
    } catch (error) {
      what = `the certificate stays as it was: ${error instanceof Error ? error.message : error}`
    }
    if (what !== '' && what !== said) journal.record({ kind: 'trouble', what })
    said = what
  }
}
