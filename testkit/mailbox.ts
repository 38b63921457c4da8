/** A mail server on this machine that keeps what it gets, for tests. */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { selfSigned } from './web/certificate.ts'

export interface Received {
  from: string
  to: string[]
  /** The whole message. */
  source: string
  isSecure: boolean
}

export interface Mailbox extends AsyncDisposable {
  /** `host:port`. */
  readonly host: string
  readonly url: string
  readonly mails: readonly Received[]
  /** Resolves when there are so many. */
  received(count: number): Promise<void>
}

export interface MailboxOptions {
  /** Without these, anyone may send. */
  user?: string
  password?: string
  /** TLS from the beginning. */
  isTls?: boolean
  port?: number
}

export async function openMailbox({ user, password, isTls = false, port = 0 }: MailboxOptions = {}): Promise<Mailbox> {
  const mails: Received[] = []
  let news = Promise.withResolvers<void>()
  const needsLogin = user !== undefined
  const server = new SMTPServer({
    ...selfSigned(['localhost']),
    secure: isTls,
    authOptional: !needsLogin,
    disabledCommands: needsLogin || isTls ? [] : ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onAuth(given, _session, done) {
      const isRight = given.username === user && given.password === password
      if (isRight) done(null, { user })
      else done(new Error('wrong user or password'))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
        })
        news.resolve()
        news = Promise.withResolvers()
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: listening } = server.server.address() as AddressInfo
  const host = `127.0.0.1:${listening}`
  return {
    host,
    url: `smtp://${host}`,
    mails,
    async received(count) {
      while (mails.length < count) await news.promise
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
