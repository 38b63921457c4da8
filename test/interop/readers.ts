/**
 * Whole collections read by programs that others wrote: the demo's, and one of a documentation site of this machine, served
 * twice, once in chunks and once not, so that each half refers to the other, and behind a self-signed certificate. Every complaint of a reader is expected by its
 * number: `docs/decisions/0002-payload-digest.md` explains each. Run by `npm run interop`, which installs the readers.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, get } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha1 } from '../../src/base/digest.ts'
import { realDisk } from '../../src/base/real-disk.ts'
import { parseHttpBlock } from '../../src/web/warc/http-block.ts'
import { bytesOf, records } from '../../src/web/warc/reader.ts'
import { selfSigned } from '../../testkit/web/certificate.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const HOME = process.env['INTEROP'] ?? join(ROOT, '.cache', 'interop')
const pythonTool = (name: string) => join(HOME, 'python', 'bin', name)
const WARCAT = join(HOME, 'rust', 'bin', 'warcat')
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-readers-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** What the program says, whatever its exit code. */
function said(program: string, ...args: string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, cwd: folder })
  return { code: status, text: stdout + stderr }
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
const absent = (path: string) => !existsSync(path) && `${path} is not there: npm run interop installs it`

/** In another process than this one, which may be the server that is crawled. */
function orbweaver(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/orbweaver.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.on('close', resolve))
}

interface Made {
  collection: string
  volume: string
  records: number
  responses: number
  revisits: number
  /** Responses with a content coding. */
  coded: number
  /** Revisits of which one of the two answers came in chunks, the other not. */
  mixed: number
  /** Responses and revisits that came behind a certificate that browsers warn of. */
  untrusted: number
}

/** One volume, so that each reader says all in one run. */
function made(collection: string): Made {
  const [name, ...more] = readdirSync(join(collection, 'archive'))
  assert.deepEqual(more, [], 'one volume')
  const volume = join(folder, `${collection.split('/').at(-1)}.warc.gz`)
  copyFileSync(join(collection, 'archive', name), volume)
  const found = { collection, volume, records: 0, responses: 0, coded: 0, revisits: 0, mixed: 0, untrusted: 0 }
  const chunked = new Map<string, boolean>()
  for (const record of records(bytesOf(realDisk, volume))) {
    assert.ok(record.kind !== 'fault')
    found.records++
    const type = record.headers.get('WARC-Type')
    if (type !== 'response' && type !== 'revisit') continue
    const digest = record.headers.get('WARC-Payload-Digest') ?? ''
    const isChunked = parseHttpBlock(record.block)!.headers.some(([name]) =>
      /^x-crawler-transfer-encoding$/i.test(name),
    )
    const isCoded = parseHttpBlock(record.block)!.headers.some(([name]) => /^content-encoding$/i.test(name))
    if (type === 'response' && isCoded) found.coded++
    if (record.headers.get('X-Crawler-Certificate') === 'self-signed') found.untrusted++
    if (type === 'response') found.responses++
    else found.revisits++
    if (type === 'response') chunked.set(digest, isChunked)
    else if (chunked.get(digest) !== isChunked) found.mixed++
  }
  return found
}

