/**
 * Our volumes and index against the tools of Python: `warcio check` recomputes digests, pywb's `cdx-indexer` makes the
 * index anew. Run by `npm run interop`, which installs them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { realDisk } from '../../src/base/real-disk.ts'
import { cdxjLine } from '../../src/collection/captures/cdxj.ts'
import { keepAll, madeUpArchive } from '../../src/collection/volumes/made-up.test-archive.ts'
import { madeUpExchange } from '../../src/collection/volumes/made-up.test-exchange.ts'
import type { Capture } from '../../src/contracts/report.ts'

type Made = ReturnType<typeof madeUpExchange>

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const home = process.env['INTEROP']
const python = (...args: string[]) =>
  spawnSync(home === undefined ? 'python3' : join(home, 'python/bin/python3'), args, { encoding: 'utf8' })

const page = Buffer.from('<p>a page</p>'.repeat(500))
const plain: Made[] = [
  madeUpExchange({ url: 'http://www.example.org/', at: 1_700_000_000_001, payload: page }),
  madeUpExchange({ url: 'https://www2.example.org:8443/B/?q=Z&a=%C3%A9', at: 1_700_000_001_000, tls: 'tls/1.3' }),
  madeUpExchange({
    url: 'http://example.org/gz',
    at: 1_700_000_002_000,
    payload: gzipSync(page),
    headers: [
      ['content-type', 'Text/HTML;charset=x'],
      ['content-encoding', 'gzip'],
    ],
  }),
  madeUpExchange({
    url: 'http://example.org/none',
    at: 1_700_000_003_000,
    headers: [],
    status: 404,
    payload: Buffer.from('no'),
  }),
  madeUpExchange({ url: 'http://example.org/empty', at: 1_700_000_004_000, payload: new Uint8Array(0) }),
  madeUpExchange({ url: 'http://example.org/cut', at: 1_700_000_005_000, payload: page.subarray(7), cut: 'length' }),
  madeUpExchange({ url: 'http://example.org/~again%20é', at: 1_700_000_006_000, payload: page }),
]
const chunked = madeUpExchange({ url: 'http://example.org/chunked', payload: page.subarray(1), chunked: true })

async function written(worker: string, exchanges: Made[]): Promise<{ path: string; captures: Capture[] }> {
  const { archive } = madeUpArchive(realDisk, { folder, worker })
  const captures = await keepAll(archive, exchanges, true)
  await archive.close()
  return { path: join(folder, captures[0].volume), captures }
}

const check = (path: string) => python('-m', 'warcio.cli', 'check', '-v', path)

test('python warcio: every digest is right', async () => {
  const all = [...plain, chunked]
  const { path } = await written('plain', all)
  const { status, stdout, stderr } = check(path)
  assert.equal(status, 0, stdout + stderr)
  assert.equal(stdout.match(/digest pass/g)?.length, 2 * all.length)
})

test('pywb: its index of our volume is ours, byte for byte', async () => {
  const exchanges = [...plain, chunked]
  const { path, captures } = await written('index', exchanges)
  const ours = captures.map((capture, i) => {
    const { url, sentAt, answer } = exchanges[i]
    const mediaType = answer.head.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    const { volume, ...place } = capture
    return cdxjLine({ url, at: sentAt, status: answer.head.status, mediaType, volume, ...place })
  })
  const { stdout, stderr } = python('-c', 'from pywb.indexer.cdxindexer import main; main()', '-s', '-j', path)
  assert.deepEqual(stdout.trimEnd().split('\n'), ours.sort(), stderr)
  assert.ok(captures.some(({ kind }) => kind === 'revisit'))
})
