import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { sha1 } from '../../base/digest.ts'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { deflatedMember } from '../../web/warc/gzip-member.ts'
import { parseHttpBlock } from '../../web/warc/http-block.ts'
import { FOLDER, keepIn, madeUpArchive, recordsIn } from './made-up.test-archive.ts'
import { anyExchange, madeUpExchange } from './made-up.test-exchange.ts'
import { repairVolumes } from './repair.ts'

const types = (disk: Disk, name: string) => recordsIn(disk, name).map(({ headers }) => headers.get('WARC-Type'))

test('nothing is opened before something is kept', async () => {
  const disk = memoryDisk()
  const { archive, events } = madeUpArchive(disk)
  await archive.synced()
  await archive.close()
  assert.deepEqual(disk.list(FOLDER), [])
  assert.deepEqual(
    events.filter(({ kind }) => kind !== 'synced'),
    [],
  )
})

test('a volume has its name, warcinfo first, and a request that names its answer', async () => {
  const disk = memoryDisk()
  const { archive, events } = madeUpArchive(disk)
  const capture = keepIn(archive, madeUpExchange({ tls: 'tls/1.3' }))
  assert.equal(capture.volume, 'test-20231114221320123-00000-box~w1.warc.gz')
  assert.deepEqual(disk.list(FOLDER), [`${capture.volume}.open`])
  await archive.close()
  assert.deepEqual(disk.list(FOLDER), [capture.volume])
  const [info, response, request] = recordsIn(disk, capture.volume)
  assert.equal(info.headers.get('WARC-Filename'), capture.volume)
  assert.match(Buffer.from(info.block).toString(), /^software: orbweaver\/0\.1\.0\r\nformat: WARC File Format 1\.1\r\n/)
  assert.equal(response.offset, capture.offset)
  assert.equal(response.length, capture.length)
  assert.equal(response.headers.get('WARC-Concurrent-To'), undefined)
  assert.equal(request.headers.uri('WARC-Concurrent-To'), response.headers.uri('WARC-Record-ID'))
  assert.deepEqual(response.headers.all('WARC-Protocol'), ['http/1.1', 'tls/1.3'])
  assert.equal(request.headers.get('WARC-Date'), response.headers.get('WARC-Date'))
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['volume-opened', 'volume-closed', 'synced'],
  )
})

test('any exchange comes back byte for byte, with right digests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), async (numbers) => {
      const disk = memoryDisk()
      const { archive } = madeUpArchive(disk)
      const exchanges = numbers.map(anyExchange)
      const captures = exchanges.map((exchange) => keepIn(archive, exchange))
      await archive.close()
      const found = new Map(recordsIn(disk, captures[0].volume).map((record) => [record.offset, record]))
      captures.forEach((capture, i) => {
        const { answer } = exchanges[i]
        const record = found.get(capture.offset)
        assert.ok(record !== undefined && record.length === capture.length)
        let head = Buffer.from(answer.wireHead).toString('latin1').replace('Transfer-', 'X-Crawler-Transfer-')
        if (answer.kind === 'cut') head = head.replace('Content-Length', 'X-Crawler-Content-Length')
        assert.ok(Buffer.concat([Buffer.from(head, 'latin1'), answer.payload]).equals(record.block))
        assert.equal(record.headers.get('WARC-Block-Digest'), sha1(record.block))
        assert.equal(record.headers.get('WARC-Payload-Digest'), sha1(answer.payload))
        assert.equal(record.headers.get('WARC-Truncated'), answer.kind === 'cut' ? answer.why : undefined)
        assert.ok(Buffer.from(answer.payload).equals(parseHttpBlock(record.block)?.payload ?? Buffer.from('none')))
      })
      assert.equal(found.size, 1 + 2 * captures.length)
    }),
    { numRuns: 40 },
  )
})

