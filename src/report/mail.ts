/** Sends mails by SMTP. A mail server that hangs costs a minute and nothing else. */
import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { type Clock, finishesWithin, type Millis } from '../base/clock.ts'
import { Problem, reasonOf } from '../base/errors.ts'

export interface Mail {
  /** The same for the same news: who gets a mail twice, after a crash, can see it. */
  id: string
  subject: string
  text: string
  html: string
  /** PNG, by the name in `cid:NAME`. */
  images: ReadonlyMap<string, Uint8Array>
}

export interface Mailer {
  /** For people: where it sends to. */
  readonly to: string
  /** Rejects with a `Problem` that says what to do. */
  send(mail: Mail): Promise<void>
  /** Gives up the mail under way. */
  close(): void
}

export interface MailerOptions {
  /** smtp://USER:PASSWORD@HOST:PORT or smtps://…; it is never part of a message. */
  smtp: string
  from: string
  to: readonly string[]
  clock: Clock
  /** For a whole mail; each step has less. */
  withinMs?: Millis
}

const WITHIN: Millis = 60_000
const STEP_WITHIN: Millis = 20_000

export function smtpMailer({ smtp, from, to, clock, withinMs = WITHIN }: MailerOptions): Mailer {
  const { protocol, hostname, host, password } = new URL(smtp)
  const stepMs = Math.min(STEP_WITHIN, withinMs)
  const sockets = new Set<Socket>()
  const giveUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  const closed = Promise.withResolvers<never>()
  closed.promise.catch(() => {})
  const transport = createTransport({
    url: smtp,
    // Our own sockets: the library's steps end only where a server is silent, and one that drips would keep its connection for ever.
    getSocket(options, callback) {
      const port = Number(options.port) || (options.secure ? 465 : 587)
      const socket = connect({ host: options.host ?? 'localhost', port, timeout: stepMs })
      const failed = (error: Error) => callback(error, undefined)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.once('error', failed)
      socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
      socket.once('connect', () => {
        socket.off('error', failed)
        socket.removeAllListeners('timeout')
        callback(null, { connection: socket })
      })
    },
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    // A password goes over TLS, or to this machine.
    requireTLS: protocol === 'smtp:' && password !== '' && !isLocal(hostname),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const list = to.join(', ')
  return {
    to: list,
    async send({ id, subject, text, html, images }) {
      const sending = transport.sendMail({
        from,
        to: list,
        subject,
        text,
        html,
        messageId: `<${id}@${domainOf(from)}>`,
        headers: { 'auto-submitted': 'auto-generated', precedence: 'bulk' },
        attachments: [...images].map(([cid, content]) => ({
          filename: `${cid}.png`,
          content: Buffer.from(content),
          cid,
          contentType: 'image/png',
          contentDisposition: 'inline' as const,
        })),
      })
      sending.catch(() => {})
      try {
        if (!(await finishesWithin(clock, withinMs, Promise.race([sending, closed.promise]))))
          throw new Error('it does not answer in time')
      } catch (error) {
        giveUp()
        throw new Problem(
          'mail-failed',
          `the mail to ${list} could not be sent through ${host} (${reasonOf(error).slice(0, 300)}): check --smtp, --mail-from and --mail-to`,
          { cause: error },
        )
      }
    },
    close() {
      closed.reject(new Error('there was no more time'))
      giveUp()
      transport.close()
    },
  }
}

const isLocal = (host: string) => /^(localhost|127\.|\[?::1\]?$)/.test(host)

const domainOf = (from: string): string => /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost'
