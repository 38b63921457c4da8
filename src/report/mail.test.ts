/** Mails through a real SMTP server: what arrives, over TLS and with a password, and what happens when the server hangs. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { PNG } from 'pngjs'
import { openMailbox } from '../../testkit/mailbox.ts'
import { realClock } from '../base/clock.ts'
import { Problem } from '../base/errors.ts'
import type { DayFigures } from '../collection/day-figures.ts'
import { type DayReport, dayMail, problemMail } from './crawl-mail.ts'
import { linePng } from './line-image.ts'
import { smtpMailer } from './mail.ts'

const HOUR = 3_600_000
const steps = (value: (n: number) => number) => Array.from({ length: 144 }, (_, n) => value(n))
const FIGURES: DayFigures = {
  from: Date.UTC(2026, 10, 15, 7),
  to: Date.UTC(2026, 10, 16, 7),
  steps: {
    ms: 600_000,
    requests: steps((n) => 100 + n),
    documents: steps((n) => 80 + n),
    bytes: steps((n) => 1000 * n),
    collected: steps((n) => 10 * n),
    waiting: [...steps((n) => 5000 - n).slice(0, 100), ...Array(44).fill(undefined)],
  },
  activeMinutes: 30,
  counters: new Map([
    ['documents', 123_456],
    ['bytes', 9.5e9],
  ]),
  recent: new Map([
    ['status:200', 9000],
    ['failure:<b>dns</b>', 12],
  ]),
}
const REPORT: DayReport = {
  name: 'news',
  ended: undefined,
  figures: FIGURES,
  urls: { known: 200_000, marked: 150_000, waiting: 50_000 },
  sites: { crawled: 10, waiting: 5, barred: 1 },
  freshness: { freshness: 0.912, bound: 0.95 },
  problems: [{ name: 'disk', what: 'the disk of /x has 1 GB left: make room', since: FIGURES.to - HOUR }],
}
const mailerTo = (smtp: string, withinMs?: number) =>
  smtpMailer({
    smtp,
    from: 'Crawl <crawl@example.org>',
    to: ['ops@example.org', 'b@example.org'],
    clock: realClock,
    withinMs,
  })

test("the day's mail: text and HTML say the same, charts are inside, strangers' texts are only texts", async () => {
  await using mailbox = await openMailbox()
  const mail = dayMail(REPORT)
  await mailerTo(mailbox.url).send(mail)
  const [{ from, to, source }] = mailbox.mails
  assert.deepEqual([from, to], ['crawl@example.org', ['ops@example.org', 'b@example.org']])
  assert.match(source, /^Subject: \[orbweaver news\] the day until 2026-11-16 07:00 UTC, 1 problem\r\n/m)
  assert.match(source, /^Message-ID: <day\.[0-9a-f]+@example\.org>\r\n/m)
  assert.match(source, /^Auto-Submitted: auto-generated\r\n/m)
  assert.match(source, /multipart\/alternative[\s\S]*text\/plain[\s\S]*multipart\/related[\s\S]*text\/html/)
  for (const id of ['urls', 'requests', 'bytes']) {
    assert.ok(mail.html.includes(`<img src="cid:${id}"`))
    assert.ok(source.includes(`Content-ID: <${id}>`))
  }
  assert.equal(source.match(/Content-Disposition: inline/g)?.length, 3)
  for (const said of [
    '200,000 known',
    '123,456 (9.5 GB)',
    '91.2 %, at most 95.0 %',
    'make room',
    '9,000',
    '13.72 in the minutes',
  ]) {
    assert.ok(mail.text.includes(said), said)
    assert.ok(mail.html.includes(said), said)
  }
  assert.ok(!mail.html.includes('<b>dns') && mail.html.includes('&#60;b&#62;dns'))
  assert.doesNotMatch(mail.html, /https?:/)
})

test('a chart is a PNG with its lines', () => {
  const { width, height, data } = PNG.sync.read(
    Buffer.from(
      linePng({
        lines: [
          [0, 10, undefined, 5],
          [10, 0, 0, 0],
        ],
      }),
    ),
  )
  assert.deepEqual([width, height], [600, 160])
  const colours = new Set<string>()
  for (let at = 0; at < data.length; at += 4) colours.add(data.subarray(at, at + 3).toString('hex'))
  assert.deepEqual(colours, new Set(['ffffff', 'dddddd', '1f3a6e', 'c2571a']))
  assert.doesNotThrow(() => PNG.sync.read(Buffer.from(linePng({ lines: [[], [undefined]] }))))
})

test('problems: what begins and what is over, with the same id for the same news', () => {
  const disk = { name: 'disk', what: 'the disk is full: make room', since: 1 }
  const inbox = { name: 'inbox', what: 'the inbox grows; wait', since: 2 }
  assert.equal(problemMail('news', [disk, inbox], []).subject, '[orbweaver news] the disk is full (and 1 more)')
  assert.equal(problemMail('news', [], [inbox]).subject, '[orbweaver news] over: the inbox grows')
  const of = (what: string) => problemMail('news', [{ name: 'x', what, since: 1 }], []).subject
  assert.equal(of('http://one:8723: the disk is full: make room'), '[orbweaver news] http://one:8723: the disk is full')
  assert.equal(of('the server http://a:1 is silent: start it'), '[orbweaver news] the server http://a:1 is silent')
  const { text, id } = problemMail('news', [disk], [inbox])
  assert.match(text, /^Wrong now:\n- the disk is full: make room \(since .*\)\n\nNo longer wrong:\n- the inbox grows/)
  assert.equal(problemMail('news', [disk], [inbox]).id, id)
  assert.notEqual(problemMail('news', [{ ...disk, since: 5 }], [inbox]).id, id)
})

test('a password goes through STARTTLS; a wrong one is said without showing it', async () => {
  await using mailbox = await openMailbox({ user: 'me@example.org', password: 'p@ss/word' })
  const trusting = '?tls.rejectUnauthorized=false'
  const account = (password: string) => `${encodeURIComponent('me@example.org')}:${encodeURIComponent(password)}`
  await mailerTo(`smtp://${account('p@ss/word')}@${mailbox.host}${trusting}`).send(dayMail(REPORT))
  assert.deepEqual([mailbox.mails.length, mailbox.mails[0].isSecure], [1, true])
  const failed = async (smtp: string, said: RegExp) =>
    assert.rejects(mailerTo(smtp).send(dayMail(REPORT)), (error: Problem) => {
      assert.equal(error.code, 'mail-failed')
      assert.match(error.message, said)
      assert.match(error.message, /check --smtp/)
      assert.doesNotMatch(error.message, /sesame/)
      return true
    })
  await failed(`smtp://${account('sesame')}@${mailbox.host}${trusting}`, /Invalid login/)
  // The certificate is nobody's.
  await failed(`smtp://${account('sesame')}@${mailbox.host}`, /self-signed/)
})

test('over smtps:// all is encrypted from the beginning', async () => {
  await using mailbox = await openMailbox({ isTls: true })
  await mailerTo(`smtps://${mailbox.host}?tls.rejectUnauthorized=false`).send(dayMail(REPORT))
  assert.equal(mailbox.mails[0].isSecure, true)
})

test('a server that drips is left when the time is over, and when the mailer is closed', async () => {
  const left = Promise.withResolvers<void>()
  const dripping = createServer((socket) => {
    socket.write('220 dripping.test ESMTP\r\n')
    const drip = setInterval(() => socket.write('2'), 20)
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(drip)
      left.resolve()
    })
    socket.resume()
  })
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve))
  const smtp = `smtp://127.0.0.1:${(dripping.address() as { port: number }).port}`
  await assert.rejects(mailerTo(smtp, 300).send(dayMail(REPORT)), /does not answer in time/)
  await left.promise
  const mailer = mailerTo(smtp)
  const sending = mailer.send(dayMail(REPORT))
  mailer.close()
  await assert.rejects(sending, /no more time/)
  // Ends only when no connection is open.
  await new Promise((resolve) => dripping.close(resolve))
})

test('a server that hangs, and one that is not there', async () => {
  const sockets: { destroy(): void }[] = []
  const silent = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const failure = async (smtp: string) => {
    const error = await mailerTo(smtp, 200)
      .send(dayMail(REPORT))
      .catch((thrown: unknown) => thrown)
    assert.ok(error instanceof Problem && error.code === 'mail-failed')
    return error.message
  }
  assert.match(await failure(`smtp://127.0.0.1:${port}`), /does not answer|Greeting never received/)
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => silent.close(resolve))
  assert.match(await failure(`smtp://127.0.0.1:${port}`), /ECONNREFUSED/)
})