test('records are read back now and then, and those of a broken packer are packed again by zlib', async () => {
  const disk = memoryDisk()
  const whole = madeUpArchive(disk)
  for (let i = 0; i < 1500; i++) keepIn(whole.archive, anyExchange(i))
  // The first two of the volume, and two of each further thousand.
  assert.deepEqual(whole.archive.checks(), { checked: 7, wrong: 0 })
  assert.deepEqual(whole.archive.checks(), { checked: 0, wrong: 0 })
  await whole.archive.close()

  /** Forgets the last bytes, as a packer with a bug may. */
  const broken: typeof deflatedMember = (emit, parts) =>
    deflatedMember(emit, [...parts.slice(0, -1), new Uint8Array(1)])
  const packing = { deflated: broken, stored: broken }
  const other = memoryDisk()
  const mended = madeUpArchive(other, { packing })
  const captures = [1, 2, 3, 4].map((n) => keepIn(mended.archive, anyExchange(n)))
  await mended.archive.close()
  assert.equal(recordsIn(other, captures[0].volume).length, 9)
  assert.deepEqual(mended.archive.checks(), { checked: 2, wrong: 1 })
  const said = mended.events.flatMap((event) => (event.kind === 'trouble' ? [event.what] : []))
  assert.equal(said.length, 1)
  assert.match(said[0], /packed wrongly and is written again with zlib/)
})

test('a declined answer is its head, marked', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const { answer, ...rest } = madeUpExchange()
  const want = { download: false as const, kind: 'image', rule: 'media type' }
  const capture = keepIn(archive, {
    ...rest,
    answer: { kind: 'declined', head: answer.head, wireHead: answer.wireHead, want },
  })
  await archive.close()
  const record = recordsIn(disk, capture.volume)[1]
  assert.equal(record.headers.get('WARC-Truncated'), 'unspecified')
  const head = Buffer.from(answer.wireHead).toString('latin1').replace('Content-Length', 'X-Crawler-Content-Length')
  assert.equal(Buffer.from(record.block).toString('latin1'), head)
})

test('an answer without a body announces none: readers take a length at its word', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const none = madeUpExchange({ status: 204, headers: [['Content-Length', '5']], payload: new Uint8Array(0) })
  const empty = madeUpExchange({ payload: new Uint8Array(0) })
  const [capture] = [none, empty].map((exchange) => keepIn(archive, exchange))
  await archive.close()
  const heads = recordsIn(disk, capture.volume)
    .filter(({ headers }) => headers.get('WARC-Type') === 'response')
    .map(({ block }) => Buffer.from(block).toString('latin1'))
  assert.match(heads[0], /\nX-Crawler-Content-Length: 5\r\n/)
  assert.match(heads[1], /\nContent-Length: 0\r\n/)
})

test('with a copy, an answer becomes a revisit that refers to it', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const first = madeUpExchange({ url: 'http://www.example.org/first', at: 1_700_000_001_234 })
  const { digest } = keepIn(archive, first)
  const again = keepIn(archive, madeUpExchange({ url: 'http://www.example.org/again', at: 1_700_000_009_000 }), first)
  assert.equal(again.kind, 'revisit')
  await archive.close()
  const revisit = recordsIn(disk, again.volume).find(({ offset }) => offset === again.offset)
  assert.equal(revisit?.headers.get('WARC-Type'), 'revisit')
  assert.equal(revisit?.headers.get('WARC-Payload-Digest'), digest)
  assert.equal(revisit?.headers.get('WARC-Refers-To-Target-URI'), first.url)
  assert.equal(parseHttpBlock(revisit?.block ?? new Uint8Array(0))?.wireBody.length, 0)
})

test('a chunked answer and a plain one are copies: either replays with the head of the other', async () => {
  for (const chunkedFirst of [true, false]) {
    const disk = memoryDisk()
    const { archive } = madeUpArchive(disk)
    const payload = Buffer.from('a page that two servers send, one of them in chunks')
    const first = madeUpExchange({ payload, chunked: chunkedFirst })
    const original = keepIn(archive, first)
    const revisit = keepIn(archive, madeUpExchange({ payload, chunked: !chunkedFirst }), first)
    assert.equal(revisit.kind, 'revisit')
    await archive.close()
    const [one, again] = recordsIn(disk, original.volume)
      .filter(({ offset }) => offset === original.offset || offset === revisit.offset)
      .map(({ block }) => parseHttpBlock(block))
    assert.ok(one !== undefined && again !== undefined)
    // As pywb does: the revisit's head, then the bytes after the original's head.
    const replayed = parseHttpBlock(Buffer.concat([again.wireHead, one.wireBody]))
    assert.ok(payload.equals(replayed?.payload ?? Buffer.from('none')))
    assert.ok(payload.equals(one.wireBody), 'and readers that take no chunks off have the payload, too')
  }
})

test('an empty payload is no revisit', () => {
  const { archive } = madeUpArchive(memoryDisk())
  const empty = madeUpExchange({ payload: new Uint8Array(0) })
  assert.equal(keepIn(archive, empty, madeUpExchange({ url: 'http://elsewhere/' })).kind, 'response')
})

