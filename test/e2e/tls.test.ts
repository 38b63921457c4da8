/** A server with a certificate of its own authority, and workers that are told to trust that; it is renewed while they work. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { selfSigned } from '../../testkit/web/certificate.ts'
import { walk } from '../../testkit/web/walker.ts'
import { lastWords, startServer, startWorker } from './cluster.ts'
import { warcRecords } from './command.ts'
import { assertSameSet, orbweaver, readCatalogue, seedFile, serveWeb, temporaryFolder } from './harness.ts'

const WEB = { seed: 5, sites: 4, pages: 40, latencyMs: 4, pageBytes: 2000, crawlDelaySeconds: 0.2 }
const LONGEST_MS = 40_000

test('serve with a certificate, renewed while it runs, and a worker with --server-ca', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb(WEB, folder)
  const [first, second] = [selfSigned(['localhost']), selfSigned(['localhost'])]
  const files = { certificate: folder.at('cert.pem'), key: folder.at('key.pem'), ca: folder.at('ca.pem') }
  writeFileSync(files.certificate, first.cert)
  writeFileSync(files.key, first.key)
  writeFileSync(files.ca, first.cert + second.cert)
  const seeds = served.web.homes()
  const collection = folder.at('collection')
  const server = await startServer(collection, [
    ...['--seeds', seedFile(folder, seeds), '--pause-for', '*.test=300ms', '--patience', '0.01', ...served.resolve],
    ...['--certificate', files.certificate, '--certificate-key', files.key],
  ])
  assert.match(server.url, /^https:/)
  const url = server.url.replace('127.0.0.1', 'localhost')

  const stranger = await orbweaver(['worker', '-c', folder.at('stranger'), '--server', url])
  assert.equal(stranger.code, 2, stranger.stderr)
  assert.match(stranger.stderr, /its certificate is not trusted: self-signed certificate \(--server-ca FILE/)

  const worker = startWorker(folder.at('worker'), [url], ['--until-done', '--server-ca', files.ca])
  assert.equal(await shownAt(url), fingerprint(first.cert))
  // As renewals do it: one file after the other.
  writeFileSync(files.certificate, second.cert)
  await sleep(200)
  writeFileSync(files.key, second.key)
  const until = Date.now() + LONGEST_MS
  while ((await shownAt(url)) !== fingerprint(second.cert)) {
    assert.ok(Date.now() < until, 'the new certificate is not shown')
    await sleep(250)
  }
  const worked = await worker.done
  assert.equal(worked.code, 0, lastWords([worked]))
  server.child.kill('SIGTERM')
  const ended = await server.done
  assert.equal(ended.code, 11, lastWords([ended]))
  const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
  assertSameSet(readCatalogue(collection).documents, new Set(right.documents), 'documents')
})

test('pages behind a certificate that browsers warn of are kept, and every record of them says so', async () => {
  using folder = temporaryFolder()
  await using served = await serveWeb({ ...WEB, sites: 1, pages: 5, secureShare: 1 }, folder, { tls: true })
  const [home] = served.web.homes()
  assert.match(home, /^https:/)
  const collection = ['-c', folder.at('collection')]
  const ran = await orbweaver(['crawl', home, ...collection, '--pause-for', '*.test=100ms', ...served.resolve])
  assert.equal(ran.code, 0, ran.stderr)
  const log = readFileSync(join(folder.at('collection'), 'logs', 'crawl.log'), 'utf8')
  const kept = log.split('\n').filter((line) => line.includes(' 200 '))
  assert.ok(kept.length > 0 && kept.every((line) => line.includes('certificate:self-signed')), log)
  const records = warcRecords(folder.at('collection')).map(({ headers }) => headers)
  const answers = records.filter((headers) => /response|revisit/.test(headers['WARC-Type']))
  assert.ok(answers.length > 0)
  for (const headers of records)
    assert.equal(headers['X-Crawler-Certificate'], answers.includes(headers) ? 'self-signed' : undefined)
  const explained = await orbweaver(['explain', home, ...collection])
  assert.match(explained.stdout, /Note: the certificate was self-signed\./)
  const report = await orbweaver(['report', '--json', ...collection])
  const { documents, troubles } = JSON.parse(report.stdout) as { documents: number; troubles: Record<string, number> }
  assert.deepEqual([documents > 0, troubles['certificate:self-signed']], [true, documents])
  assert.match(
    (await orbweaver(['report', ...collection])).stdout,
    /Documents kept with a defect[\s\S]*the certificate was self-signed/,
  )
})

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256

function shownAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      const { fingerprint256 } = socket.getPeerCertificate()
      socket.destroy()
      resolve(fingerprint256)
    }).on('error', reject)
  })
}
