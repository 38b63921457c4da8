/**
 * A name server on loopback: the hosts of the served web are at 127.0.0.1, no other name exists (a zone where every name
 * does is a hazard that crawlers look out for). Just enough of RFC 1035 for questions of one name each.
 */
import { createSocket } from 'node:dgram'

const HEAD_BYTES = 12
const TYPE_A = 1
const TTL_SECONDS = 300
const NO_SUCH_NAME = 3
/** The name of the question (a pointer to it), A, IN, the time to live, four bytes: 127.0.0.1. */
const ADDRESS = Buffer.from([
  ...[0xc0, HEAD_BYTES, 0, TYPE_A, 0, 1, 0, 0, TTL_SECONDS >> 8, TTL_SECONDS & 255, 0, 4],
  ...[127, 0, 0, 1],
])

/** Undefined for what is no question. */
export function answerOf(question: Buffer, exists: (name: string) => boolean): Buffer | undefined {
  const labels: string[] = []
  let at = HEAD_BYTES
  for (; at < question.length && question[at] !== 0; at += question[at] + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]))
  const end = at + 5
  if (end > question.length || question.readUInt16BE(4) !== 1) return undefined
  const found = exists(labels.join('.').toLowerCase())
  const answers = found && question.readUInt16BE(at + 1) === TYPE_A ? [ADDRESS] : []
  const head = Buffer.alloc(HEAD_BYTES)
  question.copy(head, 0, 0, 2)
  // A response, recursion available, and desired if it was.
  head.writeUInt16BE(0x8080 | (question.readUInt16BE(2) & 0x0100) | (found ? 0 : NO_SUCH_NAME), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  return Buffer.concat([head, question.subarray(HEAD_BYTES, end), ...answers])
}

export interface ServedNames extends AsyncDisposable {
  readonly port: number
  [Symbol.asyncDispose](): Promise<void>
}

/** Asks `exists` for every question. */
export function serveNames(exists: (name: string) => boolean): Promise<ServedNames> {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const answer = answerOf(question, exists)
    if (answer !== undefined) socket.send(answer, from.port, from.address)
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(0, '127.0.0.1', () => {
      const closed = () => new Promise<void>((done) => socket.close(() => done()))
      resolve({ port: socket.address().port, [Symbol.asyncDispose]: closed })
    })
  })
}