test('volumes roll before an exchange, keep request and answer together, and have different names', async () => {
  const disk = memoryDisk()
  const { archive, events } = madeUpArchive(disk, { rollBytes: 3000 })
  const captures = []
  for (let i = 0; i < 30; i++) {
    captures.push(keepIn(archive, madeUpExchange({ url: `http://www.example.org/${i}` })))
    if (i % 7 === 0) await archive.synced()
  }
  // Another archive of the same name and time finds other names.
  const other = madeUpArchive(disk, { rollBytes: 3000 })
  assert.ok(!captures.some(({ volume }) => volume === keepIn(other.archive, madeUpExchange()).volume))
  await other.archive.close()
  await archive.close()
  const names = [...new Set(captures.map(({ volume }) => volume))]
  assert.ok(names.length > 3)
  for (const name of names) {
    const kinds = types(disk, name)
    assert.equal(kinds[0], 'warcinfo')
    for (let i = 1; i < kinds.length; i += 2) assert.deepEqual(kinds.slice(i, i + 2), ['response', 'request'])
    const size = disk.size(`${FOLDER}/${name}`) ?? 0
    assert.ok(name === names.at(-1) || size >= 3000)
    assert.ok(size < 3000 + 2000)
  }
  assert.ok(disk.list(FOLDER).every((name) => !name.endsWith('.open')))
  assert.equal(events.filter(({ kind }) => kind === 'volume-closed').length, names.length)
})

/** A disk whose syncs end only when released. */
function heldDisk(inner: Disk): { disk: Disk; release(): Promise<void>; waiting(): number } {
  let held: (() => void)[] = []
  const disk: Disk = {
    ...inner,
    append(path) {
      const file = inner.append(path)
      const sync = () => new Promise<void>((resolve) => held.push(() => void file.sync().then(resolve)))
      return Object.defineProperties({ ...file, sync } as AppendFile, { size: { get: () => file.size } })
    },
  }
  const turnOver = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    disk,
    waiting: () => held.length,
    async release() {
      const now = held
      held = []
      for (const go of now) go()
      await turnOver()
    },
  }
}

test('synced resolves only when everything kept before it is durable', async () => {
  const { disk, release, waiting } = heldDisk(memoryDisk())
  const { archive } = madeUpArchive(disk)
  const done: string[] = []
  keepIn(archive, madeUpExchange({ payload: Buffer.from('1') }))
  void archive.synced().then(() => done.push('a'))
  keepIn(archive, madeUpExchange({ payload: Buffer.from('2') }))
  void archive.synced().then(() => done.push('b'))
  keepIn(archive, madeUpExchange({ payload: Buffer.from('3') }))
  void archive.synced().then(() => done.push('c'))
  assert.equal(waiting(), 1)
  await release()
  assert.deepEqual(done, ['a'])
  // One sync serves both callers.
  assert.equal(waiting(), 1)
  await release()
  assert.deepEqual(done, ['a', 'b', 'c'])
})

test('on a full disk every call throws the error, and repair keeps what was synced', async () => {
  const inner = memoryDisk()
  let left = Number.POSITIVE_INFINITY
  const disk: Disk = {
    ...inner,
    append(path) {
      const file = inner.append(path)
      const write = (bytes: Uint8Array) => {
        const part = Math.min(left, bytes.length)
        left -= part
        file.write(bytes.subarray(0, part))
        if (part < bytes.length) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      }
      return Object.defineProperties({ ...file, write } as AppendFile, { size: { get: () => file.size } })
    },
  }
  const { archive } = madeUpArchive(disk)
  const kept = keepIn(archive, madeUpExchange())
  await archive.synced()
  left = 100
  keepIn(archive, madeUpExchange({ payload: Buffer.from('second') }))
  await assert.rejects(archive.synced(), { code: 'ENOSPC' })
  assert.throws(() => keepIn(archive, madeUpExchange()), { code: 'ENOSPC' })
  await assert.rejects(archive.synced(), { code: 'ENOSPC' })
  await archive.close()
  const [repaired] = await repairVolumes(inner, FOLDER, { record() {} })
  assert.deepEqual(repaired, { name: kept.volume, cut: 100, removed: false })
  assert.deepEqual(types(inner, kept.volume), ['warcinfo', 'response', 'request'])
})