function judged(name: string, make: () => Promise<string>, untrusted: boolean, skip: string | false): void {
  describe(name, { skip }, () => {
    let it: Made
    before(async () => {
      it = made(await make())
    })

    test('says of every answer whether its certificate was one that browsers warn of', () => {
      assert.equal(it.untrusted, untrusted ? it.responses + it.revisits : 0)
    })

    test('has revisits of answers in chunks by answers without, and the other way round', () => {
      assert.ok(it.revisits > 10 && it.mixed > 0, JSON.stringify(it))
    })

    test('warcio check: nothing', { skip: absent(pythonTool('warcio')) }, () => {
      const { code, text } = said(pythonTool('warcio'), 'check', '-v', it.volume)
      assert.equal(count(text, /digest failed/g), 0, text.slice(0, 2000))
      assert.equal(code, 0)
    })

    test('JWAT: nothing', { skip: absent(join(HOME, 'java')) }, () => {
      const { text } = said(
        'java',
        '-cp',
        join(HOME, 'java', '*'),
        join(import.meta.dirname, 'jwat-check.java'),
        it.volume,
      )
      assert.equal(text, `${it.records} records, compliant\n`)
    })

    test('jwarc validate: nothing', { skip: absent(join(HOME, 'java')) }, () => {
      const [jar] = globSync(join(HOME, 'java', 'jwarc-*.jar'))
      const { code, text } = said('java', '-jar', jar, 'validate', it.volume)
      assert.equal(text, '')
      assert.equal(code, 0)
    })

    test('FastWARC check: revisits only, whose digest is of a payload that lies elsewhere', {
      skip: absent(pythonTool('fastwarc')),
    }, () => {
      const list = join(folder, 'fastwarc.txt')
      said(pythonTool('fastwarc'), 'check', '-p', '-q', '-o', list, it.volume)
      const text = readFileSync(list, 'utf8')
      assert.equal(count(text, /: OK, PAYLOAD_OK/g), it.responses)
      assert.equal(count(text, /: OK, PAYLOAD_FAIL/g), it.revisits)
      assert.equal(count(text, /: OK, /g), it.records, 'every block digest is right')
    })

    test('warcat (Python) verify: the same', { skip: absent(pythonTool('fastwarc')) }, () => {
      const { text } = said(pythonTool('python3'), '-m', 'warcat', 'verify', it.volume)
      assert.equal(count(text, /^warcat\.tool\.VerifyProblem: \('Bad payload digest\.'/gm), it.revisits)
      assert.equal(count(text, /^warcat\.tool\.VerifyProblem/gm), it.revisits, text.slice(-2000))
    })

    test('warcat (Rust) verify: responses with a content coding, which it takes off', { skip: absent(WARCAT) }, () => {
      const { text } = said(WARCAT, 'verify', '--format', 'jsonl', '--input', it.volume)
      assert.equal(count(text, /"PayloadDigestMismatch"/g), it.coded)
      assert.equal(count(text, /"record_id"/g), it.coded, text.slice(0, 2000))
    })

    test(
      'pywb: every capture replays with its own status and the bytes that were collected',
      {
        skip: absent(pythonTool('pywb')),
      },
      () => replay(it),
    )
  })
}

interface Line {
  url: string
  mime: string
  status?: string
  digest: string
}

async function replay({ collection }: Made): Promise<void> {
  await using pywb = await startPywb(collection)
  const wrong: string[] = []
  const lines = readFileSync(join(collection, 'indexes', 'index.cdxj'), 'utf8')
    .trim()
    .split('\n')
  const parsed = (line: string) => JSON.parse(line.slice(line.indexOf('{'))) as Line
  const placeOf = (line: string) => line.slice(0, line.indexOf('{'))
  // Names with and without `www.` have one key in the index: of two captures in one second pywb replays the first.
  const alike = Map.groupBy(lines, placeOf)
  const keyOf = (line: string) => line.slice(0, line.indexOf(' '))
  const ofKey = Map.groupBy(lines, keyOf)
  const redirects = new Set(lines.map(parsed).flatMap(({ status, digest }) => (status?.startsWith('3') ? digest : [])))
  for (const line of lines) {
    const { url, status, digest, mime } = parsed(line)
    const [, time] = line.split(' ', 2)
    const answer = await fetched(`${pywb.url}/trial/${time}id_/${url}`)
    // The index says no status of a revisit.
    const isRight = status === undefined || String(answer.status) === status
    // Of a redirect that is a revisit pywb sends no body.
    if (mime === 'warc/revisit' && answer.status >= 300 && answer.status < 400) continue
    // A redirect to a URL of its own key (`www.`) is answered by the next capture of the key that is none, or not at all.
    const others = ofKey.get(keyOf(line))!.map((other) => parsed(other).digest)
    const isAlone = others.every((other) => redirects.has(other))
    const isOther = others.some((other) => `sha1:${other}` === sha1(answer.body))
    if (redirects.has(digest) && (isOther || (isAlone && answer.status >= 400))) continue
    const got = `${answer.status}, ${answer.body.length} bytes, ${sha1(answer.body)}`
    const digests = alike.get(placeOf(line))?.map((other) => `sha1:${parsed(other).digest}`)
    if (!isRight || digests?.includes(sha1(answer.body)) !== true)
      wrong.push(`${time} ${url}: ${got}; not ${status ?? 'any status'}, ${digest} (${mime})`)
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${lines.length}`)
}

async function startPywb(collection: string): Promise<{ url: string } & AsyncDisposable> {
  const home = mkdtempSync(join(folder, 'pywb-'))
  const paths = `archive_paths: ${collection}/archive/\n    index_paths: ${collection}/indexes/`
  writeFileSync(join(home, 'config.yaml'), `collections:\n  trial:\n    ${paths}\n`)
  const port = await freePort()
  const child = spawn(pythonTool('pywb'), ['-p', String(port), '-b', '127.0.0.1'], { cwd: home, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  for (
    let times = 0;
    !(await fetched(url).then(
      () => true,
      () => false,
    ));
    times++
  ) {
    assert.ok(times < 300 && child.exitCode === null, 'pywb does not start')
    await sleep(200)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** As it comes: with its content coding. */
function fetched(url: string): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' }, timeout: 30_000 }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(pieces) }))
    })
    asked.on('timeout', () => asked.destroy(new Error(`${url} does not come to its end`)))
    asked.on('error', reject)
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

judged(
  "the demo's collection",
  async () => {
    const collection = join(folder, 'demo')
    assert.equal(await orbweaver('demo', '-c', collection, '--random-seed', '1', '--quiet', '--json'), 0)
    return collection
  },
  false,
  false,
)

/** A folder with an index.html: the one that is named, or the largest of the Debian packages with documentation. */
function documentation(): string {
  const named = process.env['ORBWEAVER_DOCS']
  if (named !== undefined) return named
  const sizes = globSync('/usr/share/doc/*/html/index.html').map((path) => {
    return { path: dirname(path), pages: globSync(join(dirname(path), '**/*.html')).length }
  })
  return sizes.sort((a, b) => b.pages - a.pages)[0]?.path ?? '.'
}

const DOCS = documentation()
const TYPES: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.txt': 'text/plain', '.css': 'text/css' }
const PAGES = 300

judged(
  `the collection of ${DOCS}`,
  async () => {
    const collection = join(folder, 'docs')
    // Half of the pages come in chunks at one name, the other half at the other.
    const server = createTlsServer(selfSigned(['*.test']), (request, response) => {
      const path = decodeURIComponent((request.url ?? '/').split('?')[0]).replace(/\/$/, '/index.html')
      const file = join(DOCS, join('/', path))
      const body = existsSync(file) && !path.endsWith('/') ? readFile(file) : undefined
      const isChunked = path.length % 2 === (request.headers.host?.startsWith('copy') ? 0 : 1)
      response.statusCode = body === undefined ? 404 : 200
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream')
      if (!isChunked) response.setHeader('Content-Length', body?.length ?? 0)
      for (let at = 0; at < (body?.length ?? 0); at += 3000) response.write(body?.subarray(at, at + 3000))
      response.end()
    })
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
    try {
      const flags = ['--resolve', `*.test=127.0.0.1:${port}`, '--pause-for', '*.test=30ms']
      const limits = ['--max-pages', String(PAGES), '--quiet', '--json']
      await orbweaver('crawl', 'https://docs.test/', 'https://copy.test/', '-c', collection, ...flags, ...limits)
    } finally {
      server.close()
      server.closeAllConnections()
    }
    return collection
  },
  true,
  !existsSync(join(DOCS, 'index.html')) &&
    'no documentation here: install one (Debian: git-doc), or name it in ORBWEAVER_DOCS',
)

function readFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
